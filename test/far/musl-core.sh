# The native tests, with the engine and the warden's duties in them, compiled for musl by the cross compiler and run here: the
# program is static and needs nothing of this system.
NAME=musl-core
source test/far/common.sh
on_x64
packages cmake make doctest-dev
ZIG=$(node .ci/zig.mjs) || skip 'the cross compiler cannot be had'
# A folder with nothing else in it: the headers of this system are those of another C library.
mkdir -p "$FAR/include"
cp -r /usr/include/doctest "$FAR/include/"
export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig-cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig-cache
cmake -S . -B "$FAR/musl" -G 'Unix Makefiles' -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -DZIG="$ZIG" -DZIG_TARGET=x86_64-linux-musl \
  -DCMAKE_BUILD_TYPE=Release -DHOLDFAST_NATIVE_TESTS=ON -DHOLDFAST_DOCTEST="$FAR/include" > /dev/null
cmake --build "$FAR/musl" --parallel 2 --target holdfast-native-tests holdfast-warden > /dev/null
PROGRAM=$FAR/musl/holdfast-native-tests
! ldd "$PROGRAM" > /dev/null 2>&1 || { echo "$PROGRAM is not static"; exit 1; }
HOLDFAST_WARDEN_BINARY=$FAR/musl/Release/holdfast-warden "$PROGRAM" | tee "${CI_RESULTS:-$FAR_WORK}/native-musl.doctest"
passed
