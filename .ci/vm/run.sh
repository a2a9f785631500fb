#!/bin/bash
# run.sh KERNEL SCRIPT [ARGUMENT…]
#
# Boots a Linux kernel under qemu with an initramfs of busybox, this Node and this checkout's build, where cgroup v2 has all
# controllers; runs `node SCRIPT ARGUMENT…` as process of the root group with memory, pids and cpu enabled for its children,
# and prints what it prints. The exit code is the script's. Needs qemu-system-x86, cpio and busybox-static; no rights.
set -euo pipefail
KERNEL=$1 SCRIPT=$2
shift 2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root
mkdir -p "$ROOT"/{bin,proc,sys,dev,tmp,checkout/build/Release,checkout/build/test}
cp "$(command -v busybox)" "$ROOT/bin/busybox"
NODE=$(readlink -f "$(command -v node)")
cp "$NODE" "$ROOT/bin/node"
for library in $(ldd "$NODE" build/Release/holdfast.node build/test/dummy | grep -o '/[^ )]*' | grep '\.so' | sort -u); do
  install -D "$(readlink -f "$library")" "$ROOT$library"
done
cp -r package.json dist test/fixtures "$ROOT/checkout/"
mkdir -p "$ROOT/checkout/test" && mv "$ROOT/checkout/fixtures" "$ROOT/checkout/test/"
cp build/Release/holdfast.node build/Release/holdfast-warden "$ROOT/checkout/build/Release/"
cp build/test/dummy "$ROOT/checkout/build/test/"
{
  cat <<'INIT'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo '+memory +pids +cpu' > /sys/fs/cgroup/cgroup.subtree_control
cd /checkout
echo '=== begin'
INIT
  printf 'node'
  printf ' %q' "$SCRIPT" "$@"
  printf '\necho "=== end $?"\npoweroff -f\n'
} > "$ROOT/init"
chmod 755 "$ROOT/init"
( cd "$ROOT" && find . | cpio -o -H newc --quiet ) | gzip -1 > "$WORK/initramfs"
# The serial line ends its lines as a terminal does.
timeout -k 5 "${VM_TIMEOUT:-240}" qemu-system-x86_64 -M q35 -cpu max -smp 2 -m 1536 -nic none -nographic -no-reboot -kernel "$KERNEL" \
  -initrd "$WORK/initramfs" -append 'console=ttyS0 quiet loglevel=0 panic=-1' < /dev/null | tr -d '\r' > "$WORK/console" || true
sed -n '/=== begin$/,/^=== end/p' "$WORK/console" | grep -v '===' || true # the firmware's escapes stand before the begin
CODE=$(sed -n 's/^=== end //p' "$WORK/console")
if [ -z "$CODE" ]; then
  echo "the machine did not come to its end:" >&2
  tail -20 "$WORK/console" >&2
  exit 1
fi
exit "$CODE"
