# Holdfast under the name of the harness's own provider: both packages packed, installed by npm and by pnpm beside the real
# harness packages, and composed by that name.
# lane: tests
# deadline: 600
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node .ci/pack.mjs "$work" > /dev/null
npm pack --silent --pack-destination "$work" "$root/compat/dsh-subprocess-local" > /dev/null

try() { # name, command that installs what package.json asks for
  mkdir "$work/$1"
  cd "$work/$1"
  node "$root/.ci/compat-manifest.mjs" "$work"/holdfast-[0-9]*.tgz "$work"/holdfast-dsh-subprocess-local-*.tgz > package.json
  cp "$root/.ci/compat-smoke.mjs" smoke.mjs
  "${@:2}"
  node smoke.mjs
}
try npm npm install --ignore-scripts --no-audit --no-fund
try pnpm npx --yes pnpm@10.34.9 install --store-dir "$work/store"
