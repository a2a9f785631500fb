// What a host that has terminals can be told to do. `open({ argv })` gives `{ onData, write, ended, foreground? }`.
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
