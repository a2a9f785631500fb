# The Windows engine, compiled with mingw-w64 and run under Wine with a real node.exe. Wine is not Windows: docs/windows.md says
# what it cannot show.
# lane: builds
# deadline: 900
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: Wine is set up on x64 only"; exit 77; fi
if ! command -v x86_64-w64-mingw32-g++-posix >/dev/null; then
  apt-get install -y --no-install-recommends g++-mingw-w64-x86-64-posix >/dev/null 2>&1 || { echo "skipped: no compiler for Windows can be installed"; exit 77; }
fi
npm run --silent test:windows
