// What the Windows tests share. Under Wine durations say nothing, so every test has a long deadline and waits on facts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LocalSubprocessRuntime } from '../../dist/index.js';

export const underWine = process.env.HOLDFAST_TEST_WINE === '1';
export const probe = process.env.HOLDFAST_TEST_PROBE;
export const library = new URL('../../dist/index.js', import.meta.url).href;
export const cliPath = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const child = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'child.mjs');
export const collect = { maxBytes: 1 << 20 };
const DEADLINE_MS = 120_000;

/** A test with the deadline. `wine`: why Wine cannot show it; it is skipped there and counted. */
export function it(name, options, body = options) {
  const { wine } = typeof options === 'function' ? {} : options;
  test(name, { timeout: DEADLINE_MS, skip: underWine && wine ? `Wine: ${wine}` : false }, body);
}

/** A runtime and a folder for one file of tests; both are gone after it, and so is everything that was started. */
export function bed(options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast test '));
  const runtime = new LocalSubprocessRuntime({ spillDirectory: folder, ...options });
  const started = [];
  const spawn = (argv, { stdin = 'ignore', stdout = collect, stderr = collect, control, ...rest } = {}) => {
    const stdio = control ? { stdin, stdout, stderr, control } : { stdin, stdout, stderr };
    const handle = runtime.spawn({ argv, cwd: folder, graceMs: 20_000, stdio, ...rest });
    started.push(handle);
    return handle;
  };
  after(async () => {
    await runtime.dispose();
    for (const handle of started) assert.equal(await handle.waitForExit(), true);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder, runtime, spawn,
    node: (args, options) => spawn([process.execPath, child, ...args], options),
    run: (args, options) => spawn([probe, ...args], options),
  };
}

/** What a command has printed that has ended in order. */
export async function output(handle) {
  assert.deepEqual(await handle.done, { exitCode: 0, signal: null }, handle.collected.stderr?.readFrom(0).text);
  return handle.collected.stdout.readFrom(0).text;
}

export async function grown(handle, text, stream = 'stdout') {
  const reader = handle.collected[stream];
  let over = false;
  handle.done.finally(() => { over = true; }).catch(() => {});
  for (let read = reader.readFrom(0); !read.text.includes(text); read = reader.readFrom(0)) {
    assert.ok(!over, `it has ended without saying '${text}': ${read.text}${handle.collected.stderr?.readFrom(0).text}`);
    await reader.changed(read.nextOffset);
  }
}

/** Resolves when `isSo` says true, which it must within the test's deadline. */
export async function eventually(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    assert.equal(error.code, 'ESRCH');
    return false;
  }
}
