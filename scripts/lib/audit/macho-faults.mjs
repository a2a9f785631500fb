// How an addon for macOS must be.
import { systemFile } from '../zig.mjs';
import { readMacho } from './macho.mjs';
import { ENTRY, isNodeApi, unwanted } from './rules.mjs';

const OLDEST_MACOS = '11.0';
const ARM64 = 0x0100_000c;

/**
 * operator new and delete of zig's libc++: weak, and the same in every program; and the two names by which a library knows
 * itself, which zig's linker makes in each and does not hide. Nobody binds to them: every library has its own.
 */
const HARMLESS = /^(_(_Zn[wa]|_Zd[la])|___dso_handle$|__mh_dylib_header$)/;

export function machoFaults(bytes, target) {
  const macho = readMacho(bytes);
  const faults = [];
  if (macho.cpu !== target.machine) faults.push(`processor ${macho.cpu}, not ${target.machine}`);
  if (macho.type !== 6 && macho.type !== 8) faults.push('neither a library nor a bundle');
  if (macho.id !== undefined && macho.id !== '@rpath/holdfast.node') faults.push(`is called ${macho.id}`);
  if (macho.oldest?.join('.') !== OLDEST_MACOS) faults.push(`is for macOS ${macho.oldest?.join('.')}, not ${OLDEST_MACOS}`);
  faults.push(...unwanted(macho.libraries, target).map((library) => `needs ${library}`));
  const exported = macho.exported.filter((name) => !HARMLESS.test(name)).sort();
  if (exported.join() !== ENTRY.map((name) => `_${name}`).join()) faults.push(`exports ${exported.join(', ') || 'nothing'}`);
  const system = systemSymbols();
  for (const name of macho.unresolved) {
    if (!isNodeApi(name.slice(1)) && !system.has(name)) faults.push(`needs ${name}, which is neither Node-API 8 nor the system's`);
  }
  // An arm64 Mac runs nothing that is not signed; on x64 a signature is not asked for.
  if (macho.signature === undefined && target.machine === ARM64) faults.push('is not signed');
  if (macho.signature && !macho.signature.adhoc) faults.push('its signature is not ad hoc');
  if (macho.signature?.wrongPages.length > 0) faults.push(`its signature does not fit pages ${macho.signature.wrongPages.join(', ')}`);
  return faults;
}

let system;
/** What libSystem offers, by the list that zig links with. */
function systemSymbols() {
  return (system ??= new Set(systemFile('darwin', 'libSystem.tbd').match(/[\w$.]+/g)));
}
