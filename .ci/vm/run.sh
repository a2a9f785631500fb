#!/bin/bash
# run.sh KERNEL [--systemd [PROPERTY]] SCRIPT [ARGUMENT…]
#
# Boots a Linux kernel under qemu with an initramfs of busybox, this Node and this checkout's build, where cgroup v2 has all
# controllers, and runs `node SCRIPT ARGUMENT…` there: as process of the root group with memory, pids and cpu enabled for its
# children, or with --systemd in a service of systemd as process 1, with a line such as MemoryMax=300M in its unit. Prints
# what it prints. The exit code is the script's. Needs qemu-system-x86, cpio and busybox-static, and systemd and dbus for
# --systemd; no rights.
set -euo pipefail
KERNEL=$1
shift
SYSTEMD='' PROPERTY=''
if [ "$1" = --systemd ]; then
  SYSTEMD=yes
  shift
  if [[ $1 == *=* ]]; then PROPERTY=$1; shift; fi
fi
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root
mkdir -p "$ROOT"/{bin,proc,sys,dev,tmp,run,checkout/build/Release,checkout/build/test}

bring() { # program…: each at its own place, with its libraries
  local file
  for file in "$@"; do install -D "$(readlink -f "$file")" "$ROOT$file"; done
  for file in $(ldd "$@" | grep -o '/[^ ):]*' | grep '\.so' | sort -u); do install -D "$(readlink -f "$file")" "$ROOT$file"; done
}

cp "$(command -v busybox)" "$ROOT/bin/busybox"
NODE=$(readlink -f "$(command -v node)")
bring "$NODE"
ln -s "$NODE" "$ROOT/bin/node"
cp -r package.json dist test/fixtures "$ROOT/checkout/"
mkdir -p "$ROOT/checkout/test" && mv "$ROOT/checkout/fixtures" "$ROOT/checkout/test/"
ADDON=build/Release/holdfast.node
[ -e "$ADDON" ] || ADDON=$(node .ci/binary-of.mjs linux-x64.glibc) || {
  echo "there is no binary of these sources: run npm run build" >&2
  exit 1
}
cp "$ADDON" "$ROOT/checkout/build/Release/holdfast.node"
cp "$(dirname "$ADDON")/holdfast-warden" "$ROOT/checkout/build/Release/"
cp build/test/dummy "$ROOT/checkout/build/test/"
for file in $(ldd "$ADDON" build/test/dummy | grep -o '/[^ )]*' | grep '\.so' | sort -u); do install -D "$(readlink -f "$file")" "$ROOT$file"; done

{ echo '#!/bin/sh'; echo 'export PATH=/bin; cd /checkout; exec > /dev/console 2>&1'; echo "echo '=== begin'"
  printf 'node'; printf ' %q' "$@"; printf '\necho "=== end $?"\npoweroff -f\n'; } > "$ROOT/bin/payload"
if [ -n "$SYSTEMD" ]; then
  bring /lib/systemd/systemd /usr/bin/dbus-daemon /usr/lib/x86_64-linux-gnu/libsystemd.so.0
  mkdir -p "$ROOT"/{etc,var/run,lib/systemd/system,usr/share}
  cp -r /usr/share/dbus-1 "$ROOT/usr/share/"
  cp -r /lib/systemd/system/{*.target,*.slice,dbus.s*} "$ROOT/lib/systemd/system/"
  printf 'root:x:0:0::/:/bin/sh\nmessagebus:x:100:100::/:/bin/false\n' > "$ROOT/etc/passwd"
  printf 'root:x:0:\nmessagebus:x:100:\n' > "$ROOT/etc/group"
  echo 0123456789abcdef0123456789abcdef > "$ROOT/etc/machine-id"
  printf '[Unit]\nRequires=dbus.service\nAfter=dbus.service basic.target\n[Service]\nType=oneshot\nExecStart=/bin/sh /bin/payload\n%s\n' "$PROPERTY" > "$ROOT/lib/systemd/system/payload.service"
fi
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
INIT
  if [ -n "$SYSTEMD" ]; then
    echo 'exec /lib/systemd/systemd --unit=payload.service --log-target=null --show-status=0'
  else
    echo "echo '+memory +pids +cpu' > /sys/fs/cgroup/cgroup.subtree_control"
    echo 'exec /bin/sh /bin/payload'
  fi
} > "$ROOT/init"
chmod 755 "$ROOT/init"
( cd "$ROOT" && find . | cpio -o -H newc --quiet ) | gzip -1 > "$WORK/initramfs"
# The serial line ends its lines as a terminal does.
timeout -k 5 "${VM_TIMEOUT:-240}" qemu-system-x86_64 -M q35 -cpu max -smp 2 -m 1536 -nic none -nographic -no-reboot -kernel "$KERNEL" \
  -initrd "$WORK/initramfs" -append 'console=ttyS0 quiet loglevel=0 panic=-1' < /dev/null | tr -d '\r' > "$WORK/console" || true
[ -z "${VM_CONSOLE:-}" ] || cp "$WORK/console" "$VM_CONSOLE"
sed -n '/=== begin$/,/^=== end/p' "$WORK/console" | grep -v '===' || true # the firmware's escapes stand before the begin
CODE=$(sed -n 's/^=== end //p' "$WORK/console")
if [ -z "$CODE" ]; then
  echo "the machine did not come to its end:" >&2
  tail -20 "$WORK/console" >&2
  exit 1
fi
exit "$CODE"
