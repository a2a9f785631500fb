import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, finish, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummy, root } from '../../support/paths.ts';
import { factsArgv, parseFacts } from '../../support/run.ts';
import { within } from '../../support/until.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

const collect = { maxBytes: 1 << 20 };
const withControl = (argv: readonly string[]) =>
  host.subprocess.spawn({ argv, cwd: '/', graceMs: 3000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect, control: 'pipe' } });
type Talking = ReturnType<typeof withControl>;

async function over(handle: Talking): Promise<void> {
  handle.control.destroy();
  handle.terminate();
  await handle.done.catch(() => {});
  await handle.waitForExit();
}

const node = (mode: string): string[] => [process.execPath, `${root}test/fixtures/children/control-prefix.mjs`, mode];

describe('P. the control channel', () => {
  it('204: not asked for, there is no stream, no descriptor 7 and no marker', async () => {
    const { handle, stdout } = await finish(host.subprocess, factsArgv);
    expect(handle.control).toBeUndefined();
    const { fds, env } = parseFacts(stdout);
    expect([fds['7'], Object.keys(env).filter((name) => name.endsWith('SUBPROCESS_CONTROL'))]).toEqual([undefined, []]);
  });

  it('205, 216: asked for, it is a Duplex that carries 256 KiB of any bytes, apart from stdout and stderr', async () => {
    const handle = withControl(dummy('control-echo'));
    expect(handle.control).toBeInstanceOf(Duplex);
    const sent = randomBytes(256 << 10);
    const got = buffer(handle.control);
    handle.control.end(sent);
    expect((await within(30_000, 'the echo', got)).equals(sent)).toBe(true);
    await handle.done;
    expect([handle.collected.stdout.readFrom(0).nextOffset, handle.collected.stderr.readFrom(0).nextOffset]).toEqual([0, 0]);
    await handle.waitForExit();
  });

  it('206, 207, 208: the helper opens it once, takes the marker away, and hands nothing on', async () => {
    const handle = withControl(node('open'));
    handle.control.write('hello');
    handle.control.end();
    expect(JSON.parse(await within(30_000, 'the answer', text(handle.control)))).toEqual({
      received: 'hello', halfOpen: true, marker: false, again: expect.stringContaining('subprocess control channel was not inherited') as string,
      grandchild: { marker: false, descriptor7: false },
    });
    await handle.done;
    await handle.waitForExit();
  });

  it('207: an invalid marker is taken away, and opening fails', async () => {
    const { stdout } = await finish(host.subprocess, node('invalid'));
    expect(JSON.parse(stdout)).toEqual({ message: expect.stringContaining('subprocess control channel was not inherited') as string, marker: false });
  });

  it('209, 210: an endpoint that is paused with unread data survives the exit and delays nothing', async () => {
    const handle = withControl(['/bin/sh', '-c', 'echo unread >&7']);
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 0, signal: null });
    await handle.waitForExit();
    expect(handle.control.destroyed).toBe(false);
    expect(await text(handle.control)).toBe('unread\n');
  });

  it('213: the death of the child is the end', async () => {
    const handle = withControl(['/bin/sh', '-c', 'kill -9 $$']);
    handle.control.resume();
    await within(30_000, 'the end', once(handle.control, 'end'));
    await over(handle);
  });

  it('214, 314: it works beside pipes', async () => {
    const handle = host.subprocess.spawn({
      argv: ['/bin/sh', '-c', 'read -r line <&7; echo "$line"; cat; echo back >&7'], cwd: '/', graceMs: 3000,
      stdio: { stdin: 'pipe', stdout: 'pipe', stderr: collect, control: 'pipe' },
    });
    handle.control.write('control\n');
    handle.stdin.end('stdin');
    expect(await Promise.all([text(handle.stdout), text(handle.control)])).toEqual(['control\nstdin', 'back\n']);
    await handle.waitForExit();
  });

  it('215: after a failed launch it is there or not, and never open', async () => {
    const handle = withControl(['/no/such']);
    await handle.done.catch(() => {});
    expect(handle.control.destroyed).toBe(true);
  });

  it('217: a shell can talk, and each direction ends alone', async () => {
    const handle = withControl(['/bin/sh', '-c', 'echo hello >&7; cat <&7; echo bye >&7']);
    const got = text(handle.control);
    handle.control.end('from the host\n');
    expect(await got).toBe('hello\nbye\n');
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).text).toBe('from the host\n');
    await handle.waitForExit();
  });

  it('217: so can a program in C, and one in Python', async () => {
    const c = withControl(dummy('control-echo'));
    c.control.end('in C');
    expect(await text(c.control)).toBe('in C');
    const python = withControl(['python3', `${root}test/fixtures/children/control.py`]);
    python.control.end('one\ntwo\n');
    expect(await within(30_000, 'its answer', text(python.control))).toBe('ONE\nTWO\nbye from DSH_SUBPROCESS_CONTROL\n');
    for (const handle of [c, python]) await over(handle);
  });
});
