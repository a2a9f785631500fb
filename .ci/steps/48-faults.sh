# Calls of native code that fail, each at a place drawn from the whole matrix; the seed is printed.
# lane: builds
# deadline: 600
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: faults are injected on x64 only"; exit 77; fi
node scripts/faults.mjs --sample 120
