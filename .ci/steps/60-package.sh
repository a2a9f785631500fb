# The package as a stranger gets it: packed, installed in an empty folder by npm with scripts blocked and by pnpm, which
# refuses more by itself, then used from ESM, by require() and as a command.
# lane: tests
# deadline: 300
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" > /dev/null
tar -xzf "$work"/holdfast-*.tgz -C "$work"
if ! node .ci/prebuilt-fits.mjs; then
  # Between two refreshes of prebuilds/ the binary compiled here takes the place of the one for this platform.
  echo "prebuilds/ is of other sources: packing the binary of build/Release instead"
  mkdir -p "$work/package/prebuilds/linux-x64"
  cp build/Release/holdfast.node "$work/package/prebuilds/linux-x64/holdfast.glibc.node"
  cp build/Release/holdfast-warden "$work/package/prebuilds/linux-x64/holdfast-warden"
  rm "$work"/holdfast-*.tgz
  npm pack --silent --pack-destination "$work" "$work/package" > /dev/null
fi
smoke="$PWD/.ci/package-smoke.mjs"

try() { # name, command that installs the packages it is given
  mkdir "$work/$1"
  cd "$work/$1"
  echo '{ "name": "user", "private": true, "type": "module" }' > package.json
  cp "$smoke" smoke.mjs
  "${@:2}" "$work"/holdfast-*.tgz 2>&1 | tee install.log
  if grep -i script install.log; then echo "the installation by $1 speaks of scripts"; exit 1; fi
  node smoke.mjs
  [ "$(node_modules/.bin/holdfast run -- echo through the command 2> /dev/null)" = "through the command" ]
}
try npm npm install --ignore-scripts --no-audit --no-fund
try pnpm npx --yes pnpm@10.34.9 add --store-dir "$work/store"
