// How an addon for Windows must be.
import { systemFile, systemFiles } from '../zig.mjs';
import { readPe } from './pe.mjs';
import { ENTRY, unwanted } from './rules.mjs';

const PROTECTIONS = { 'wide random addresses': 0x20, 'random addresses': 0x40, 'data that is not run': 0x100 };

/** zig's libunwind offers its own functions; nothing takes them from there. */
const HARMLESS = /^(_Unwind_|_?_?unw_|__libunwind|_GCC_specific_handler$)/;

/** Faults of an addon. */
export function peFaults(bytes, target) {
  const pe = readPe(bytes);
  const faults = commonFaults(pe, target);
  if (!pe.library) faults.push('not a DLL');
  const exported = pe.exported.filter((name) => !HARMLESS.test(name)).sort();
  if (exported.join() !== ENTRY.join()) faults.push(`exports ${exported.join(', ') || 'nothing'}`);
  return faults;
}

/** Faults of a program beside an addon. */
export function peProgramFaults(bytes, target) {
  const pe = readPe(bytes);
  return [...commonFaults(pe, target), ...(pe.library ? ['not a program'] : [])];
}

function commonFaults(pe, target) {
  const faults = [];
  if (pe.machine !== target.machine) faults.push(`machine ${pe.machine}, not ${target.machine}`);
  for (const [what, bit] of Object.entries(PROTECTIONS)) if ((pe.protections & bit) === 0) faults.push(`does without ${what}`);
  if (pe.delayed) faults.push('has delayed imports');
  // node.exe among them would bind the addon to a program of that name.
  faults.push(...unwanted(Object.keys(pe.imports), target).map((library) => `needs ${library}`));
  for (const [library, names] of Object.entries(pe.imports)) {
    const offered = offers(library);
    faults.push(...names.filter((name) => !offered.has(name)).map((name) => `needs ${name} of ${library}, which does not offer it`));
  }
  return faults;
}

/** What a library of Windows offers, by the list from which zig makes its import library. */
function offers(library) {
  const base = library.replace(/\.dll$/, '');
  const folder = ['mingw', 'lib-common'];
  const file = systemFiles(...folder).find((name) => name.toLowerCase() === `${base}.def` || name.toLowerCase() === `${base}.def.in`);
  const lines = file ? systemFile(...folder, file).split(/\r?\n/) : [];
  // `Name`, `Name@8`, `Name DATA`, `Name == other`, F64(Name): only the name counts, a stray word does no harm.
  return new Set(lines.flatMap((line) => line.match(/[\w?@$]+/g) ?? []).map((word) => word.replace(/@\d+$/, '')));
}
