// Who belongs to a range, how it is ended, and what is known of it.
import assert from 'node:assert/strict';
import { spawn as plainSpawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalSubprocessRuntime } from '../../dist/index.js';
import { alive, bed, collect, eventually, grown, it, output, probe } from './support.mjs';

const { folder, runtime, spawn, run } = bed();
const host = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'host.mjs');
const noLimits = 'it accepts or refuses limits of a Job, and enforces none';

/** A host in a process of its own, under Node's own care, and the process that it holds. */
async function startHost(verb) {
  const process_ = plainSpawn(process.execPath, [host, verb], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of process_.stdout) if ((text += chunk).includes('\n')) break;
  return { host: process_, held: Number(text) };
}

it('whoever is left behind belongs to the range until it is ended', async () => {
  const handle = run(['leave']);
  const pid = Number(await output(handle));
  assert.equal(await handle.waitForExit(AbortSignal.timeout(300)), false);
  assert.ok((await handle.inspect()).members.some((member) => member.pid === pid));
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
  assert.equal(handle.report().proof, 'proven');
  await eventually(() => !alive(pid));
});

it('a chain of orphans without console and group stays in the range', async () => {
  const handle = run(['deep', '5']);
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  let members = [];
  await eventually(async () => (members = (await handle.inspect()).members).length === 1);
  assert.equal(await handle.waitForExit(AbortSignal.timeout(50)), false);
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
  await eventually(() => !alive(members[0].pid));
});

it('nobody can leave the Job', async () => {
  assert.equal(await output(run(['breakaway'])), 'refused 5');
});

it('where a command cannot be born in its Job it is put into it before it runs', async () => {
  const handle = spawn([process.env.HOLDFAST_TEST_SUSPENDED, probe]);
  const { exitCode } = await handle.done;
  assert.equal(exitCode, 0, handle.collected.stdout.readFrom(0).text);
  assert.match(handle.collected.stdout.readFrom(0).text, /yes: it is in the Job/);
});

it('a command can have Jobs of its own', async () => {
  assert.deepEqual(await run(['nested', probe, 'wait']).done, { exitCode: 9, signal: null });
});

it('a host that lives in a Job itself holds its commands, and its end ends them', async () => {
  const outer = spawn([process.execPath, host, 'hold']);
  await grown(outer, '\n');
  const held = Number(outer.collected.stdout.readFrom(0).text);
  assert.ok(alive(held));
  assert.ok((await outer.inspect()).members.some((member) => member.pid === held));
  outer.terminate();
  assert.equal(await outer.waitForExit(), true);
  await eventually(() => !alive(held));
});

it('a host that is killed leaves nothing', async () => {
  const { host: killed, held } = await startHost('hold');
  assert.ok(alive(held));
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await eventually(() => !alive(held));
});

it('a host that exits leaves nothing, and keeps its exit code', async () => {
  const { host: ending, held } = await startHost('exit');
  if (ending.exitCode === null) await once(ending, 'exit');
  assert.equal(ending.exitCode, 3);
  await eventually(() => !alive(held));
});

it('a worker that ends leaves nothing', async () => {
  const { host: living, held } = await startHost('worker');
  await eventually(() => !alive(held));
  assert.equal(living.exitCode, null);
  living.kill('SIGKILL');
  await once(living, 'exit');
});

it('terminate() tells the command by Ctrl-C, and gives it the grace', async () => {
  const handle = run(['polite']);
  await grown(handle, 'ready');
  handle.terminate();
  assert.deepEqual(await handle.done, { exitCode: 5, signal: null });
  assert.equal(handle.collected.stdout.readFrom(0).text, 'readyinterrupted');
  assert.equal(await handle.waitForExit(), true);
  assert.deepEqual([handle.report().politeStage, handle.report().proof], ['sent', 'proven']);
});

it('who does not want to go is ended when the grace is over, with code 1', async () => {
  const handle = run(['polite', 'deaf'], { graceMs: 1500 });
  await grown(handle, 'ready');
  handle.terminate();
  handle.terminate();
  assert.deepEqual(await handle.done, { exitCode: 1, signal: null });
  assert.match(handle.collected.stdout.readFrom(0).text, /interrupted/);
  assert.equal(await handle.waitForExit(), true);
  assert.equal(handle.report().politeStage, 'sent');
});

it('a Node program hears SIGINT', async () => {
  const code = "process.on('SIGINT', () => { console.log('heard'); process.exit(4); }); console.log('ready'); setInterval(() => {}, 1000)";
  const handle = spawn([process.execPath, '-e', code]);
  await grown(handle, 'ready');
  handle.terminate();
  assert.deepEqual(await handle.done, { exitCode: 4, signal: null });
  assert.match(handle.collected.stdout.readFrom(0).text, /heard/);
});

it('where nobody has a console, terminate() is an end at once', async () => {
  const handle = run(['deep', '1'], { graceMs: 600_000 });
  await handle.done;
  await eventually(async () => (await handle.inspect()).members.length === 1);
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
  assert.equal(handle.report().politeStage, 'unavailable');
});

it('the abort signal ends like terminate(), also before the command runs', async () => {
  const controller = new AbortController();
  const handle = run(['polite'], { signal: controller.signal });
  await grown(handle, 'ready');
  controller.abort();
  assert.deepEqual(await handle.done, { exitCode: 5, signal: null });
  const early = new AbortController();
  const never = run(['wait'], { signal: early.signal, graceMs: 100 });
  early.abort();
  const outcome = await never.done;
  assert.notEqual(outcome.exitCode, 0);
  assert.equal(await never.waitForExit(), true);
});

