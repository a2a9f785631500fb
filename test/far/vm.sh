#!/bin/bash
# vm.sh ARCHITECTURE SYSTEM NODE BINARY DIST SCRIPT [ARGUMENT…]
#
# Boots the kernel of SYSTEM (a folder of unpacked Debian packages: kernel, libc6, libstdc++6, libgcc-s1, busybox-static)
# under qemu, with all controllers of cgroup v2, and runs SCRIPT there as the first thing: by NODE, with DIST as the package
# and BINARY as its addon. Prints what the script prints; the exit code is the script's. Needs qemu-system and cpio, no rights.
set -euo pipefail
ARCHITECTURE=$1 SYSTEM=$2 NODE=$3 BINARY=$4 DIST=$5 SCRIPT=$6
shift 6
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root
mkdir -p "$ROOT"/{bin,proc,sys,dev,tmp,run,holdfast}
# Without following links out of the folder: /lib of a merged system is a link.
for NAME in lib lib64 usr/lib; do
  for FOLDER in "$SYSTEM/$NAME" "$SYSTEM/$NAME"/*-linux-gnu; do
    [ -d "$FOLDER" ] || continue
    INTO=$ROOT${FOLDER#"$SYSTEM"}
    mkdir -p "$INTO"
    find "$FOLDER" -maxdepth 1 -name '*.so*' -exec cp -P {} "$INTO/" \;
  done
done
cp "$SYSTEM/bin/busybox" "$ROOT/bin/busybox"
cp "$NODE" "$ROOT/bin/node"
cp -r "$DIST" "$ROOT/holdfast/dist"
cp "$SCRIPT" "$ROOT/holdfast/script.mjs"
echo '{ "type": "module" }' > "$ROOT/holdfast/package.json"
cp "$BINARY" "$ROOT/holdfast/holdfast.node"
cp "$(dirname "$BINARY")/holdfast-warden" "$ROOT/holdfast/"
{
  cat <<'INIT'
#!/bin/busybox sh
export PATH=/bin HOLDFAST_BINDING=/holdfast/holdfast.node
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo '+memory +pids +cpu' > /sys/fs/cgroup/cgroup.subtree_control
cd /holdfast
echo '=== begin'
INIT
  printf 'node script.mjs /holdfast/dist'
  printf ' %q' "$@"
  printf '\necho "=== end $?"\npoweroff -f\n'
} > "$ROOT/init"
chmod 755 "$ROOT/init"
( cd "$ROOT" && find . | cpio -o -H newc --quiet ) | gzip -1 > "$WORK/initramfs"
KERNEL=$(ls "$SYSTEM"/boot/vmlinuz-* | tail -n 1)
case $ARCHITECTURE in
  amd64) MACHINE=(qemu-system-x86_64 -M q35 -cpu max) CONSOLE=ttyS0 ;;
  arm64) MACHINE=(qemu-system-aarch64 -M virt -cpu cortex-a72) CONSOLE=ttyAMA0 ;;
esac
# The serial line ends its lines as a terminal does.
timeout -k 5 "${VM_TIMEOUT:-240}" "${MACHINE[@]}" -smp 2 -m 1536 -nic none -nographic -no-reboot -kernel "$KERNEL" \
  -initrd "$WORK/initramfs" -append "console=$CONSOLE quiet loglevel=0 panic=-1" < /dev/null | tr -d '\r' > "$WORK/console" || true
sed -n '/=== begin$/,/^=== end/p' "$WORK/console" | grep -v '===' || true
CODE=$(sed -n 's/^=== end //p' "$WORK/console")
if [ -z "$CODE" ]; then
  echo "the machine did not come to its end:" >&2
  tail -20 "$WORK/console" >&2
  exit 1
fi
exit "$CODE"
