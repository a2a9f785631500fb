# Types of sources and tests, publint, attw.
# lane: tests
# deadline: 300
npm run --silent check
