# The Windows engine (the file in prebuilds/ where it is of these sources) under Wine with a real node.exe. Wine is not Windows: docs/windows.md says
# what it cannot show.
# lane: builds
# deadline: 1500
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: Wine is set up on x64 only"; exit 77; fi
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
missing=()
command -v x86_64-w64-mingw32-g++-posix > /dev/null || missing+=(g++-mingw-w64-x86-64-posix)
command -v patchelf > /dev/null || missing+=(patchelf)
if [ ${#missing[@]} -gt 0 ]; then
  { "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 update && "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${missing[@]}" > /dev/null; } || {
    echo "skipped: ${missing[*]} cannot be installed here (it needs root or sudo without a password, apt and the network)"
    exit 77
  }
fi
npm run --silent test:windows
