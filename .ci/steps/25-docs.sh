# Spelling of what users read, and the reference of every public name: typedoc's warnings are errors. Links, blocks and
# examples are tests of the suite (test/docs).
# lane: tests
# deadline: 300
npm run --silent docs:spelling
npm run --silent docs:api