it('a deadline of the caller is an abort signal', async () => {
  const handle = run(['wait'], { signal: AbortSignal.timeout(500), graceMs: 200 });
  const { exitCode } = await handle.done;
  assert.ok([1, 0xc000013a].includes(exitCode), String(exitCode));
  assert.equal(await handle.waitForExit(), true);
});

it('waitForExit() answers each caller by his own signal', async () => {
  const handle = run(['wait']);
  await grown(handle, 'waiting');
  assert.equal(await handle.waitForExit(AbortSignal.timeout(100)), false);
  assert.equal(await handle.waitForExit(AbortSignal.abort()), false);
  const patient = handle.waitForExit();
  handle.terminate();
  assert.equal(await patient, true);
  assert.equal(await handle.waitForExit(AbortSignal.abort()), true);
  handle.terminate();
});

it('done does not wait for a descendant that holds the streams longer than the grace', async () => {
  const code = `require('node:child_process').spawn(${JSON.stringify(probe)}, ['wait'], { stdio: 'inherit', detached: true }).unref(); process.exit(3)`;
  const handle = spawn([process.execPath, '-e', code], { graceMs: 700 });
  assert.deepEqual(await handle.done, { exitCode: 3, signal: null });
  assert.equal(handle.report().drain, 'deadline');
  assert.equal(await handle.waitForExit(AbortSignal.timeout(50)), false);
  handle.terminate();
  assert.equal(await handle.waitForExit(), true);
});

it('inspect() tells who lives', async () => {
  const handle = run(['wait']);
  await grown(handle, 'waiting');
  const member = (await handle.inspect()).members.find(({ pid }) => pid === handle.pid);
  assert.equal(member.ppid, process.pid);
  assert.match(member.argv0, /probe\.exe$/i);
  assert.ok(member.rssBytes > 0 && member.startTime > 0);
  handle.terminate();
  await handle.waitForExit();
  assert.deepEqual(await handle.inspect(), { members: [] });
});

it('the report has the time and the memory of the command', async () => {
  const handle = spawn([process.execPath, '-e', 'for (const end = Date.now() + 300; Date.now() < end;);']);
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null });
  const { usage } = handle.report();
  assert.ok(usage.userCpuMs + usage.systemCpuMs > 100);
  assert.ok(usage.maxRssBytes > 1 << 20);
});

it('the report has the time of the whole range', { wine: 'it says 0 for the times of a Job' }, async () => {
  const handle = spawn([process.execPath, '-e', 'for (const end = Date.now() + 300; Date.now() < end;);']);
  await handle.waitForExit();
  const { rangeUsage } = handle.report();
  assert.ok(rangeUsage.userCpuMs + rangeUsage.systemCpuMs > 100);
});

it('a limit of memory holds, and the peak is told', { wine: noLimits }, async () => {
  const code = 'const kept = []; for (;;) kept.push(Buffer.alloc(16 << 20, 1));';
  const handle = spawn([process.execPath, '-e', code], { limits: { memoryBytes: 512 << 20 } });
  assert.notEqual((await handle.done).exitCode, 0);
  assert.ok(handle.report().limits.peakBytes > 64 << 20);
});

it('a limit of processes holds', { wine: noLimits }, async () => {
  const handle = run(['leave'], { limits: { processes: 1 } });
  assert.equal((await handle.done).exitCode, 100);
});

it('a limit of processor time holds', { wine: 'it refuses limits of processor time' }, async () => {
  const code = 'for (const end = Date.now() + 2000; Date.now() < end;);';
  const handle = spawn([process.execPath, '-e', code], { limits: { cpu: 0.2 } });
  await handle.done;
  assert.ok(handle.report().usage.userCpuMs < 1000);
});

it('a limit that the system refuses is said so, and nothing is started', async () => {
  const handle = run(['say', 'x'], { limits: { cpu: 0.5 } });
  const outcome = await handle.done.catch((error) => error.code);
  assert.ok(outcome === 'LIMITS_UNAVAILABLE' || outcome.exitCode === 0, String(outcome));
});

it('another owner than a Job is refused', async () => {
  const strict = new LocalSubprocessRuntime({ ownership: 'cgroup' });
  const handle = strict.spawn({ argv: [probe, 'exit', '0'], cwd: folder, graceMs: 1000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });
  await assert.rejects(handle.done, { code: 'OWNER_UNAVAILABLE' });
  await strict.dispose();
});

it('disposal ends everything, and refuses what comes after it', async () => {
  const own = new LocalSubprocessRuntime();
  const spec = { argv: [probe, 'wait'], cwd: folder, graceMs: 300, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } };
  const handles = [own.spawn(spec), own.spawn(spec), own.spawn(spec)];
  const pids = handles.map((handle) => handle.pid);
  await own.dispose();
  await eventually(() => pids.every((pid) => !alive(pid)));
  assert.throws(() => own.spawn(spec), { code: 'DISPOSED' });
});

it('diagnose() says what holds commands here', async () => {
  const { owners, chosen } = await runtime.diagnose();
  assert.equal(chosen, 'job');
  assert.deepEqual(owners, [{ kind: 'job', available: true, proof: 'proven' }]);
});

it('terminalEnvironment() is the command processor', async () => {
  assert.deepEqual(await runtime.terminalEnvironment(), { platform: 'windows', defaultShell: process.env.ComSpec });
});
