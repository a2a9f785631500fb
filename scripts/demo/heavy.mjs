// (a) A heavy real producer: tar reads this system's own files, and every byte of the archive is collected.
import { open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, fact, gb, heading, mb, ms, progress, say } from './screen.mjs';
import { startMeter } from './meter.mjs';

const TAIL = 1024 * 1024;
const LEAST_MS = 10_000;
const MOST_MS = 20_000;
const ENOUGH_BYTES = 4e9;

// Names come in by standard input, one archive each; its result goes out by the control channel. So the host decides
// when it is enough, and the command ends by itself.
const PRODUCER = 'while IFS= read -r name; do tar -C / -cvf - -- "$name"; echo "$?" >&7; done';

/** @returns what the summary needs */
export async function heavy(runtime, spillDirectory) {
  heading('(a) Collect the output of a heavy command');
  const names = await directories();
  const { bavail, bsize } = await statfs(spillDirectory);
  const cap = Math.min(32e9, Math.floor((bavail * bsize) / 4));
  say(`  tar archives this system's files into a pipe; 1 MiB of tail stays in memory, all of it goes to a file (cap ${gb(cap)}).`);

  const meter = startMeter();
  const handle = runtime.spawn({
    argv: ['sh', '-c', PRODUCER],
    cwd: '/',
    stdio: { stdin: 'pipe', stdout: { maxBytes: TAIL, spill: { maxBytes: cap } }, stderr: { maxBytes: 64 * 1024 }, control: 'pipe' },
    graceMs: 5000,
  });
  const bytes = () => handle.report().streams.stdout.bytes;
  let members = 0;
  const ticker = setInterval(() => {
    handle.inspect().then((seen) => (members = seen.members.length), () => {});
    const { elapsedMs, rssMost, worstDelayMs } = meter.read();
    progress(`${(elapsedMs / 1000).toFixed(1)} s · ${gb(bytes())} · ${(bytes() / elapsedMs / 1e6).toFixed(2)} GB/s · host ${mb(rssMost)} · loop at worst ${ms(worstDelayMs)} late · ${members} processes`);
  }, 250);

  const archives = await feed(handle, names, () => {
    const { elapsedMs } = meter.read();
    return elapsedMs >= MOST_MS || bytes() >= cap * 0.8 || (elapsedMs >= LEAST_MS && bytes() >= ENOUGH_BYTES);
  });
  const outcome = await handle.done;
  const empty = await handle.waitForExit();
  clearInterval(ticker);
  const measured = meter.stop();
  const report = handle.report();
  const { stdout } = report.streams;
  const rate = stdout.bytes / measured.elapsedMs / 1e6;

  fact('archives', `${archives.length} runs of tar, ${archives.filter((code) => code === '0').length} without complaint`);
  fact('collected', `${gb(stdout.bytes)} in ${ms(measured.elapsedMs)}: ${rate.toFixed(2)} GB/s, disk and tar included`);
  fact('memory of this process', `${mb(measured.rssBefore)} before, ${mb(measured.rssMost)} at most`);
  fact('event loop', `at worst ${ms(measured.worstDelayMs)} late, ${(measured.loopBusy * 100).toFixed(1)} % busy`);
  fact('cpu of this process', `${ms(measured.cpuMs)}, its native threads included`);
  fact('owner', `${report.owner}, ${report.proof}`);
  say('  last lines of the listing:');
  for (const line of handle.collected.stderr.readFrom(0).text.trimEnd().split('\n').slice(-5)) say(`    ${line}`);

  expect('the command ended in order', outcome.exitCode === 0, `exit code ${outcome.exitCode}, signal ${outcome.signal}`);
  expect('nothing of it is left', empty === true && report.proof === (report.owner === 'group' ? 'observed' : 'proven'), report.proof);
  expect('the tail is exactly the last 1 MiB', stdout.retained === Math.min(TAIL, stdout.bytes), `${stdout.retained} bytes`);
  await compareWithFile(handle.collected.stdout, stdout);
  const grown = measured.rssMost - measured.rssBefore;
  expect('memory stayed flat', grown < 48e6, `${mb(grown)} more than before`);
  return { rate, ...measured, bytes: stdout.bytes };
}

/** Gives names until `enough`; one at a time, so that the decision is never far behind. */
async function feed(handle, names, enough) {
  const codes = [];
  // No channel means no launch: the loop ends at once and done rejects with the reason.
  const answers = lines(handle.control ?? []);
  for (let next = 0; !enough(); next += 1) {
    handle.stdin?.write(`${names[next % names.length]}\n`);
    const answer = await answers.next();
    if (answer.done) break;
    codes.push(answer.value);
  }
  handle.stdin?.end();
  return codes;
}

async function* lines(stream) {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}

async function compareWithFile(reader, stream) {
  const { bytes, spillPath } = reader.readBytes(stream.bytes - stream.retained);
  if (spillPath === undefined) {
    expect('the spill file holds everything', false, `${stream.spill}${stream.spillError ? ` ${stream.spillError.code}` : ''}`);
    return;
  }
  const { size } = await stat(spillPath);
  const file = await open(spillPath);
  const end = Buffer.alloc(bytes.length);
  await file.read(end, 0, end.length, size - end.length);
  await file.close();
  expect('the spill file holds everything', size === stream.bytes && end.equals(bytes), `${size} bytes, its end equals the tail`);
}

/** Directories of this system, small enough that one of them takes seconds at most; relative to the root. */
async function directories() {
  const split = new Set(['usr', 'usr/lib', 'usr/share', 'usr/local', 'usr/local/lib', 'opt', 'var/lib']);
  const names = [];
  for (const parent of split) {
    const entries = await readdir(join('/', parent), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${parent}/${entry.name}`;
      if (entry.isDirectory() && !split.has(name) && !name.includes('\n')) names.push(name);
    }
  }
  if (names.length === 0) throw new Error('the demo archives the directories below /usr, and there are none to be read');
  return names;
}
