# The whole suite on the Node that is here, as a user runs it.
# lane: tests
# deadline: 1500
npm test -- --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/test.json"
