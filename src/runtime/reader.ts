import { outOfRange } from '../seam/errors.js';
import type { SubprocessReader } from '../seam/handle.js';
import type { CollectSpec } from '../seam/spec.js';
import { Growth } from './growth.js';
import type { Range } from './range.js';
import { spillPathOf } from './spills.js';

/** The reader of a collected stream. Holds the range, and with it the retained bytes, for as long as it is referenced. */
export function createReader(range: Range, stream: 1 | 2, spec: CollectSpec): SubprocessReader {
  const spill = (): { spillPath?: string } => {
    if (spec.spill === undefined) return {};
    const spillPath = spillPathOf(range, stream);
    return spillPath === undefined ? {} : { spillPath };
  };
  let growth: Growth | undefined;
  return {
    readFrom(fromByte) {
      const [text, nextOffset, lossy] = range.native.readText(stream, checkOffset(fromByte));
      return { text, nextOffset, lossy, ...spill() };
    },
    readBytes(fromByte) {
      const [bytes, nextOffset, lossy] = range.native.readBytes(stream, checkOffset(fromByte));
      return { bytes, nextOffset, lossy, ...spill() };
    },
    async changed(fromByte, options) {
      checkOffset(fromByte);
      growth ??= new Growth(range, stream);
      return growth.changed(fromByte, options?.bytes === true, options?.signal);
    },
  };
}

function checkOffset(offset: number): number {
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw outOfRange(`The offset must be a non-negative safe integer, as nextOffset gives it. Received ${String(offset)}`);
}
