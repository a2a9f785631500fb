# clang-tidy over the core and what POSIX systems share (all sources: npm run tidy), memcheck over the tests of the core, and
# their coverage.
# lane: builds
# deadline: 600
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
export DEBIAN_FRONTEND=noninteractive
command -v clang-tidy valgrind clang++ llvm-cov > /dev/null && [ "$(command -v clang-tidy valgrind clang++ llvm-cov | wc -l)" -eq 4 ] ||
  { "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 update && "${as_root[@]}" apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends clang clang-tidy llvm valgrind > /dev/null; } || {
  echo 'skipped: clang-tidy and valgrind cannot be installed here'
  exit 77
}
node scripts/tidy.mjs native/core native/platform/posix
node scripts/test-native.mjs --valgrind 2>&1 | tee "$CI_RESULTS/valgrind.doctest"
node scripts/coverage.mjs native
