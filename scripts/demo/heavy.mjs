// (a) A heavy real command, and every byte of its output is collected.
import { open, stat, statfs } from 'node:fs/promises';
import { startMeter } from './meter.mjs';
import { archives, feed, PRODUCER } from './producer.mjs';
import { expect, fact, gb, heading, mb, ms, progress, say } from './screen.mjs';

const TAIL = 1024 * 1024;
const SPILL_BYTES = 3e9;
const SPILL_MS = 12_000;
const PIPE_BYTES = 4e9;
const PIPE_MS = [6000, 12_000];

/** Runs the command twice, with a file and without, and returns what the summary needs. */
export async function heavy(runtime, spillDirectory) {
  heading('(a) Collect the output of a heavy command');
  const work = await archives();
  const { bavail, bsize } = await statfs(spillDirectory);
  const cap = Math.min(32e9, Math.floor((bavail * bsize) / 4));

  say(`  tar archives this system's files into a pipe. 1 MiB of tail stays in memory, and all of it goes to a file (cap ${gb(cap)}):`);
  const spilled = await collect(runtime, work, { maxBytes: cap }, (bytes, elapsedMs) => bytes >= Math.min(SPILL_BYTES, cap * 0.8) || elapsedMs >= SPILL_MS);
  await compareWithFile(spilled.handle.collected.stdout, spilled.stream);

  say('\n  The same without the file, which shows how much of that was the disk:');
  const piped = await collect(runtime, work, undefined, (bytes, elapsedMs) => elapsedMs >= PIPE_MS[1] || (elapsedMs >= PIPE_MS[0] && bytes >= PIPE_BYTES));
  return {
    bytes: spilled.stream.bytes + piped.stream.bytes,
    spillRate: spilled.rate,
    rate: piped.rate,
    rssMost: Math.max(spilled.measured.rssMost, piped.measured.rssMost),
    worstDelayMs: Math.max(spilled.measured.worstDelayMs, piped.measured.worstDelayMs),
  };
}

async function collect(runtime, work, spill, enough) {
  const meter = startMeter();
  const handle = runtime.spawn({
    argv: PRODUCER,
    cwd: '/',
    stdio: { stdin: 'pipe', stdout: { maxBytes: TAIL, spill }, stderr: { maxBytes: 64 * 1024 }, control: 'pipe' },
    graceMs: 5000,
  });
  const bytes = () => handle.report().streams.stdout.bytes;
  const stopShowing = show(handle, meter, bytes);
  const codes = await feed(handle, work, bytes, () => enough(bytes(), meter.read().elapsedMs));
  const outcome = await handle.done;
  const empty = await handle.waitForExit();
  stopShowing();
  const measured = meter.stop();
  const report = handle.report();
  const stream = report.streams.stdout;
  const rate = stream.bytes / measured.elapsedMs / 1e6;
  const grown = measured.rssMost - measured.rssBefore;

  fact('archives', `${codes.length} runs of tar, ${codes.filter((code) => code === '0').length} without complaint`);
  fact('collected', `${gb(stream.bytes)} in ${ms(measured.elapsedMs)}: ${rate.toFixed(2)} GB/s`);
  fact('memory of this process', `${mb(measured.rssBefore)} before, ${mb(measured.rssMost)} at most`);
  fact('event loop', `at worst ${ms(measured.worstDelayMs)} late, ${(measured.loopBusy * 100).toFixed(1)} % busy`);
  fact('cpu of this process', `${ms(measured.cpuMs)}, with its native threads`);
  say('  last lines of the listing:');
  for (const line of handle.collected.stderr.readFrom(0).text.trimEnd().split('\n').slice(-3)) say(`    ${line}`);
  expect('the command ended in order', outcome.exitCode === 0, `exit code ${outcome.exitCode}, signal ${outcome.signal}`);
  expect('nothing of it is left', empty === true && report.proof === (report.owner === 'group' ? 'observed' : 'proven'), `${report.proof} by ${report.owner}`);
  expect('the tail is exactly the last 1 MiB', stream.retained === Math.min(TAIL, stream.bytes), `${stream.retained} bytes`);
  expect('memory stayed flat', grown < 48e6, `${mb(grown)} more than before`);
  return { handle, stream, measured, rate };
}

/** The live line; returns what stops it. */
function show(handle, meter, bytes) {
  let members = '';
  const ticker = setInterval(() => {
    handle.inspect().then(
      (seen) => (members = ` · ${seen.members.length} processes`),
      () => (members = ''),
    );
    const { elapsedMs, rssMost, worstDelayMs } = meter.read();
    const rate = (bytes() / elapsedMs / 1e6).toFixed(2);
    progress(`${(elapsedMs / 1000).toFixed(1)} s · ${gb(bytes())} · ${rate} GB/s · host ${mb(rssMost)} · loop at worst ${ms(worstDelayMs)} late${members}`);
  }, 250);
  return () => clearInterval(ticker);
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
