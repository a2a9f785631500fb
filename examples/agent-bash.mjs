// A bash tool for an agent: in the foreground with a cut, in the background with offsets, everything in a file besides.
import { LocalSubprocessRuntime } from 'holdfast';

const SHOWN_BYTES = 4096;
const FILE_BYTES = 64 * 1024 * 1024;

export class BashTool {
  #runtime = new LocalSubprocessRuntime({ removeSpillOnDispose: true });
  #background = new Map();
  #lastId = 0;

  /** Runs to the end. What the model sees is at most 4 KiB, and says where the rest is. */
  async run(script, { timeoutMs = 120_000, cwd = process.cwd() } = {}) {
    const signal = AbortSignal.timeout(timeoutMs);
    const handle = this.#start(script, cwd, signal);
    const { exitCode, signal: endedBy } = await handle.done;
    handle.terminate(); // a background job of the script does not outlive a foreground call
    await handle.waitForExit();
    return { exitCode, endedBy, timedOut: signal.aborted, text: shown(handle.collected.stdout.readFrom(0), handle.report().streams.stdout) };
  }

  /** Starts and returns an id. */
  start(script, { cwd = process.cwd() } = {}) {
    const id = `bash_${++this.#lastId}`;
    this.#background.set(id, { handle: this.#start(script, cwd), offset: 0 });
    return id;
  }

  /** What has come since the last look; waits for something to come, or for the end. */
  async look(id) {
    const job = this.#background.get(id);
    const { stdout } = job.handle.collected;
    const more = await stdout.changed(job.offset);
    const read = stdout.readFrom(job.offset);
    job.offset = read.nextOffset;
    return { text: read.text, lossy: read.lossy, file: read.spillPath, running: more };
  }

  async stop(id) {
    const { handle } = this.#background.get(id);
    handle.terminate();
    await handle.waitForExit();
    return handle.report();
  }

  close() {
    return this.#runtime.dispose();
  }

  #start(script, cwd, signal) {
    const stdout = { maxBytes: SHOWN_BYTES, spill: { maxBytes: FILE_BYTES } };
    // One order of output, as a person would see it.
    return this.#runtime.spawn({ argv: ['bash', '-c', `exec 2>&1; ${script}`], cwd, graceMs: 2000, signal, stdio: { stdin: 'ignore', stdout, stderr: { maxBytes: 1024 } } });
  }
}

function shown({ text, spillPath }, { bytes, retained }) {
  if (bytes === retained) return text;
  return `[the first ${bytes - retained} bytes are only in ${spillPath ?? 'no file: there was too much'}]\n${text}`;
}
