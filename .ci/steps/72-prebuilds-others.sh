# The binaries for the other platforms, built and audited, when the committed ones are not of these sources: then nobody has
# built them yet.
# lane: builds
# deadline: 2700
if [ ! -e prebuilds/manifest.json ]; then echo "skipped: no prebuilds/ in this checkout"; exit 77; fi
if node .ci/prebuilt-fits.mjs; then echo "skipped: the native sources are those of prebuilds/"; exit 77; fi
node scripts/prebuild.mjs $(node .ci/other-targets.mjs)
