// (c) and (d) A command that leaves a daemon behind: forked twice, in a session of its own, deaf to TERM, and with the
// command's standard output still open.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, fact, heading, ms, say } from './screen.mjs';

const GRACE_MS = 500;
/** How long `child_process` gets for each fact. */
const PATIENCE_MS = 2000;
const MARK = '86399';

const daemonCommand = (setsid) => `( ${setsid ? 'setsid ' : ''}sh -c 'trap "" TERM HUP; echo $$; exec sleep ${MARK}' & ); exit 0`;

export async function withHoldfast(runtime) {
  heading('(c) A command that leaves a daemon behind which holds the pipe');
  const script = daemonCommand(await hasSetsid(runtime));
  say(`  sh -c '${script}'`);
  const started = performance.now();
  const handle = runtime.spawn({ argv: ['sh', '-c', script], cwd: '/', stdio: { stdin: 'ignore', stdout: { maxBytes: 4096 }, stderr: { maxBytes: 4096 } }, graceMs: GRACE_MS });
  const outcome = await handle.done;
  const doneMs = performance.now() - started;
  const daemon = Number(handle.collected.stdout.readFrom(0).text);
  const stillBusy = (await handle.waitForExit(AbortSignal.timeout(200))) === false;
  const aliveBefore = isDaemon(daemon);
  const asked = performance.now();
  handle.terminate();
  const empty = await handle.waitForExit();
  const endMs = performance.now() - asked;
  const aliveAfter = isDaemon(daemon);
  const report = handle.report();
  const proof = report.owner === 'group' ? 'observed' : 'proven';

  fact('done', `after ${ms(doneMs)} with exit code ${outcome.exitCode}; drain: ${report.drain}`);
  fact('waitForExit(200 ms)', `${!stillBusy}: daemon ${daemon} is alive`);
  fact('terminate', `empty after ${ms(endMs)}, grace ${ms(GRACE_MS)} included`);
  fact('report', `${report.proof} by ${report.owner}; ended: ${report.strays.listed.map(({ pid, argv0, endedBy }) => `${pid} ${argv0} (${endedBy})`).join(', ')}`);
  expect('done does not wait for the daemon', outcome.exitCode === 0 && doneMs < GRACE_MS + PATIENCE_MS, ms(doneMs));
  expect('waitForExit says that something still runs', stillBusy && aliveBefore, `daemon ${daemon}`);
  expect('terminate ends it', empty === true && !aliveAfter, ms(endMs));
  expect('the report says so', report.proof === proof && report.strays.count >= 1, report.proof);
  return { doneMs, stillBusy, ended: !aliveAfter, endMs, proof: `${report.proof} by ${report.owner}` };
}

export async function withChildProcess(runtime) {
  heading('(d) The same under child_process');
  const script = daemonCommand(await hasSetsid(runtime));
  const started = performance.now();
  // detached gives it the best chance: a group of its own that can be signalled as a whole.
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const closed = once(child, 'close').then(() => performance.now() - started);
  await once(child, 'exit');
  const exitMs = performance.now() - started;
  const closeMs = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  const daemon = Number(output);
  const aliveBefore = isDaemon(daemon);
  const killed = child.kill('SIGKILL');
  const groupKilled = kill(-child.pid);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const aliveAfter = isDaemon(daemon);
  // We know its number only because the script was so kind to print it.
  if (aliveAfter) process.kill(daemon, 'SIGKILL');
  await closed;

  fact("'exit'", `after ${ms(exitMs)}, exit code ${child.exitCode}`);
  fact("'close', all output read", closeMs === undefined ? `not within ${ms(PATIENCE_MS)}` : `after ${ms(closeMs)}`);
  fact('is anything still running?', `exitCode is ${child.exitCode}, signalCode ${child.signalCode}; daemon ${daemon} ${aliveBefore ? 'is alive' : 'is gone'}`);
  fact('kill', `child.kill: ${killed}; kill of its group: ${groupKilled}; daemon ${aliveAfter ? 'still alive' : 'gone'}`);
  return {
    done: closeMs === undefined ? `no: 'close' not within ${ms(PATIENCE_MS)}` : `'close' after ${ms(closeMs)}`,
    busy: 'cannot be asked',
    ended: aliveAfter ? 'no: still alive' : 'yes',
    proof: 'none',
  };
}

async function hasSetsid(runtime) {
  return runtime.resolveExecutable('setsid').then(
    () => true,
    () => false,
  );
}

function kill(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    return error.code;
  }
}

/** Whether this very daemon lives: a number alone could be somebody else's by now. */
function isDaemon(pid) {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(MARK);
  } catch {
    return false;
  }
}
