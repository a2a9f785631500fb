# The short form of every benchmark, against the floors: a look for what has become slow, not a measurement. What is
# below is asked once more, because something else may have run beside it.
# lane: tests
# deadline: 900
rm -rf build/bench/results # what crashes must not be judged by an earlier run
node bench/run.mjs --quick || echo "what failed is asked again below"
missed=$(node bench/check.mjs --quick --missed)
[ -z "$missed" ] || node bench/run.mjs --quick $missed # words: a name each
node bench/check.mjs --quick
