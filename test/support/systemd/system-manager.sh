#!/bin/bash
# system-manager.sh COMMAND…
#
# Runs the command as root in a service of a systemd that is process 1 of namespaces of its own, on an overlay of this
# machine's root and with this checkout at its place; prints its output when it is over. Everything lives in one cgroup
# that is emptied at the end, after BOX_SECONDS (100) at the latest. Needs root, overlayfs, a cgroup v2 mount, systemd,
# dbus and util-linux; exit code 77 and one line without them.
set -eu
missing() { echo "no systemd here: $1"; exit 77; }
[ "$(id -u)" = 0 ] || missing "not root"
[ -x /lib/systemd/systemd ] || missing "systemd is not installed"
[ -e /lib/systemd/system/dbus.socket ] || missing "dbus is not installed"
grep -q overlay /proc/filesystems || missing "the kernel has no overlayfs"
unshare --cgroup --mount --pid --uts --ipc --fork true 2>/dev/null || missing "namespaces are not allowed"
MOUNT=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$MOUNT" ] || missing "no cgroup v2 file system is mounted"
BOX=$MOUNT/holdfast-test-$$
mkdir "$BOX" 2>/dev/null || missing "$MOUNT cannot be written"
CHECKOUT=$(readlink -f "$(dirname "$0")/../../..")
WORK=$(mktemp -d /tmp/holdfast-system.XXXXXX)
cleanup() {
  set +e
  echo 1 > "$BOX/cgroup.kill"
  for _ in $(seq 200); do grep -q 'populated 0' "$BOX/cgroup.events" && break; sleep .05; done
  find "$BOX" -depth -type d -exec rmdir {} \;
  rm -rf --one-file-system "$WORK"
}
trap cleanup EXIT
mkdir "$WORK/mount"
: > "$WORK/out"
{ echo '#!/bin/bash'; printf 'cd %q && exec' "$CHECKOUT"; printf ' %q' "$@"; echo; } > "$WORK/command"
chmod 755 "$WORK/command"
cat > "$WORK/inside" <<'INSIDE'
set -eu
WORK=$1 CHECKOUT=$2
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$WORK/mount"
mkdir "$WORK/mount/upper" "$WORK/mount/work" "$WORK/mount/root"
mount -t overlay -o "lowerdir=/,upperdir=$WORK/mount/upper,workdir=$WORK/mount/work" overlay "$WORK/mount/root"
R=$WORK/mount/root
mount -t proc proc "$R/proc"
mount -t sysfs -o ro sysfs "$R/sys" 2>/dev/null || mount --rbind -o ro /sys "$R/sys"
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 "$R/sys/fs/cgroup"
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$R/run"
mount -t tmpfs -o mode=1777 tmpfs "$R/tmp"
mount -t tmpfs -o mode=755 tmpfs "$R/dev"
for each in null zero full random urandom tty; do : > "$R/dev/$each"; mount --bind "/dev/$each" "$R/dev/$each"; done
mkdir "$R/dev/pts" "$R/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$R/dev/pts"
mount -t tmpfs tmpfs "$R/dev/shm"
ln -s pts/ptmx "$R/dev/ptmx"
ln -s null "$R/dev/console"
ln -s /proc/self/fd "$R/dev/fd"
for each in 0 1 2; do ln -s "/proc/self/fd/$each" "$R/dev/$(echo stdin stdout stderr | cut -d' ' -f$((each + 1)))"; done
mkdir -p "$R$CHECKOUT" "$R/run/payload" "$R/run/systemd/system" "$R$WORK"
mount --rbind "$CHECKOUT" "$R$CHECKOUT"
cp "$WORK/command" "$R/run/payload/command"
: > "$R$WORK/out"
mount --bind "$WORK/out" "$R$WORK/out"
cat > "$R/run/systemd/system/payload.service" <<UNIT
[Unit]
Requires=dbus.socket
After=dbus.socket basic.target
FailureAction=exit
SuccessAction=exit
[Service]
Type=oneshot
StandardOutput=file:$WORK/out
StandardError=inherit
ExecStart=/run/payload/command
UNIT
: > "$R/etc/fstab"
rm -f "$R/etc/machine-id"
echo 0123456789abcdef0123456789abcdef > "$R/etc/machine-id"
cd "$R"
mkdir -p run/old
pivot_root . run/old
umount -l /run/old
exec env -i container=holdfast PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  /lib/systemd/systemd --system --unit=payload.service --log-target=null --show-status=0
INSIDE
code=0
( echo $BASHPID > "$BOX/cgroup.procs"; exec timeout -k 10 "${BOX_SECONDS:-100}" unshare --cgroup --pid --fork --mount --uts --ipc --kill-child bash "$WORK/inside" "$WORK" "$CHECKOUT" < /dev/null > "$WORK/boot.log" 2>&1 ) || code=$?
cat "$WORK/out"
[ -s "$WORK/out" ] || tail -5 "$WORK/boot.log"
exit $code
