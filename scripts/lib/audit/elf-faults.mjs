// How an addon and a warden for Linux must be.
import { systemFile } from '../zig.mjs';
import { readElf } from './elf.mjs';
import { ENTRY, isNodeApi, unwanted } from './rules.mjs';

const OLDEST_GLIBC = [2, 28];
const newerThan = ([major, minor], [ofMajor, ofMinor]) => major > ofMajor || (major === ofMajor && minor > ofMinor);

function layoutFaults(elf, { machine }) {
  const faults = [];
  if (elf.machine !== machine) faults.push(`machine ${elf.machine}, not ${machine}`);
  if (elf.executableStack) faults.push('asks for an executable stack');
  if (elf.writableCode) faults.push('has a segment that is writable and executable');
  return faults;
}

/** Faults of an addon. */
export function elfFaults(bytes, target) {
  const elf = readElf(bytes);
  const faults = layoutFaults(elf, target);
  if (elf.type !== 3) faults.push('not a shared object');
  if (!elf.nodelete) faults.push('may be unmapped while its threads run (no NODELETE)');
  faults.push(...unwanted(elf.needed, target).map((library) => `needs ${library}`));
  for (const version of elf.versions) {
    const glibc = /^GLIBC_(\d+)\.(\d+)/.exec(version);
    if (!glibc) faults.push(`needs symbols of ${version}`);
    else if (newerThan(glibc.slice(1).map(Number), OLDEST_GLIBC)) faults.push(`needs ${version}`);
  }
  if ([...elf.exported].sort().join() !== ENTRY.join()) faults.push(`exports ${elf.exported.join(', ') || 'nothing'}`);
  // glibc's symbols have versions, which were looked at above; musl's have none.
  const system = target.libc === 'musl' ? muslSymbols() : new Set();
  for (const { name, versioned } of elf.unresolved) {
    if (!versioned && !isNodeApi(name) && !system.has(name)) faults.push(`needs ${name}, which is neither Node-API 8 nor the system's`);
  }
  return faults;
}

/** Faults of a warden: it runs where nothing else of ours may be, so it needs nothing. */
export function wardenFaults(bytes, target) {
  const elf = readElf(bytes);
  const faults = layoutFaults(elf, target);
  if (elf.type !== 2) faults.push('not an executable');
  if (elf.interpreter || elf.dynamic) faults.push('not static');
  return faults;
}

let musl;
/** What musl offers, by the list from which zig makes the library that it links with. */
function muslSymbols() {
  return (musl ??= new Set([...systemFile('musl', 'libc.S').matchAll(/^(?:\.globl|\.weak|WEAK\w*) (\w+)/gm)].map(([, name]) => name)));
}
