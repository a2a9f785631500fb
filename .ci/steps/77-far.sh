# Systems that are far from this one and quick to reach: see scripts/test-far.mjs. The rest by `npm run test:far`.
# lane: builds
# deadline: 900
npm run --silent test:far -- --quick
