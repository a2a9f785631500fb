# The short form of every benchmark, against the floors: a look for what has become slow, not a measurement.
# lane: tests
# deadline: 400
node bench/run.mjs --quick
node bench/check.mjs --quick
