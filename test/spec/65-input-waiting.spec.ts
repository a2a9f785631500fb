import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { openSession, type Session } from '../support/shells.ts';
import { waitUntil } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const open = (...argv: string[]): Promise<Session> => openSession(runtime, argv, fence.directory);
const waiting = async ({ terminal }: Session): Promise<boolean | undefined> => (await terminal.inspectForeground())?.inputWaiting;
const sh = (script: string): Promise<Session> => open('sh', '-c', script);

/** Opens a program that waits for input in its own way, and lets it end. */
async function expectWaiting(session: Session, input = 'x\r'): Promise<void> {
  await session.waits();
  await session.terminal.write(input);
  await session.shows('got it');
  await session.terminal.terminate();
}

describe('inputWaiting', () => {
  it('is true while a program reads descriptor 0, and false while it works (245, 246)', async () => {
    const session = await sh('read -r line; echo working; sleep 300');
    await session.waits();
    await session.enter('x');
    await session.shows('working');
    await session.sleeps('sleep');
    expect(await waiting(session)).toBe(false);
    await session.terminal.terminate();
  });

  it('sees a program with an event loop, which has the terminal on a descriptor of its own (245, 248)', async () => {
    await expectWaiting(await open(process.execPath, '-e', 'process.stdin.once("data", () => { console.log("got it"); setInterval(() => {}, 1000); })'));
  });

  it('sees readers in poll and select (245)', async () => {
    await expectWaiting(await open('bash', '--norc', '-ic', 'read -r -t 60 line; echo "got it"; sleep 300'));
    await expectWaiting(await open('bash', '--norc', '-ic', 'read -e line; echo "got it"; sleep 300'));
  });

  it('takes /dev/tty for the terminal, on descriptor 0 and on any other (247, 248)', async () => {
    await expectWaiting(await sh('head -n 1 </dev/tty; echo got it; sleep 300'));
    await expectWaiting(await sh('exec 3</dev/tty 0</dev/null; head -n 1 <&3 >/dev/null; read -r line <&3; echo got it; sleep 300'), 'x\ry\r');
  });

  it('is false for a program that is busy, sleeps or reads something else (246)', async () => {
    const busy = await sh('echo up; while :; do :; done');
    await busy.shows('up');
    expect(await waiting(busy)).toBe(false);
    const pipe = await sh('echo up; exec cat </dev/zero >/dev/null');
    await pipe.shows('up');
    expect(await waiting(pipe)).toBe(false);
    const other = await open(process.execPath, '-e', 'console.log("up"); setTimeout(() => {}, 1e6)');
    await other.shows('up');
    await other.sleeps('node');
    expect(await waiting(other)).toBe(false);
    for (const one of [busy, pipe, other]) await one.terminal.terminate();
  });

  it('is false for a reader of another terminal (246)', async () => {
    const other = await sh('tty; exec sleep 300');
    const path = await other.shows(/\/dev\/pts\/\d+/);
    const session = await sh(`echo up; exec cat <${path}`);
    await session.shows('up');
    await session.sleeps('cat');
    expect(await waiting(session)).toBe(false);
    expect(await waiting(other)).toBe(false);
    for (const one of [other, session]) await one.terminal.terminate();
  });

  it('asks the foreground only: a reader in the background does not count (245)', async () => {
    const session = await open('bash', '--norc', '-ic', '(sleep 0.1; exec cat) & echo up; exec sleep 300');
    await session.shows('up');
    await waitUntil('the reader is stopped', async () => (await session.terminal.inspect()).members.some((one) => one.state === 'T'));
    expect(await waiting(session)).toBe(false);
    await session.terminal.terminate();
  });

  it('is true beside a crowd that has a terminal of its own (245)', async () => {
    const session = await sh('read -r line');
    await session.waits();
    const crowd = await open('bash', '--norc', '-c', 'for i in {1..100}; do sleep 300 & done; echo up; wait');
    await crowd.shows('up');
    for (let i = 0; i < 50; i++) expect(await waiting(session)).toBe(true);
    for (const one of [crowd, session]) await one.terminal.terminate();
  });
});
