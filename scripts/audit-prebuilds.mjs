// npm run audit:prebuilds [-- --stale-ok]: looks at prebuilds/ without running anything: each file is what its platform
// needs and holds nothing else (scripts/lib/audit), and what the manifest records.
// With --stale-ok a manifest of other sources is no fault (between two refreshes of the binaries).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { auditFiles } from './lib/audit.mjs';
import { describe, fits, readManifest } from './lib/manifest.mjs';
import { installPackages } from './lib/prepare.mjs';
import { targetFiles, TARGETS } from './lib/targets.mjs';
import { Failure, inRoot, main } from './lib/tools.mjs';

/** What differs between the files that are there, those of the targets, and those of the manifest. */
function manifestFaults(folder, manifest) {
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll('\\', '/'))
    .filter((name) => name !== 'manifest.json');
  const expected = new Set(TARGETS.flatMap(targetFiles));
  const found = describe(folder, there);
  return [
    ...there.filter((name) => !expected.has(name)).map((name) => `${name}: belongs to no target`),
    ...there.filter((name) => manifest.files[name]?.sha256 !== found[name].sha256).map((name) => `${name}: not what the manifest records`),
    ...Object.keys(manifest.files).filter((name) => !there.includes(name)).map((name) => `${name}: in the manifest, and not there`),
  ];
}

await main(() => {
  installPackages();
  const manifest = readManifest();
  if (!manifest) throw new Failure('there is no prebuilds/manifest.json; npm run prebuild makes it');
  const folder = inRoot('prebuilds');
  const faults = [...manifestFaults(folder, manifest), ...auditFiles(folder, TARGETS)];
  if (!fits() && !process.argv.includes('--stale-ok')) faults.push('manifest.json: made from other sources than those here');
  if (faults.length > 0) throw new Failure(`prebuilds/ has faults:\n  ${faults.join('\n  ')}`);
  console.log(`${Object.keys(manifest.files).length} files in prebuilds/ are as they should be.`);
});
