# The package as a stranger gets it: packed, installed in empty folders by package managers with scripts blocked, imported,
# required, bundled, made into one executable, and used in other runtimes. `npm run test:install -- --all` does more.
# lane: tests
# deadline: 900
npm run --silent test:install
