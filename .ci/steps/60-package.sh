# The package as a stranger gets it: packed, installed with scripts blocked in an empty folder, used from ESM, by
# require() and as a command.
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
mkdir "$work/user"
echo '{ "name": "user", "private": true, "type": "module" }' > "$work/user/package.json"
cp .ci/package-smoke.mjs "$work/user/smoke.mjs"
cd "$work/user"
npm install --ignore-scripts --no-audit --no-fund "$work"/holdfast-*.tgz 2>&1 | tee install.log
if grep -i script install.log; then echo "the installation speaks of scripts"; exit 1; fi
node smoke.mjs
[ "$(npx --no-install holdfast run -- echo through the command 2> /dev/null)" = "through the command" ]
