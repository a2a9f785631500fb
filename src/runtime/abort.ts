type Callback = (reason: unknown) => void;

interface Followers {
  readonly callbacks: Set<Callback>;
  readonly listener: () => void;
}

const followers = new WeakMap<AbortSignal, Followers>();

/**
 * Calls `callback` once when `signal`, which is not aborted yet, is aborted; not after the returned function was called.
 * One listener a signal, however many follow it: a harness gives one signal to all commands of a task, and Node warns
 * of a leak at the eleventh listener. The last one to leave takes it away.
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const entry = followers.get(signal) ?? follow(signal);
  entry.callbacks.add(callback);
  return () => {
    if (!entry.callbacks.delete(callback) || entry.callbacks.size > 0 || followers.get(signal) !== entry) return;
    followers.delete(signal);
    signal.removeEventListener('abort', entry.listener);
  };
}

function follow(signal: AbortSignal): Followers {
  const callbacks = new Set<Callback>();
  const listener = (): void => {
    followers.delete(signal);
    for (const callback of [...callbacks]) callback(signal.reason);
  };
  const entry = { callbacks, listener };
  followers.set(signal, entry);
  signal.addEventListener('abort', listener, { once: true });
  return entry;
}
