# The bad worlds of the owners once more for `scope`, as root in a service of a systemd of its own.
# lane: tests
# deadline: 600
export BOX_SECONDS=500
files=(21 22 23 24 25 26 27 28 29)
test/support/systemd/system-manager.sh env HOLDFAST_TEST_OWNERS=scope CI=1 "$(command -v node)" node_modules/vitest/vitest.mjs run \
  "${files[@]/#/test/spec/}" --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/scope.json"
