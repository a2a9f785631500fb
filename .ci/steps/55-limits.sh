# Limits on a kernel whose cgroup v2 has the controllers: Debian's, under qemu, without systemd (cgroup) and with it (scope).
# CI machines often have the controllers in version 1.
# lane: tests
# deadline: 1500
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends qemu-system-x86 cpio busybox-static systemd dbus > /dev/null || {
  echo 'skipped: qemu cannot be installed here'
  exit 77
}
folder=build/kernel
mkdir -p "$folder"
if ! ls "$folder"/boot/vmlinuz-* > /dev/null 2>&1; then
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
  (cd "$folder" && apt-get -qq download "$package" && dpkg-deb -x "$package"_*.deb .) || {
    echo 'skipped: no kernel package can be had here'
    exit 77
  }
fi
HOLDFAST_TEST_KERNEL=$(ls -d "$PWD/$folder"/boot/vmlinuz-* | tail -n 1) node_modules/.bin/vitest run test/spec/36 \
  --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/limits.json"
