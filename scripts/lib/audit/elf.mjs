// As much of a little-endian 64-bit ELF file as an audit needs. Reads sections, which our linkers keep.
const SHT = { dynamic: 6, dynsym: 11, verneed: 0x6ffffffe, versym: 0x6fffffff };
const PT = { load: 1, interp: 3, stack: 0x6474e551 };
const DT = { needed: 1n, flags1: 0x6ffffffbn };
const DF_1_NODELETE = 0x8n;
const STB_WEAK = 2;

/**
 * Facts of an ELF file: `type` (2 executable, 3 shared object), `machine`, `interpreter` (present or not), `dynamic`
 * (likewise), `needed` libraries, `versions` of needed symbols, `exported` dynamic symbols, `unresolved` ones that must come
 * from elsewhere (`name`, and whether a version says from where), `nodelete`, `executableStack`, `writableCode`. Throws when
 * the file is not such an ELF.
 */
export function readElf(file) {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) {
    throw new Error('not a little-endian 64-bit ELF file');
  }
  const segments = table(file, 32, 54, 56, (at) => ({ type: file.readUInt32LE(at), flags: file.readUInt32LE(at + 4) }));
  const sections = table(file, 40, 58, 60, (at) => ({
    type: file.readUInt32LE(at + 4),
    offset: Number(file.readBigUInt64LE(at + 24)),
    size: Number(file.readBigUInt64LE(at + 32)),
    link: file.readUInt32LE(at + 40),
    count: file.readUInt32LE(at + 44), // sh_info
  }));
  const find = (type) => sections.find((section) => section.type === type);
  const name = (section, offset) => string(file, sections[section.link].offset + offset);
  const dynamic = entries(file, find(SHT.dynamic), 16, (at) => [file.readBigUInt64LE(at), file.readBigUInt64LE(at + 8)]);
  const versionOf = entries(file, find(SHT.versym), 2, (at) => file.readUInt16LE(at) & 0x7fff);
  const symbols = entries(file, find(SHT.dynsym), 24, (at, index) => ({
    name: name(find(SHT.dynsym), file.readUInt32LE(at)),
    weak: file[at + 4] >> 4 === STB_WEAK,
    defined: file.readUInt16LE(at + 6) !== 0,
    versioned: (versionOf[index] ?? 0) > 1,
  })).filter((symbol) => symbol.name !== '');
  return {
    type: file.readUInt16LE(16),
    machine: file.readUInt16LE(18),
    interpreter: segments.some(({ type }) => type === PT.interp),
    dynamic: find(SHT.dynamic) !== undefined,
    executableStack: segments.some(({ type, flags }) => type === PT.stack && (flags & 1) !== 0),
    writableCode: segments.some(({ type, flags }) => type === PT.load && (flags & 3) === 3),
    nodelete: dynamic.some(([tag, value]) => tag === DT.flags1 && (value & DF_1_NODELETE) !== 0n),
    needed: dynamic.filter(([tag]) => tag === DT.needed).map(([, value]) => name(find(SHT.dynamic), Number(value))),
    versions: versions(file, find(SHT.verneed), name),
    exported: symbols.filter(({ defined }) => defined).map((symbol) => symbol.name),
    unresolved: symbols.filter(({ defined, weak }) => !defined && !weak),
  };
}

function table(file, offsetAt, sizeAt, countAt, read) {
  const start = Number(file.readBigUInt64LE(offsetAt));
  const size = file.readUInt16LE(sizeAt);
  return Array.from({ length: file.readUInt16LE(countAt) }, (_, index) => read(start + index * size));
}

function entries(file, section, size, read) {
  if (section === undefined) return [];
  return Array.from({ length: section.size / size }, (_, index) => read(section.offset + index * size, index));
}

function string(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}

// Elf64_Verneed: version, count, file, aux, next; Elf64_Vernaux: hash, flags, other, name, next. Chained by offsets.
function versions(file, section, name) {
  const found = [];
  let need = section?.offset;
  for (let left = section?.count ?? 0; left > 0; left--) {
    let aux = need + file.readUInt32LE(need + 8);
    for (let each = file.readUInt16LE(need + 2); each > 0; each--) {
      found.push(name(section, file.readUInt32LE(aux + 8)));
      aux += file.readUInt32LE(aux + 12);
    }
    need += file.readUInt32LE(need + 12);
  }
  return found;
}
