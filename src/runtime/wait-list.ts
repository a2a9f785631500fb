import { onAbort } from './abort.js';

/** Promises that wait for one fact, each with its own way out. */
interface Wait<Fact> {
  settle(fact: Fact): void;
  fail(error: unknown): void;
}

/**
 * Callers that wait for the same fact, each with a signal of its own. A plain `promise.then` per caller would keep a
 * reaction of every wait that was given up for as long as the range lives, and somebody who asks every 100 ms gives up
 * many; here a wait that ends leaves nothing behind, neither here nor on its signal.
 */
export class WaitList<Fact> {
  private readonly waits = new Set<Wait<Fact>>();

  get size(): number {
    return this.waits.size;
  }

  /** `aborted` decides what the caller gets when its signal comes first. Look at `signal.aborted` before. */
  wait(signal: AbortSignal | undefined, aborted: (wait: Wait<Fact>, reason: unknown) => void): Promise<Fact> {
    return new Promise<Fact>((resolve, reject) => {
      const leave = (): void => {
        this.waits.delete(wait);
        unfollow?.();
      };
      const wait: Wait<Fact> = {
        settle(fact) {
          leave();
          resolve(fact);
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      this.waits.add(wait);
      const unfollow = signal && onAbort(signal, (reason) => aborted(wait, reason));
    });
  }

  settleAll(fact: Fact): void {
    for (const wait of [...this.waits]) wait.settle(fact);
  }

  failAll(error: unknown): void {
    for (const wait of [...this.waits]) wait.fail(error);
  }
}
