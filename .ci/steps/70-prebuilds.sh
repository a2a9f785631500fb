# The committed binaries: audited without running them; the one for this platform built again and compared.
# lane: builds
# deadline: 1500
if [ ! -e prebuilds/manifest.json ]; then echo "skipped: no prebuilds/ in this checkout"; exit 77; fi
if node .ci/prebuilt-fits.mjs; then
  node scripts/verify-prebuilds.mjs
  node scripts/prebuild-all.mjs --compare linux-x64.glibc
else
  echo "prebuilds/ is of other sources: its files are audited, not compared"
  node scripts/verify-prebuilds.mjs --stale-ok
fi
