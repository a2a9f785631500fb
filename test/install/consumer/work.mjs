// What a user does with the package, in parts, so that a runtime which cannot do one of them is told apart. Imports nothing
// of the package itself: whoever runs it has got it in his own way.
import assert from 'node:assert/strict';
import { once } from 'node:events';

const collect = { maxBytes: 65_536 };

/** Each part takes what the package exports, and a runtime. */
export const PARTS = {
  async 'a command and its output'({ runtime }) {
    const handle = runtime.spawn({ argv: ['echo', 'hello'], cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });
    assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
    assert.equal(handle.collected.stdout.readFrom(0).text, 'hello\n');
    assert.equal(await handle.waitForExit(), true);
  },
  async 'the end of a deaf command and of what it left behind'({ runtime }) {
    const handle = runtime.spawn({
      argv: ['sh', '-c', 'trap "" TERM; sleep 600 & echo ready; while :; do sleep 600; done'],
      cwd: '/', graceMs: 200, stdio: { stdin: 'ignore', stdout: collect, stderr: collect },
    });
    await handle.collected.stdout.changed(0);
    handle.terminate();
    assert.deepEqual(await handle.done, { exitCode: null, signal: 'SIGKILL' });
    assert.equal(await handle.waitForExit(), true);
    const { owner, proof } = handle.report();
    assert.equal(proof, owner === 'group' ? 'observed' : 'proven');
  },
  async 'a missing program'({ runtime }) {
    const handle = runtime.spawn({ argv: ['/no/such/program'], cwd: '/', graceMs: 1, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });
    await assert.rejects(handle.done, { code: 'ENOENT' });
  },
  async 'piped streams'({ runtime }) {
    const handle = runtime.spawn({ argv: ['cat'], cwd: '/', graceMs: 5000, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: collect } });
    handle.stdin.end('through the pipes');
    let got = '';
    for await (const part of handle.stdout) got += part;
    assert.equal(got, 'through the pipes');
    assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  },
  async 'the control channel'({ runtime }) {
    const handle = runtime.spawn({
      argv: ['sh', '-c', 'cat <&7 >&7'], cwd: '/', graceMs: 5000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect, control: 'pipe' },
    });
    handle.control.write('through the channel');
    const [answer] = await once(handle.control, 'data');
    assert.equal(String(answer), 'through the channel');
    handle.control.destroy();
    await handle.done;
  },
  async 'a terminal'({ runtime }) {
    const terminal = await runtime.spawnTerminal({ argv: ['sh', '-c', 'test -t 0 && echo a terminal'], cwd: '/', rows: 24, cols: 80, terminalType: 'xterm', graceMs: 5000 });
    let got = '';
    for await (const part of terminal.output) got += part;
    assert.equal(got, 'a terminal\r\n');
    await terminal.done;
  },
  async 'the one call'({ holdfast }) {
    const { exitCode, stdout } = await holdfast.collect(['echo', 'collected']);
    assert.equal(exitCode, 0);
    assert.equal(stdout.text, 'collected\n');
  },
};

/** Runs every part; the answer is a line of JSON with what failed, and why. */
export async function work(holdfast) {
  const runtime = new holdfast.LocalSubprocessRuntime();
  const failed = {};
  for (const [name, part] of Object.entries(PARTS)) {
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('not done after 20 s')), 20_000); });
    await Promise.race([part({ runtime, holdfast }), late]).catch((error) => { failed[name] = String(error.message).replace(/\s+/g, ' ').slice(0, 300); });
    clearTimeout(timer);
  }
  const { binary, chosen } = await runtime.diagnose();
  await runtime.dispose();
  return JSON.stringify({ failed, binary: binary.path, chosen });
}
