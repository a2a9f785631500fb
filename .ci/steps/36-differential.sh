# Random specifications, on ours, on child_process and on execa; the seed is printed.
# lane: tests
# deadline: 120
node scripts/differential.mjs --specs 400
