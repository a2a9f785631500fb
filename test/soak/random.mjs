/** Numbers that are the same for the same seed; each job has its own, so that one can be played again alone. */
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  below(limit) {
    return Math.floor(this.next() * limit);
  }
  one(list) {
    return list[this.below(list.length)];
  }
}

/** Bytes `from` to `to` of what `dummy write` prints. */
export function pattern(from, to) {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let i = from; i < to; i++) bytes[i - from] = 33 + ((Math.imul(i >>> 0, 2654435761) >>> 24) % 94);
  return bytes;
}
