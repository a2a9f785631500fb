// The command line in the conventions of Windows.
import assert from 'node:assert/strict';
import { bed, cliPath, grown, it, probe } from './support.mjs';

const { spawn } = bed();
const cli = (args, options) => spawn([process.execPath, cliPath, ...args], options);
async function said(args, options) {
  const handle = cli(args, options);
  const { exitCode } = await handle.done;
  await handle.waitForExit();
  return { exitCode, stdout: handle.collected.stdout.readFrom(0).text, stderr: handle.collected.stderr.readFrom(0).text };
}

it('--help and --version answer', async () => {
  const help = await said(['--help']);
  assert.equal(help.exitCode, 0);
  assert.match(help.stdout, /holdfast run/);
  assert.match((await said(['--version'])).stdout, /^\d+\.\d+\.\d+/);
});

it('run passes output and exit code, and reports', async () => {
  const { exitCode, stdout, stderr } = await said(['run', '--', probe, 'say', 'through', '7']);
  assert.deepEqual([exitCode, stdout], [7, 'through']);
  assert.match(stderr, /holdfast: exit code 7 after .*job/s);
});

it('run ends what the command has left behind', async () => {
  const { exitCode, stdout, stderr } = await said(['run', '--json', '--', probe, 'leave']);
  assert.equal(exitCode, 0);
  assert.throws(() => process.kill(Number(stdout), 0), { code: 'ESRCH' });
  const report = JSON.parse(stderr.trim().split('\n').at(-1));
  assert.equal(report.owner ?? report.report?.owner, 'job');
});

it('run has a deadline', async () => {
  const { exitCode } = await said(['run', '--timeout', '1s', '--grace', '200ms', '--', probe, 'wait']);
  assert.equal(exitCode, 124);
});

it('run says that a program is not there', async () => {
  const { exitCode, stderr } = await said(['run', '--', 'no-such-program-here']);
  assert.equal(exitCode, 127);
  assert.match(stderr, /no-such-program-here/);
});

it('doctor names the Job, and nothing that Windows has not', async () => {
  const { exitCode, stdout } = await said(['doctor']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /Commands are held by 'job': their end is proven/);
  assert.match(stdout, /\+ job +works, and is what auto takes/);
  assert.doesNotMatch(stdout, /warden|cgroup|hostInJob|undefined/);
  assert.equal(JSON.parse((await said(['doctor', '--json'])).stdout).chosen, 'job');
});

it('Ctrl-C ends the command of run, then run', async () => {
  const handle = cli(['run', '--', probe, 'polite']);
  await grown(handle, 'ready');
  handle.terminate();
  await handle.done;
  assert.equal(await handle.waitForExit(), true);
});

it('tree says that it is for Linux', async () => {
  const { exitCode, stderr } = await said(['tree']);
  assert.deepEqual([exitCode, stderr], [125, 'holdfast: tree reads /proc, which only Linux has\n']);
});
