# The other build system, in a copy (node-gyp empties build/), and the core of the suite on what it built.
# lane: builds
# deadline: 900
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$copy"
ln -s "$PWD/node_modules" "$copy/node_modules"
node .ci/build-gyp.mjs "$copy"
if [ -e build/Release/holdfast.node ]; then node .ci/same-exports.mjs build/Release/holdfast.node "$copy/build/Release/holdfast.node"; fi
cd "$copy"
node node_modules/typescript/bin/tsc -p tsconfig.json
node_modules/.bin/vitest run test/unit/native test/spec/01 test/spec/07 \
  --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/gyp.json"
