import { setTimeout as delay } from 'node:timers/promises';

/** Rejects with a message that names `what` when `promise` has not settled within `ms`. */
export async function within<T>(ms: number, what: string, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for a fact about other processes, which nobody announces to us; a test never sleeps for a guessed time instead.
 * Returns the first value that is neither false nor undefined.
 */
export async function waitUntil<T>(what: string, fact: () => T | false | undefined | Promise<T | false | undefined>, ms = 30_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await fact();
    if (value !== false && value !== undefined) return value;
    if (performance.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await delay(4);
  }
}

/**
 * Milliseconds that `action` takes, and its result; for lower bounds only. What starts the time in question has to be a part
 * of `action`: the busier the machine, the longer it takes, and never shorter. Upper bounds are for benchmarks.
 */
export async function timed<T>(action: () => PromiseLike<T>): Promise<[number, T]> {
  const start = performance.now();
  const value = await action();
  return [performance.now() - start, value];
}
