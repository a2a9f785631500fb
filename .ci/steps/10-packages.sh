# Debian packages and npm packages that the later steps need.
# lane: first
# deadline: 600
needed=(cmake make g++ git doctest-dev qemu-user-static libstdc++6-arm64-cross musl musl-dev zsh systemd dbus
  dbus-user-session chromium-headless-shell fonts-dejavu-core)
missing=()
for package in "${needed[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 update
  "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${missing[@]}" > /dev/null
fi
npm ci --no-audit --no-fund
