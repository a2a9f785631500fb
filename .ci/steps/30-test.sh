# The whole suite on the Node that is here, as a user runs it.
# deadline: 900
npm test -- --reporter=default --reporter=json --outputFile.json="$CI_RESULTS/test.json"
