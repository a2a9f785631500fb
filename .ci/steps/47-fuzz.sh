# Each fuzz target for a while, under AddressSanitizer and UBSan.
# lane: builds
# deadline: 900
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
command -v clang++ > /dev/null && [ -e "$(clang++ -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] ||
  { "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 update && "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends clang libclang-rt-14-dev > /dev/null; } || {
  echo 'skipped: clang cannot be installed here'
  exit 77
}
node scripts/fuzz.mjs --seconds 20
