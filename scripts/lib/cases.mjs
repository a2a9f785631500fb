// Runs scripted cases one after the other: a line for each, a deadline for each, counts for .ci/summary.mjs at the end.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Thrown by a case that cannot be run here. */
export class Skip extends Error {}

/**
 * Runs a program to its end, or to `deadline` (milliseconds since 1970), when its whole process group is killed. Returns what
 * it printed; throws with that when its exit code is not 0.
 */
export async function call(program, args, { cwd, env = {}, deadline, input } = {}) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true, stdio: [input ?? 'ignore', 'pipe', 'pipe'] });
  let out = '';
  let all = '';
  child.stdout.on('data', (part) => { out += part; all += part; });
  child.stderr.on('data', (part) => { all += part; });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* its last member has just ended */ }
  }, Math.max(1, deadline - Date.now()));
  const code = await new Promise((resolve, reject) => { child.on('error', reject).on('close', (exit, signal) => resolve(exit ?? signal)); });
  clearTimeout(timer);
  if (late || code !== 0) throw new Error(`${program} ${args.join(' ')}: ${late ? 'not done at its deadline' : `code ${code}`}\n${all.slice(-3000)}`);
  return { out, all };
}

/**
 * Runs `cases` ({ name, seconds, run }); `run` gets `{ folder, deadline, call }` beside what is in `context`. Prints a line a
 * case, writes counts to $CI_RESULTS/<suite>.json, and returns whether nothing failed.
 */
export async function runCases(suite, cases, context = {}) {
  const results = [];
  for (const { name, seconds, run } of cases) {
    const started = Date.now();
    const deadline = started + seconds * 1000;
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-case-'));
    let status = 'passed';
    let message = '';
    try {
      message = (await run({ ...context, folder, deadline, call: (program, args, options) => call(program, args, { cwd: folder, deadline, ...options }) })) ?? '';
    } catch (error) {
      status = error instanceof Skip ? 'pending' : 'failed';
      message = error instanceof Skip ? error.message : String(error.stack ?? error);
    }
    rmSync(folder, { recursive: true, force: true });
    const word = { passed: 'ok     ', pending: 'skipped', failed: 'FAILED ' }[status];
    console.log(`${word} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)${message ? `: ${message}` : ''}`);
    results.push({ status, fullName: name, failureMessages: status === 'failed' ? [message] : [] });
  }
  const count = (status) => results.filter((result) => result.status === status).length;
  console.log(`${suite}: ${count('passed')} passed, ${count('failed')} failed, ${count('pending')} skipped`);
  if (process.env.CI_RESULTS) {
    mkdirSync(process.env.CI_RESULTS, { recursive: true });
    writeFileSync(join(process.env.CI_RESULTS, `${suite}.json`), JSON.stringify({
      numPassedTests: count('passed'), numFailedTests: count('failed'), numPendingTests: count('pending'), numTodoTests: 0,
      testResults: [{ status: count('failed') ? 'failed' : 'passed', assertionResults: results }],
    }));
  }
  return count('failed') === 0;
}
