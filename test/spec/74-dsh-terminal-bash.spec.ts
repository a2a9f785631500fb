import { BashTerminalBackend, Config } from '@deepseek-ai/dsh-terminal-bash';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../support/dsh.ts';
import { leakFence } from '../support/fence.ts';
import { alive, descendants, tryRead } from '../support/proc.ts';
import { waitUntil, within } from '../support/until.ts';

// The backend is written for Node 22; on Node 20 this is what it misses.
const promises = Promise as typeof Promise & { withResolvers?: () => object };
promises.withResolvers ??= () => {
  const made: Record<string, unknown> = {};
  made['promise'] = new Promise((resolve, reject) => { Object.assign(made, { resolve, reject }); });
  return made;
};

const fence = leakFence();
let host: Composition;
let backend: BashTerminalBackend;
beforeEach(async () => {
  host = await compose();
  // What of the composition the backend itself asks: sandboxing is another package's matter.
  const ctx = {
    subprocess: host.subprocess, terminals: { hasOwnerActivity: () => false },
    sandboxPolicy: { defaultMode: 'danger-full-access', resolve: () => ({ mode: 'danger-full-access', workspaceRoot: fence.directory }) },
  };
  const config = { ...Config({}), shellPath: '/bin/bash', shellArgs: ['--noprofile', '--norc', '-i'], idleSilenceMs: 30_000, disposeGraceMs: 500 };
  backend = new BashTerminalBackend(ctx as never, config as never);
});
afterEach(() => host.dispose());

const owner = () => ({ id: 'agent', session: { events: [] }, ctx: host.ctx });
const open = () => within(30_000, 'the shell', backend.spawn({ type: 'shell', sessionId: 'one', owner: owner() } as never));
type Session = Awaited<ReturnType<typeof open>>;
const send = (session: Session, text: string) => within(30_000, text, session.startSend({ text, submit: true }).done);

describe('the published terminal backend on holdfast/dsh', () => {
  it('keeps a shell between sends, and knows when it waits for input', async () => {
    const session = await open();
    const first = await send(session, 'X=kept; cd /; echo "in $PWD $TERM"');
    expect(first).toMatchObject({ waitReason: 'stdin_read', sessionStatus: { kind: 'running' } });
    expect(first.viewport).toContain('in / dumb');
    expect((await send(session, 'echo "$X"')).viewport).toContain('kept');
    await session.close('over');
  });

  it('signals what runs in the foreground, and the shell lives on', async () => {
    const session = await open();
    const running = session.startSend({ text: 'sleep 60', submit: true });
    await waitUntil('sleep runs', () => descendants(session.pid as number).some((one) => one.comm === 'sleep'));
    expect(await session.signal('SIGINT')).toMatchObject({ delivered: true });
    await within(30_000, 'the prompt', running.done);
    expect((await send(session, 'echo alive')).viewport).toContain('alive');
    await session.close('over');
  });

  it('ends everything when it is closed, a job of its own session too', async () => {
    const session = await open();
    const file = join(fence.directory, 'job');
    await send(session, `setsid sh -c 'echo $$ > ${file}; exec sleep 60' &`);
    const job = await waitUntil('its number', () => Number(tryRead(file)) || undefined);
    rmSync(file);
    expect(alive(job)).toBe(true);
    await within(30_000, 'the end', session.close('over'));
    expect([alive(job), alive(session.pid as number)]).toEqual([false, false]);
  });
});
