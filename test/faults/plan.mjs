// The plan of test/faults/plan.h, written by the test and mapped by whom it is for. Offsets are those of the struct.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const HOST_AT = 72, NAMES = 128, ROW = 48;
const WARDEN_AT = HOST_AT + NAMES * ROW, NUMBERS = 512;
const SIZE = WARDEN_AT + NUMBERS * 4;
const SIDES = { host: 1, warden: 2 };

export class Plan {
  constructor(path) {
    this.fd = openSync(path, 'w+');
    this.clear();
  }
  /** Nothing fails, and all counts are zero. */
  clear() {
    writeSync(this.fd, Buffer.alloc(SIZE), 0, SIZE, 0);
  }
  /** From now on the `index`th call fails with `error`; index 0: every second one; error 0: it is short. */
  arm({ side, call, number, index, error }) {
    const head = Buffer.alloc(HOST_AT);
    head.writeUInt32LE(SIDES[side], 4);
    head.write(call.slice(0, 43), 8);
    head.writeUInt32LE(number ?? 0, 52);
    head.writeUInt32LE(index, 56);
    head.writeInt32LE(error, 60);
    writeSync(this.fd, head, 0, HOST_AT, 0);
    writeSync(this.fd, Buffer.from([1, 0, 0, 0]), 0, 4, 0);
  }
  disarm() {
    writeSync(this.fd, Buffer.alloc(4), 0, 4, 0);
  }
  get fired() {
    return this.read().readUInt32LE(68);
  }
  /** How often each call was made: by name on the host's side, by number on the warden's. */
  counts() {
    const bytes = this.read();
    const host = {}, warden = {};
    for (let row = 0; row < NAMES; row++) {
      const at = HOST_AT + row * ROW;
      const name = bytes.toString('latin1', at, at + 44).replace(/\0.*$/s, '');
      if (name !== '') host[name] = bytes.readUInt32LE(at + 44);
    }
    for (let number = 0; number < NUMBERS; number++) {
      const count = bytes.readUInt32LE(WARDEN_AT + number * 4);
      if (count > 0) warden[number] = count;
    }
    return { host, warden };
  }
  close() {
    closeSync(this.fd);
  }
  read() {
    const bytes = Buffer.alloc(SIZE);
    readSync(this.fd, bytes, 0, SIZE, 0);
    return bytes;
  }
}
