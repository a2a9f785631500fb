// node owners.mjs <dist> <owner…>: on a system that is foreign to us, the owners that must be available are, and each of them
// holds what a command leaves behind: to the end of the command, and to the end of a host that is killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const [dist, ...expected] = process.argv.slice(2);
const { LocalSubprocessRuntime } = await import(join(dist, 'index.js'));
const collect = { maxBytes: 65_536 };
// Forks twice and leaves its session; what stays can be told by its first argument.
const leaver = (mark) => ['sh', '-c', `(setsid sh -c 'sleep ${mark} & sleep ${mark}' &) & sleep ${mark} & echo ready; trap "" TERM; while :; do sleep 1; done`];
const start = (runtime, mark) => runtime.spawn({ argv: leaver(mark), cwd: '/', graceMs: 200, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });

/** Processes that live and have `mark` among their arguments. */
const living = (mark) => readdirSync('/proc').filter((pid) => {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(String(mark));
  } catch {
    return false; // it has just ended
  }
});

async function until(what, holds) {
  for (const end = Date.now() + 60_000; !holds(); await delay(50)) if (Date.now() > end) throw new Error(`not within a minute: ${what}`);
}

if (expected[0] === 'host') {
  const runtime = new LocalSubprocessRuntime({ ownership: expected[1] });
  await start(runtime, expected[2]).collected.stdout.changed(0);
  console.log('holding');
  setInterval(() => {}, 1000);
} else {
  const first = new LocalSubprocessRuntime({ onWarning: () => {} });
  const { binary, owners, chosen, warden } = await first.diagnose();
  console.log({ kernel: release(), arch: process.arch, node: process.version, glibc: process.report.getReport().header.glibcVersionRuntime, chosen, binary, warden });
  const available = owners.filter((owner) => owner.available).map(({ kind }) => kind);
  for (const kind of expected) assert.ok(available.includes(kind), `${kind}: ${owners.find((owner) => owner.kind === kind)?.reason}`);
  assert.equal(chosen, expected[0]);

  let mark = 7000;
  for (const kind of expected) {
    const runtime = new LocalSubprocessRuntime({ ownership: kind, onWarning: () => {} });
    const handle = start(runtime, ++mark);
    await handle.collected.stdout.changed(0);
    await until('the leavers live', () => living(mark).length >= 3);
    handle.terminate();
    assert.deepEqual(await handle.done, { exitCode: null, signal: 'SIGKILL' });
    assert.equal(await handle.waitForExit(), true);
    const { owner, proof } = handle.report();
    assert.deepEqual({ owner, proof }, { owner: kind, proof: kind === 'group' ? 'observed' : 'proven' });
    assert.deepEqual(living(mark), [], `${kind} has left something behind`);
    await runtime.dispose();

    const host = spawn(process.execPath, [process.argv[1], dist, 'host', kind, String(++mark)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(host.stdout, 'data');
    await until('what the host holds lives', () => living(mark).length >= 3);
    host.kill('SIGKILL');
    await once(host, 'exit');
    if (kind !== 'group') await until(`${kind} has ended what the killed host held`, () => living(mark).length === 0);
    console.log(`${kind}: holds`);
  }

  const terminal = await first.spawnTerminal({ argv: ['sh', '-c', 'test -t 0 && echo a terminal'], cwd: '/', rows: 24, cols: 80, terminalType: 'xterm', graceMs: 5000 });
  let got = '';
  for await (const part of terminal.output) got += part;
  assert.equal(got, 'a terminal\r\n');
  await first.dispose();
  console.log('all is well');
  process.exit(0);
}
