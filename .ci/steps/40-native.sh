# The native tests as they are, then under AddressSanitizer with UBSan, then under ThreadSanitizer.
# lane: builds
# deadline: 2400
failed=0
for sanitize in '' address,undefined thread; do
  suite=native${sanitize:+-${sanitize/,/-}}
  node scripts/test-native.mjs --sanitize="$sanitize" 2>&1 | tee "$CI_RESULTS/$suite.doctest" || failed=1
done
exit $failed
