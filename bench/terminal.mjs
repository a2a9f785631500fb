// What does a terminal cost, and does it lose anything?
//
// Against node-pty at its best (bytes, not text) and against C with forkpty, in the same rounds: 50 MiB through a raw
// terminal, the first byte of a new one, a keystroke and its echo. Beside that, our own: runs that print and exit, the
// foreground group beside 500 foreign processes, and what thousands of terminals leave behind.
import { spawn } from 'node:child_process';
import { inC } from './lib/baseline.mjs';
import { compiled } from './lib/compile.mjs';
import { withHosts } from './lib/host.mjs';
import { alternate } from './lib/pairs.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { interval, median, quantile, ratio, summary } from './lib/stats.mjs';

const { rounds, bytes, quick } = settings({ rounds: 7, bytes: 50 << 20, quickBytes: 10 << 20 });
const RUNS = quick ? 100 : 4000;
const LARGEST = 200_000;
const KEYS = quick ? 50 : 300;
const FIRSTS = quick ? 5 : 20;
const ALLOCATIONS = quick ? 50 : 1000;
const FOREIGN = 500;
const program = compiled('terminal');
const owner = 'auto';

const show = (what, unit) => (n, all) => {
  console.log(`  ${what}, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${Number(list.at(-1).shown ?? list.at(-1)).toPrecision(3)}`).join(', ')} ${unit}`);
};
const rate = (ms) => bytes / 1048.576 / ms;
/** Sizes of runs: small ones, around what the kernel holds, and large ones, the same for every contender. */
function sizes(count) {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
  return Array.from({ length: count }, () => 1 + Math.floor(LARGEST ** random()));
}

console.log(`terminal: ${rounds} rounds, ${bytes} bytes, ${RUNS} runs that print and exit`);
const results = await withHosts({ holdfast: { provider: 'holdfast', owner }, 'node-pty': { provider: 'node-pty' } }, async (hosts) => {
  const each = (job, options, pick) => Object.fromEntries(Object.entries(hosts).map(([label, host]) => [label, async () => pick(await host.do(job, options))]));
  const echo = await alternate({
    ...each('terminalEcho', { argv: [program, 'echo'], calls: KEYS }, (times) => times),
    C: () => inC('terminal', 'ping', KEYS, program, 'echo'),
  }, rounds, (n, all) => console.log(`  echo, round ${n}: ${Object.entries(all).map(([name, list]) => `${name} ${quantile(list.at(-1), 0.99).toFixed(0)}`).join(', ')} µs p99`));
  const first = await alternate(each('terminalFirstByte', { argv: [program, 'print', '1'], calls: FIRSTS }, median), rounds, show('first byte', 'ms'));
  const read = await alternate({
    ...each('terminalRead', { argv: [program, 'print', String(bytes)], expect: bytes }, ({ ms }) => rate(ms)),
    C: async () => rate((await inC('terminal', 'read', bytes, program, 'print', bytes)).ms),
  }, rounds, show('speed', 'MiB/s'));
  const foreign = Array.from({ length: FOREIGN }, () => spawn('/bin/sleep', ['600'], { stdio: 'ignore' }));
  const foreground = await hosts.holdfast.do('terminalForeground', { argv: [program, 'echo'], calls: KEYS }).finally(() => foreign.forEach((one) => one.kill('SIGKILL')));
  const loss = { holdfast: await hosts.holdfast.do('terminalLoss', { program: [program, 'print'], sizes: sizes(RUNS) }) };
  loss['node-pty'] = await hosts['node-pty'].do('terminalLoss', { program: [program, 'print'], sizes: sizes(Math.ceil(RUNS / 20)) });
  const left = await hosts.holdfast.do('terminalLeft', { argv: [program, 'print', '1'], count: ALLOCATIONS });
  return { echo, first, read, foreground, loss, left };
});

const figuresOf = (of) => Object.fromEntries(Object.entries(of).map(([name, list]) => [name, summary(list.flat())]));
const figures = {
  mibPerSecond: figuresOf(results.read),
  firstByteMs: figuresOf(results.first),
  echoMicroseconds: figuresOf(results.echo),
  foregroundMs: summary(results.foreground),
  loss: results.loss,
  left: results.left,
};
const tail = (list) => list.map((times) => quantile(times, 0.99));
const exactly = (value, n) => ({ estimate: value, low: value, high: value, n });
const panel = (title, unit, better, of) => ({
  title, unit, better,
  bars: Object.entries(of).map(([label, { p50, min, p99 }]) => ({ label, value: p50, low: min, high: p99, ours: label === 'holdfast' })),
});
writeResult({
  question: 'terminal',
  quick,
  title: 'Terminals',
  settings: { rounds, bytes, runsThatPrintAndExit: RUNS, largestRun: LARGEST, keystrokes: KEYS * rounds, allocations: ALLOCATIONS, foreignProcesses: FOREIGN },
  figures,
  panels: [
    panel('Speed of a raw terminal', 'MiB/s', 'more', figures.mibPerSecond),
    panel('Allocation to the first byte', 'ms', 'less', figures.firstByteMs),
    panel('Keystroke to its echo', 'µs', 'less', figures.echoMicroseconds),
  ],
  measured: {
    lost: exactly(results.loss.holdfast.bytesLost, RUNS),
    ofNodePty: ratio(results.read.holdfast, results.read['node-pty']),
    ofC: ratio(results.read.holdfast, results.read.C),
    firstByte: ratio(results.first.holdfast, results.first['node-pty']),
    echo: ratio(tail(results.echo.holdfast), tail(results.echo.C)),
    foreground: interval(results.foreground),
    left: exactly(results.left.more, ALLOCATIONS * 2),
  },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile.', `node-pty lost bytes in ${results.loss['node-pty'].incomplete} of ${results.loss['node-pty'].runs} runs that print and exit.`],
});
