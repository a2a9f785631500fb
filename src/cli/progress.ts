import type { WriteStream } from 'node:tty';
import { formatBytes, formatRate, formatTime } from './units.js';

/** What one progress line shows. */
export interface ProgressFacts {
  readonly elapsedMs: number;
  /** Bytes of output so far. */
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** Live processes of the range, undefined until they have been counted once. */
  readonly members: number | undefined;
  /** Bytes that they have resident, undefined until then. */
  readonly memoryBytes: number | undefined;
}

/** A look at the live processes. */
export interface Counted {
  readonly members: number;
  readonly memoryBytes: number;
}

/** One line of at most `columns` − 1 characters: a full line would make the terminal wrap and leave remains behind. */
export function progressLine(facts: ProgressFacts, columns: number): string {
  const parts = [formatTime(facts.elapsedMs), formatBytes(facts.bytes), formatRate(facts.bytesPerSecond)];
  if (facts.members !== undefined) parts.push(facts.members === 1 ? '1 process' : `${facts.members} processes`);
  if (facts.memoryBytes !== undefined) parts.push(`${formatBytes(facts.memoryBytes)} of memory`);
  return parts.join(' · ').slice(0, Math.max(0, columns - 1));
}

const DRAW_MS = 200;
const COUNT_MS = 1000;

/** A live line at the bottom of a terminal. It never keeps the event loop alive. */
export class Progress {
  private readonly terminal: WriteStream;
  private readonly bytes: () => number;
  private readonly count: () => Promise<Counted>;
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private counted: Counted | undefined;
  private counting = false;
  private countedAt = -Infinity;
  private last: { at: number; bytes: number };
  private rate = 0;
  private shown = false;
  private atLineStart = true;

  /**
   * @param bytes how much output there was so far; must be cheap.
   * @param count looks at the live processes; a rejection leaves the numbers away.
   */
  constructor(terminal: WriteStream, bytes: () => number, count: () => Promise<Counted>) {
    this.terminal = terminal;
    this.bytes = bytes;
    this.count = count;
    this.last = { at: this.started, bytes: 0 };
    this.timer = setInterval(() => this.draw(), DRAW_MS);
    this.timer.unref();
  }

  /** Takes the line away so that something else can be written; the next tick draws it again below. */
  hide(): void {
    if (!this.shown) return;
    this.shown = false;
    this.terminal.write('\r\x1b[K');
  }

  /** To be told of everything that others write to the terminal: a line is only drawn where it does not cover a half one. */
  wrote(chunk: Uint8Array): void {
    if (chunk.length > 0) this.atLineStart = chunk[chunk.length - 1] === 0x0a;
  }

  stop(): void {
    clearInterval(this.timer);
    this.hide();
  }

  private draw(): void {
    const now = performance.now();
    const bytes = this.bytes();
    const seconds = (now - this.last.at) / 1000;
    // Half of the newest rate each tick: calm to read, and right within a second.
    if (seconds > 0) this.rate += ((bytes - this.last.bytes) / seconds - this.rate) * 0.5;
    this.last = { at: now, bytes };
    if (now - this.countedAt >= COUNT_MS) this.countMembers(now);
    if (!this.atLineStart) return;
    const facts = { elapsedMs: now - this.started, bytes, bytesPerSecond: this.rate, members: this.counted?.members, memoryBytes: this.counted?.memoryBytes };
    this.terminal.write(`\r\x1b[K${progressLine(facts, this.terminal.columns || 80)}`);
    this.shown = true;
  }

  private countMembers(now: number): void {
    if (this.counting) return;
    this.counting = true;
    this.countedAt = now;
    this.count().then(
      (counted) => {
        this.counted = counted;
        this.counting = false;
      },
      () => {
        this.counted = undefined;
        this.counting = false;
      },
    );
  }
}
