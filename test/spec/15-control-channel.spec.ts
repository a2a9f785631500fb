import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy, root } from '../support/paths.ts';
import { factsArgv, parseFacts, rejection, run } from '../support/run.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();
const marker = 'HOLDFAST_SUBPROCESS_CONTROL';
const child = `${root}test/fixtures/children/control.mjs`;

function withControl(argv: readonly string[], env = {}, of = runtime) {
  const collect = { maxBytes: 1 << 20 };
  return of.spawn({ argv, cwd: fence.directory, graceMs: 5000, env, stdio: { stdin: 'ignore', stdout: collect, stderr: collect, control: 'pipe' } });
}

/** Everything until the other side ends. */
async function drain(stream: Duplex): Promise<Buffer> {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => { parts.push(part); });
  await within(30_000, 'the end of the channel', once(stream, 'end'));
  return Buffer.concat(parts);
}

describe('the control channel', () => {
  it('is not there unless it is asked for: no stream, no descriptor 7, no marker (204)', async () => {
    const { handle, stdout } = await run(runtime, factsArgv, fence.directory);
    expect('control' in handle && handle.control !== undefined).toBe(false);
    const facts = parseFacts(stdout);
    expect(facts.fds).not.toHaveProperty('7');
    expect(facts.env).not.toHaveProperty(marker);
  });

  it('is a Duplex here, and descriptor 7 with its marker in the child, which has no other new descriptor (53, 77, 205, 314)', async () => {
    const handle = withControl(factsArgv);
    expect(handle.control).toBeInstanceOf(Duplex);
    await handle.done;
    const facts = parseFacts(handle.collected.stdout.readFrom(0).text);
    expect(Object.keys(facts.fds)).toEqual(['0', '1', '2', '7']);
    expect(facts.fds['7']).toEqual({ type: 'socket', nonblocking: false });
    expect(facts.env[marker]).toBe('pipe');
    handle.control.destroy();
  });

  it('takes its marker from the prefix of the runtime, and never from the host (53)', async () => {
    const other = new LocalSubprocessRuntime({ prefix: 'OTHER_' });
    process.env['OTHER_SUBPROCESS_CONTROL'] = 'pipe';
    const plain = parseFacts((await run(other, factsArgv, fence.directory)).stdout);
    delete process.env['OTHER_SUBPROCESS_CONTROL'];
    expect(plain.env).not.toHaveProperty('OTHER_SUBPROCESS_CONTROL');
    const handle = withControl(factsArgv, {}, other);
    await handle.done;
    expect(parseFacts(handle.collected.stdout.readFrom(0).text).env).toMatchObject({ OTHER_SUBPROCESS_CONTROL: 'pipe' });
    await other.dispose();
    expect(handle.control).toMatchObject({ destroyed: true, closed: true });
  });

  it('echoes 256 KiB of bytes exactly, apart from stdout and stderr (205)', async () => {
    const handle = withControl(dummy('control-echo'));
    const sent = randomBytes(256 << 10);
    const got = drain(handle.control);
    handle.control.end(sent);
    expect((await got).equals(sent)).toBe(true);
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).nextOffset).toBe(0);
    expect(handle.collected.stderr.readFrom(0).nextOffset).toBe(0);
  });

  it('needs nothing but descriptor 7: a shell can talk; each direction ends alone (217)', async () => {
    const handle = withControl(['/bin/sh', '-c', 'echo hello >&7; cat <&7; echo bye >&7']);
    const got = drain(handle.control);
    handle.control.end('from the host\n');
    expect(String(await got)).toBe('hello\nbye\n');
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(handle.collected.stdout.readFrom(0).text).toBe('from the host\n');
  });

  it('does not delay done, and unread bytes outlive the command (209, 210)', async () => {
    const handle = withControl(['/bin/sh', '-c', 'echo unread >&7; exit 4']);
    expect(await within(30_000, 'done', handle.done)).toEqual({ exitCode: 4, signal: null });
    expect(handle.control.destroyed).toBe(false);
    await handle.waitForExit();
    const got = drain(handle.control);
    expect(String(await got)).toBe('unread\n');
    handle.control.destroy();
  });

  it('ends when the child dies (213)', async () => {
    const handle = withControl(dummy('control-echo'));
    const got = drain(handle.control);
    handle.terminate();
    expect(await got).toHaveLength(0);
    await handle.done;
    handle.control.destroy();
  });

  it('may be missing or dead after a launch that failed (215)', async () => {
    const handle = withControl(['/no/such/program']);
    await rejection(handle.done);
    const control: Duplex | undefined = handle.control;
    if (control !== undefined) {
      control.on('error', () => {});
      control.resume();
      control.end('nobody');
      if (!control.closed) await within(30_000, 'close', once(control, 'close'));
    }
  });
});

describe('openInheritedControlChannel', () => {
  it('opens the channel once, consumes the marker, and is half-open; a grandchild has neither (206, 207, 208)', async () => {
    const handle = withControl([process.execPath, child]);
    const got = drain(handle.control);
    handle.control.end('ping');
    const facts = JSON.parse(String(await got)) as Record<string, unknown>;
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    expect(facts).toEqual({ received: 'ping', marker: false, again: expect.stringContaining('control channel was not inherited'), descriptor: 7, grandchild: { marker: false, descriptor7: false } });
  });

  it('throws in a process that did not inherit one, and removes a false marker (207)', async () => {
    const { stdout } = await run(runtime, [process.execPath, child, 'expect-none'], fence.directory);
    expect(JSON.parse(stdout)).toEqual([
      { given: null, message: expect.stringContaining('control channel was not inherited'), marker: false },
      { given: 'socket', message: expect.stringContaining('control channel was not inherited'), marker: false },
    ]);
  });
});
