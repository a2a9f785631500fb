// The first command of a fresh process: first.mjs holdfast OWNER | first.mjs child_process. Prints JSON: milliseconds that
// the call held the event loop, and until the end was told. Importing is not part of it; bench/import.mjs asks for that.
const [provider, owner] = process.argv.slice(2);
const file = '/bin/true';

async function byHoldfast() {
  const { LocalSubprocessRuntime } = await import('../../dist/index.js');
  const begin = performance.now();
  const runtime = new LocalSubprocessRuntime({ ownership: owner });
  const collect = { maxBytes: 65536 };
  const { done } = runtime.spawn({ argv: [file], cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } });
  const blockedMs = performance.now() - begin;
  await done;
  const ms = performance.now() - begin;
  await runtime.dispose();
  return { blockedMs, ms };
}

async function byChildProcess() {
  const { spawn } = await import('node:child_process');
  const begin = performance.now();
  const child = spawn(file, [], { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const blockedMs = performance.now() - begin;
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  await new Promise((resolve, reject) => { child.once('close', resolve).once('error', reject); });
  return { blockedMs, ms: performance.now() - begin };
}

console.log(JSON.stringify(await (provider === 'holdfast' ? byHoldfast() : byChildProcess())));
