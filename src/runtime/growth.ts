import type { NativeRange } from '../binding.js';
import type { Range } from './range.js';
import { WaitList } from './wait-list.js';

/**
 * Waits for one collected stream to grow. However many callers wait, one native watch is armed; when it fires, whoever
 * has what it waited for leaves and the watch is armed again for the rest.
 *
 * The trap is a writer that pauses inside a character: bytes are there that no text read would return. So the watch is
 * always armed beyond what has been received, not beyond what the caller has read: only a new byte can fire it.
 */
export class Growth {
  private readonly range: Range;
  private readonly native: NativeRange;
  private readonly stream: 1 | 2;
  /** One list an offset and kind of read, because callers that follow a stream mostly wait at the same place. */
  private readonly lists = new Map<string, { from: number; bytes: boolean; waits: WaitList<boolean> }>();
  private armed = Infinity;

  constructor(range: Range, stream: 1 | 2) {
    this.range = range;
    this.native = range.native;
    this.stream = stream;
    range.observers.push({ grew: () => this.check() });
  }

  /** See `SubprocessReader.changed`. */
  async changed(from: number, bytes: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    const state = this.native.peek(this.stream);
    const answer = this.answer(from, bytes, state);
    if (answer !== undefined) return answer;
    const key = `${bytes ? 'b' : 't'}${from}`;
    let list = this.lists.get(key);
    if (list === undefined) this.lists.set(key, (list = { from, bytes, waits: new WaitList() }));
    const waiting = list.waits.wait(signal, (wait, reason) => {
      wait.fail(reason);
      if (list.waits.size === 0 && this.lists.get(key) === list) this.lists.delete(key);
    });
    this.arm(from, state[0]);
    return waiting;
  }

  /** Called on every fact that can change an answer. */
  private check(): void {
    this.armed = Infinity;
    if (this.lists.size === 0) return;
    const state = this.native.peek(this.stream);
    for (const [key, { from, bytes, waits }] of this.lists) {
      const answer = this.answer(from, bytes, state);
      if (answer === undefined) {
        this.arm(from, state[0]);
      } else {
        this.lists.delete(key);
        waits.settleAll(answer);
      }
    }
  }

  /** What `changed` says now; undefined: wait. */
  private answer(from: number, bytes: boolean, [received, complete, ended]: [number, number, boolean]): boolean | undefined {
    const over = ended || this.range.launch === 'failed';
    if ((bytes || over ? received : complete) > from) return true;
    return over ? false : undefined;
  }

  private arm(from: number, received: number): void {
    const beyond = Math.max(from, received);
    if (beyond >= this.armed) return;
    this.armed = beyond;
    this.native.watch(this.stream, beyond);
  }
}
