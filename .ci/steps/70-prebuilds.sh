# The committed binaries: as the manifest records them, audited without running them, and those for this platform built again
# from the sources and compared byte for byte.
# lane: builds
# deadline: 1500
if [ ! -e prebuilds/manifest.json ]; then echo "skipped: no prebuilds/ in this checkout"; exit 77; fi
if node .ci/prebuilt-fits.mjs; then
  node scripts/audit-prebuilds.mjs
  node scripts/prebuild.mjs --compare linux-x64
else
  echo "prebuilds/ is of other sources: its files are audited, and the sources are built, not compared"
  node scripts/audit-prebuilds.mjs --stale-ok
  node scripts/prebuild.mjs linux-x64
fi
