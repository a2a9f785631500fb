// npm run prebuild:verify [-- --stale-ok]: audits prebuilds/ without running anything: right processor and libraries, old
// enough glibc, nothing exported but the entry, nothing of the building machine inside, and what the manifest records.
// With --stale-ok a manifest of other sources is no fault (between two refreshes of the binaries).
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readElf } from './lib/elf.mjs';
import { inputHash, sha256 } from './lib/inputs.mjs';
import { installPackages } from './lib/prepare.mjs';
import { fileName, TARGETS } from './lib/targets.mjs';
import { Failure, inRoot, main, root } from './lib/tools.mjs';

const ENTRY = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const OLDEST_GLIBC = [2, 28];

const newerThan = ([major, minor], [ofMajor, ofMinor]) => major > ofMajor || (major === ofMajor && minor > ofMinor);

/** Faults of both kinds of file. */
function common(bytes, elf, machine) {
  const faults = [];
  if (elf.machine !== machine) faults.push(`machine ${elf.machine}, not ${machine}`);
  if (elf.executableStack) faults.push('asks for an executable stack');
  if (elf.writableCode) faults.push('has a segment that is writable and executable');
  for (const path of [root, homedir()]) {
    if (path.length > 1 && bytes.includes(`${path}/`)) faults.push(`contains a path of the building machine (${path})`);
  }
  return faults;
}

function addonFaults(bytes, target, warden) {
  const elf = readElf(bytes);
  const faults = common(bytes, elf, target.machine);
  if (elf.type !== 3) faults.push('not a shared object');
  if (!elf.nodelete) faults.push('may be unmapped while its threads run (no NODELETE)');
  for (const library of elf.needed) if (!target.needed.includes(library)) faults.push(`needs ${library}`);
  for (const version of elf.versions) {
    const glibc = /^GLIBC_(\d+)\.(\d+)/.exec(version);
    if (!glibc) faults.push(`needs symbols of ${version}`);
    else if (newerThan(glibc.slice(1).map(Number), OLDEST_GLIBC)) faults.push(`needs ${version}`);
  }
  if ([...elf.exported].sort().join() !== ENTRY.join()) faults.push(`exports ${elf.exported.join(', ') || 'nothing'}`);
  const { js_native_api_symbols: js, node_api_symbols: node } = createRequire(import.meta.url)('node-api-headers').symbols.v8;
  for (const symbol of elf.undefined) {
    if (/^(napi|node_api)_/.test(symbol) && ![...js, ...node].includes(symbol)) faults.push(`uses ${symbol}, newer than Node-API 8`);
    if (symbol.startsWith('uv_')) faults.push(`uses ${symbol} of libuv`);
  }
  if (!bytes.includes(warden)) faults.push('embeds another warden than the file beside it');
  return faults;
}

function wardenFaults(bytes, target, mode) {
  const elf = readElf(bytes);
  const faults = common(bytes, elf, target.machine);
  if (elf.type !== 2) faults.push('not an executable');
  if (elf.interpreter || elf.dynamic) faults.push('not static');
  if ((mode & 0o777) !== 0o755) faults.push(`mode ${(mode & 0o777).toString(8)}, not 755`);
  return faults;
}

await main(() => {
  installPackages();
  const folder = inRoot('prebuilds');
  const manifestFile = join(folder, 'manifest.json');
  if (!existsSync(manifestFile)) throw new Failure('there is no prebuilds/manifest.json; npm run prebuild:all makes it');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const faults = [];
  const inputs = inputHash();
  if (manifest.inputs !== inputs && !process.argv.includes('--stale-ok')) {
    faults.push(`manifest.json: made from other sources (inputs ${manifest.inputs}, here ${inputs})`);
  }

  const expected = new Set();
  for (const target of TARGETS) {
    const wardenName = `${target.tuple}/holdfast-warden`;
    const addonName = `${target.tuple}/${fileName(target)}`;
    expected.add(wardenName).add(addonName);
    const missing = [wardenName, addonName].filter((name) => !existsSync(join(folder, name)));
    faults.push(...missing.map((name) => `${name}: not there`));
    if (missing.length > 0) continue;
    const warden = readFileSync(join(folder, wardenName));
    faults.push(...wardenFaults(warden, target, statSync(join(folder, wardenName)).mode).map((fault) => `${wardenName}: ${fault}`));
    faults.push(...addonFaults(readFileSync(join(folder, addonName)), target, warden).map((fault) => `${addonName}: ${fault}`));
  }

  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!entry.isFile() || name === 'manifest.json') continue;
    if (!expected.has(name)) faults.push(`${name}: belongs to no target`);
    if (manifest.files[name]?.sha256 !== sha256(readFileSync(join(folder, name)))) faults.push(`${name}: not what the manifest records`);
  }
  if (faults.length > 0) throw new Failure(`the prebuilt binaries have faults:\n  ${[...new Set(faults)].join('\n  ')}`);
  console.log(`${expected.size} files in prebuilds/ are as they should be.`);
});
