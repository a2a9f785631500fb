# The addon itself under the sanitizers, in a Node that is not: their libraries are preloaded, and what they say of code
# that they have not compiled is left out.
# lane: builds
# deadline: 1200
node node_modules/typescript/bin/tsc -p tsconfig.json --outDir build/beside/dist
run() { # sanitizer, library, options
  local folder="build/native-${1/,/-}"
  cmake --build "$folder" --parallel 2 --target holdfast | tail -n 1
  # -R for the reason given in scripts/test-native.mjs.
  env "$3" LD_PRELOAD="$(g++ -print-file-name="$2")" HOLDFAST_BINDING="$PWD/$folder/Release/holdfast.node" \
    setarch -R node .ci/sanitized-host.mjs "$PWD/build/beside/dist"
}
# Node does not give its memory back at its end: leaks are the specification's business (it counts memory).
run address,undefined libasan.so ASAN_OPTIONS=detect_leaks=0
run thread libtsan.so "TSAN_OPTIONS=ignore_noninstrumented_modules=1 halt_on_error=1"
