#!/bin/bash
# user-manager.sh USER COMMAND…
#
# Runs the command as USER beside a `systemd --user` of its own, in mount, cgroup and pid namespaces and in one cgroup that
# is emptied at the end. USER_MANAGER_PID names the manager.
# Needs root, a cgroup v2 mount, systemd, dbus-user-session and util-linux; exit code 77 and one line without them.
set -eu
missing() { echo "no systemd user manager here: $1"; exit 77; }
[ "$(id -u)" = 0 ] || missing "not root"
[ -x /lib/systemd/systemd ] || missing "systemd is not installed"
[ -e /usr/lib/systemd/user/dbus.socket ] || missing "dbus-user-session is not installed"
unshare --cgroup --mount --pid --fork true 2>/dev/null || missing "namespaces are not allowed"
MOUNT=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$MOUNT" ] || missing "no cgroup v2 file system is mounted"
BOX=$MOUNT/holdfast-test-$$
mkdir "$BOX" 2>/dev/null || missing "$MOUNT cannot be written"
WORK=$(mktemp -d /tmp/holdfast-manager.XXXXXX) # the caller's TMPDIR may be closed to the user
cleanup() {
  set +e
  echo 1 > "$BOX/cgroup.kill"
  for _ in $(seq 200); do grep -q 'populated 0' "$BOX/cgroup.events" && break; sleep .05; done
  find "$BOX" -depth -type d -exec rmdir {} \;
  rm -rf --one-file-system "$WORK"
}
trap cleanup EXIT
chmod 755 "$WORK"
mkdir "$BOX/session"
cat > "$WORK/inside" <<'INSIDE'
set -eu
WORK=$1 NAME=$2
shift 2
mount --make-rprivate /
GROUPS_AT=/sys/fs/cgroup
mount -t cgroup2 cgroup2 "$GROUPS_AT"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system "$WORK/run" "$WORK/home"
mount -t tmpfs -o "mode=700,uid=$(id -u "$NAME"),gid=$(id -g "$NAME")" tmpfs "$WORK/run"
chown "$NAME" "$WORK/home"
delegate() { chown "$NAME" "$1" "$1/cgroup.procs" "$1/cgroup.subtree_control" "$1/cgroup.threads"; }
delegate "$GROUPS_AT"
MANAGER_GROUP=$GROUPS_AT/user@$(id -u "$NAME").service # as PID 1 names it
mkdir "$MANAGER_GROUP"
for each in "$MANAGER_GROUP" "$GROUPS_AT/session"; do delegate "$each"; done
export TMPDIR=/tmp XDG_RUNTIME_DIR=$WORK/run DBUS_SESSION_BUS_ADDRESS=unix:path=$WORK/run/bus HOME=$WORK/home
as_user() { exec setpriv --reuid="$NAME" --regid="$(id -g "$NAME")" --init-groups "$@"; }
( echo $BASHPID > "$MANAGER_GROUP/cgroup.procs"; as_user /lib/systemd/systemd --user --log-target=console ) > "$WORK/manager.log" 2>&1 &
export USER_MANAGER_PID=$!
for _ in $(seq 500); do [ -S "$WORK/run/bus" ] && [ -S "$WORK/run/systemd/private" ] && break; sleep .02; done
[ -S "$WORK/run/bus" ] || { tail -5 "$WORK/manager.log"; exit 77; }
code=0
( echo $BASHPID > "$GROUPS_AT/session/cgroup.procs"; as_user "$@" ) || code=$?
exit $code
INSIDE
code=0
( echo $BASHPID > "$BOX/cgroup.procs"; exec unshare --cgroup --mount --pid --fork --mount-proc --kill-child bash "$WORK/inside" "$WORK" "$@" ) || code=$?
exit $code
