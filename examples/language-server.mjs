// A language server over pipes: requests and answers on stdin and stdout, the end of its stderr kept for when it fails.
import { LocalSubprocessRuntime } from 'holdfast';

export class LanguageServer {
  #runtime = new LocalSubprocessRuntime();
  #handle;
  #pending = new Map();
  #lastId = 0;
  #buffer = Buffer.alloc(0);

  constructor(argv, cwd) {
    this.#handle = this.#runtime.spawn({ argv, cwd, graceMs: 3000, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: { maxBytes: 16 * 1024 } } });
    this.#handle.stdin.on('error', () => {}); // it has ended; `done` says how
    this.#handle.stdout.on('data', (chunk) => this.#take(chunk));
    this.#handle.done.then(({ exitCode }) => this.#fail(new Error(`the language server ended with ${exitCode}: ${this.stderr}`)), (error) => this.#fail(error));
  }

  get stderr() {
    return this.#handle.collected.stderr.readFrom(0).text;
  }

  request(method, params) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  /** In order where it can be; what it has started (tsserver, for one) ends with it in any case. */
  async close() {
    await Promise.race([this.request('shutdown').then(() => this.notify('exit')), this.#handle.done]).catch(() => {});
    await this.#runtime.dispose();
    return this.#handle.report();
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#handle.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#handle.stdin.write(body);
  }

  #take(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString('latin1', 0, end))[1]);
      if (this.#buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.#buffer.subarray(end + 4, end + 4 + length).toString());
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#answer(message);
    }
  }

  #answer({ id, method, result, error }) {
    if (method !== undefined && id !== undefined) return this.#send({ id, result: null }); // it asks us; we have no settings
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error !== undefined) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  #fail(error) {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
