// What a host that has terminals can be told to do. `open({ argv })` gives `{ onData, write, ended, foreground? }`.
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a program that prints `expect` bytes, and counts them. */
export async function terminalRead({ openTerminal }, { argv, expect }) {
  const begin = performance.now();
  let bytes = 0;
  const terminal = await openTerminal({ argv });
  terminal.onData((part) => { bytes += part.length; });
  await terminal.ended;
  const ms = performance.now() - begin;
  return { ms, bytes, lost: expect - bytes };
}

/** Milliseconds from asking for a terminal to its first byte, `calls` times. */
export async function terminalFirstByte({ openTerminal }, { argv, calls }) {
  const times = [];
  for (let i = 0; i < calls; i++) {
    const begin = performance.now();
    const terminal = await openTerminal({ argv });
    await new Promise((resolve) => terminal.onData(resolve));
    times.push(performance.now() - begin);
    await terminal.ended;
  }
  return times;
}

/** Microseconds that each of `calls` keystrokes takes to come back, with a pause in between as in the C program. */
export async function terminalEcho({ openTerminal }, { argv, calls }) {
  const terminal = await openTerminal({ argv });
  let came = () => {};
  const next = () => new Promise((resolve) => { came = resolve; });
  const ready = next();
  terminal.onData(() => came());
  await ready;
  const times = [];
  for (let i = 0; i < calls; i++) {
    const back = next();
    const begin = performance.now();
    terminal.write('k');
    await back;
    times.push((performance.now() - begin) * 1000);
    await sleep(1);
  }
  terminal.write('\x04');
  await terminal.ended;
  return times;
}

/** Bytes lost in each of the runs that print `sizes` bytes and exit. `program`: prints as many bytes as its argument says. */
export async function terminalLoss({ openTerminal }, { program, sizes, together = 2 }) {
  const lost = [];
  const queue = [...sizes];
  const worker = async () => {
    for (let size = queue.pop(); size !== undefined; size = queue.pop()) {
      let bytes = 0;
      const terminal = await openTerminal({ argv: [...program, String(size)] });
      terminal.onData((part) => { bytes += part.length; });
      await terminal.ended;
      lost.push(size - bytes);
    }
  };
  await Promise.all(Array.from({ length: together }, worker));
  return { runs: sizes.length, incomplete: lost.filter((one) => one !== 0).length, bytesLost: lost.reduce((sum, one) => sum + one, 0) };
}

/** Milliseconds of each of `calls` questions for the foreground group. */
export async function terminalForeground({ openTerminal }, { argv, calls }) {
  const terminal = await openTerminal({ argv });
  await new Promise((resolve) => terminal.onData(resolve));
  const times = [];
  for (let i = 0; i < calls; i++) {
    const begin = performance.now();
    if (await terminal.foreground() === undefined) throw new Error('there is no foreground group');
    times.push(performance.now() - begin);
  }
  terminal.write('\x04');
  await terminal.ended;
  return times;
}

/** How many descriptors, children and terminals more there are after `count` terminals and `count` failed ones than before. */
export async function terminalLeft({ openTerminal }, { argv, count }) {
  const run = async () => {
    const terminal = await openTerminal({ argv });
    terminal.onData(() => {});
    await terminal.ended;
  };
  const fail = () => openTerminal({ argv: ['/no/such/program'] }).then(() => Promise.reject(new Error('it should fail')), () => {});
  const state = () => ({
    descriptors: readdirSync('/proc/self/fd').length,
    children: readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').length,
    terminals: Number(readFileSync('/proc/sys/kernel/pty/nr', 'utf8')),
  });
  await run();
  const before = state();
  const queue = Array.from({ length: count * 2 }, (_, at) => (at % 2 === 0 ? run : fail));
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await next();
  }));
  // The last ones are still being closed when their ends have been told.
  let after = state();
  for (let i = 0; i < 100 && more(before, after) > 0; i++) {
    await sleep(10);
    after = state();
  }
  return { before, after, more: more(before, after) };
}

function more(before, after) {
  return Object.keys(before).reduce((sum, key) => sum + Math.max(0, after[key] - before[key]), 0);
}
