// Restarts a command whenever something in a directory changes, and leaves nothing of the old one behind.
import { watch } from 'node:fs';
import { LocalSubprocessRuntime } from 'holdfast';

const QUIET_MS = 50; // an editor writes a file in several steps

/** Yields the report of each run that is over; ends when `signal` is aborted. */
export async function* watchAndRun(directory, argv, { signal, onStart = () => {} }) {
  await using runtime = new LocalSubprocessRuntime();
  const changes = new Changes(directory, signal);
  while (!signal.aborted) {
    const output = { maxBytes: 64 * 1024 };
    const handle = runtime.spawn({ argv, cwd: directory, graceMs: 2000, stdio: { stdin: 'ignore', stdout: output, stderr: output } });
    onStart(handle);
    await changes.next();
    handle.terminate();
    await handle.waitForExit(); // only now may the next one take its port, its lock, its files
    yield { outcome: await handle.done.catch((error) => ({ error })), report: handle.report() };
  }
}

class Changes {
  #resolve = () => {};
  #timer;

  constructor(directory, signal) {
    watch(directory, { signal }, () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#resolve(), QUIET_MS);
    });
    signal.addEventListener('abort', () => this.#resolve(), { once: true });
  }

  next() {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
