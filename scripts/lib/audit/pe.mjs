// As much of a 64-bit PE file as an audit needs.
const DIRECTORY = { exports: 0, imports: 1, delayed: 13 };

/**
 * Facts of a PE file: `machine`, `library` (a DLL), `protections` (DllCharacteristics), `time` (of the build, in the header),
 * `imports` (library in lower case → names), `delayed` (whether it has delayed imports), `exported` names. Throws when the
 * file is not such a PE.
 */
export function readPe(file) {
  const header = file.length > 64 && file.readUInt16LE(0) === 0x5a4d ? file.readUInt32LE(60) : 0;
  if (header === 0 || file.readUInt32LE(header) !== 0x4550 || file.readUInt16LE(header + 24) !== 0x20b) throw new Error('not a 64-bit PE file');
  const optional = header + 24;
  const sections = Array.from({ length: file.readUInt16LE(header + 6) }, (_, index) => {
    const at = optional + file.readUInt16LE(header + 20) + index * 40;
    return { size: file.readUInt32LE(at + 8), address: file.readUInt32LE(at + 12), offset: file.readUInt32LE(at + 20) };
  });
  const place = (address) => {
    const section = sections.find((each) => address >= each.address && address < each.address + each.size);
    if (!section) throw new Error(`address ${address} is in no section`);
    return address - section.address + section.offset;
  };
  const directory = (index) => file.readUInt32LE(optional + 112 + index * 8);
  const text = (address) => {
    const at = place(address);
    return file.toString('latin1', at, file.indexOf(0, at));
  };
  return {
    machine: file.readUInt16LE(header + 4),
    time: file.readUInt32LE(header + 8),
    library: (file.readUInt16LE(header + 22) & 0x2000) !== 0,
    protections: file.readUInt16LE(optional + 70),
    imports: imports(file, directory(DIRECTORY.imports), place, text),
    delayed: directory(DIRECTORY.delayed) !== 0,
    exported: exported(file, directory(DIRECTORY.exports), place, text),
  };
}

function imports(file, table, place, text) {
  const found = {};
  if (table === 0) return found;
  for (let at = place(table); file.readUInt32LE(at + 12) !== 0; at += 20) {
    const library = text(file.readUInt32LE(at + 12)).toLowerCase();
    const names = (found[library] ??= []);
    // The list of names; where a linker leaves it out, the addresses hold the same.
    for (let each = place(file.readUInt32LE(at) || file.readUInt32LE(at + 16)); ; each += 8) {
      const entry = file.readBigUInt64LE(each);
      if (entry === 0n) break;
      names.push(entry >> 63n ? `ordinal ${entry & 0xffffn}` : text(Number(entry) + 2));
    }
  }
  return found;
}

function exported(file, table, place, text) {
  if (table === 0) return [];
  const at = place(table);
  const names = place(file.readUInt32LE(at + 32));
  return Array.from({ length: file.readUInt32LE(at + 24) }, (_, index) => text(file.readUInt32LE(names + index * 4)));
}
