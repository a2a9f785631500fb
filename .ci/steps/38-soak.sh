# A minute of everything in any mixture, with a look at what it leaves each second; the seed is printed.
# lane: tests
# deadline: 300
node scripts/soak.mjs --minutes 1
