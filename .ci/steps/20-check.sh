# Types of sources and tests, publint, attw.
# deadline: 300
npm run --silent check
