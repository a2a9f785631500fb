// As much of a little-endian 64-bit Mach-O file as an audit needs.
import { createHash } from 'node:crypto';

const LC = { symtab: 0x2, dylib: 0xc, id: 0xd, weakDylib: 0x8000_0018, signature: 0x1d, version: 0x32 };
const CODE_DIRECTORY = 0xfade_0c02;

/**
 * Facts of a Mach-O file: `cpu`, `type` (6 dylib, 8 bundle), `id` (install name), `libraries`, `oldest` (minos as
 * [major, minor]), `exported` and `unresolved` symbols, `signature` (undefined, or `adhoc` and the numbers of `wrongPages`
 * whose hash is not that of their bytes). Throws when the file is not such a Mach-O.
 */
export function readMacho(file) {
  if (file.length < 32 || file.readUInt32LE(0) !== 0xfeed_facf) throw new Error('not a little-endian 64-bit Mach-O file');
  const facts = {
    cpu: file.readUInt32LE(4), type: file.readUInt32LE(12), id: undefined, libraries: [], oldest: undefined,
    exported: [], unresolved: [], signature: undefined,
  };
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    const name = () => text(file, at + file.readUInt32LE(at + 8));
    if (command === LC.id) facts.id = name();
    if (command === LC.dylib || command === LC.weakDylib) facts.libraries.push(name());
    if (command === LC.version) facts.oldest = [file.readUInt16LE(at + 14), file[at + 13]];
    if (command === LC.symtab) Object.assign(facts, symbols(file, at));
    if (command === LC.signature) facts.signature = signature(file, file.readUInt32LE(at + 8));
    at += file.readUInt32LE(at + 4);
  }
  return facts;
}

function text(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}

// nlist_64: string offset, type, section, description, value. 1 is external, 0x10 private, 0x0e the kind, 0xe0 debugging.
function symbols(file, at) {
  const table = file.readUInt32LE(at + 8);
  const strings = file.readUInt32LE(at + 16);
  const exported = [];
  const unresolved = [];
  for (let index = 0; index < file.readUInt32LE(at + 12); index++) {
    const entry = table + index * 16;
    const type = file[entry + 4];
    if ((type & 1) === 0 || (type & 0xf0) !== 0) continue;
    ((type & 0x0e) === 0 ? unresolved : exported).push(text(file, strings + file.readUInt32LE(entry)));
  }
  return { exported, unresolved };
}

// Big-endian: a blob of blobs, of which one is the directory of hashes, a SHA-256 for each page up to the signature.
function signature(file, start) {
  for (let index = 0; index < file.readUInt32BE(start + 8); index++) {
    const directory = start + file.readUInt32BE(start + 12 + index * 8 + 4);
    if (file.readUInt32BE(directory) !== CODE_DIRECTORY) continue;
    const hashes = directory + file.readUInt32BE(directory + 16);
    const limit = file.readUInt32BE(directory + 32);
    const [hashSize, hashType, , pageBits] = file.subarray(directory + 36, directory + 40);
    if (hashSize !== 32 || hashType !== 2) throw new Error('its signature does not use SHA-256');
    const page = 2 ** pageBits;
    const wrongPages = [];
    for (let slot = 0; slot < file.readUInt32BE(directory + 28); slot++) {
      const bytes = file.subarray(slot * page, Math.min((slot + 1) * page, limit));
      const recorded = file.subarray(hashes + slot * 32, hashes + (slot + 1) * 32);
      if (!createHash('sha256').update(bytes).digest().equals(recorded)) wrongPages.push(slot);
    }
    return { adhoc: (file.readUInt32BE(directory + 12) & 2) !== 0, wrongPages };
  }
  throw new Error('its signature has no code directory');
}
