import { chmodSync, closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, finish, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { dummyPath } from '../../support/paths.ts';
import { openFiles } from '../../support/proc.ts';
import { factsArgv, parseFacts, rejection, type Facts } from '../../support/run.ts';
import { waitUntil } from '../../support/until.ts';

const fence = leakFence();
let host: Composition;
let place: string;
beforeAll(async () => {
  host = await compose();
  place = mkdtempSync(join(dirname(fence.directory), 'holdfast-child-'));
});
afterAll(async () => {
  await host.dispose();
  rmSync(place, { recursive: true });
});

const facts = async (more = {}): Promise<Facts> => parseFacts((await finish(host.subprocess, factsArgv, more)).stdout);

function script(name: string, text: string | Buffer): string {
  writeFileSync(join(place, name), text, { mode: 0o755 });
  return join(place, name);
}

describe('F. what the child is', () => {
  it('68: leader of a session and a group of its own, without a terminal', async () => {
    const { pid, sid, pgid, tty } = await facts();
    expect([sid, pgid, tty]).toEqual([pid, pid, false]);
  });

  it('69, 305, 313: all signals have their default effect and none is blocked, although the host ignores SIGPIPE', async () => {
    const { stdout } = await finish(host.subprocess, ['grep', '-E', '^Sig(Ign|Blk)', '/proc/self/status']);
    expect(stdout.match(/0{16}$/gm)).toHaveLength(2);
    const piped = await finish(host.subprocess, ['bash', '-c', 'yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}']);
    expect([piped.stdout, piped.stderr]).toEqual([`${128 + constants.signals.SIGPIPE}\n`, '']);
  });

  it('70: descriptors 0 to 2 are blocking, and its output can be opened again by name', async () => {
    const { fds } = await facts();
    expect(Object.values(fds).map((one) => one.nonblocking)).toEqual([false, false, false]);
    expect((await finish(host.subprocess, ['/bin/sh', '-c', 'echo again > /dev/stdout'])).stdout).toBe('again\n');
  });

  it('71: umask, priority and limits are the host\'s', async () => {
    const before = process.umask(0o027);
    try {
      const { umask, nice, nofile } = await facts();
      const mine = (await finish(host.subprocess, ['/bin/sh', '-c', 'nice; ulimit -n'])).stdout.split('\n').map(Number);
      expect([umask, nice, nofile[0]]).toEqual([0o027, mine[0], mine[1]]);
    } finally {
      process.umask(before);
    }
  });

  it('72: it starts in the directory of the specification; an empty one is refused', async () => {
    expect((await facts({ cwd: place })).cwd).toBe(place);
    expect(() => start(host.subprocess, ['true'], { cwd: '' })).toThrow(TypeError);
  });

  it('73: a bare program is looked up on the PATH of the child, one with a separator from its directory', async () => {
    mkdirSync(join(place, 'bin'));
    copyFileSync(dummyPath, join(place, 'bin/only-here'));
    chmodSync(join(place, 'bin/only-here'), 0o755);
    const exit = (await finish(host.subprocess, ['only-here', 'exit', '3'], { env: { PATH: join(place, 'bin') } })).outcome;
    expect(exit).toEqual({ exitCode: 3, signal: null });
    expect((await finish(host.subprocess, ['./bin/only-here', 'exit', '4'], { cwd: place })).outcome.exitCode).toBe(4);
    expect(await rejection(start(host.subprocess, ['only-here']).done)).toMatchObject({ code: 'ENOENT' });
  });

  it('74: text without #! is run by /bin/sh; a script whose interpreter is missing is not found, by its own name', async () => {
    const text = script('text', 'echo "$0 $1"; exit 5\n');
    const { stdout, outcome } = await finish(host.subprocess, [text, 'x']);
    expect([stdout, outcome.exitCode]).toEqual([`${text} x\n`, 5]);
    const lost = script('lost', '#!/no/such/interpreter\n');
    expect(await rejection(start(host.subprocess, [lost]).done)).toMatchObject({ code: 'ENOENT', path: lost });
    const damaged = script('damaged', Buffer.from('\x7fELF\0\0damaged', 'latin1'));
    expect(await rejection(start(host.subprocess, [damaged]).done)).toMatchObject({ code: 'ENOEXEC' });
  });

  it('75, 204, 314: it has descriptors 0, 1 and 2 and no other, whatever the host has open', async () => {
    const opened = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
    try {
      expect(Object.keys((await facts()).fds)).toEqual(['0', '1', '2']);
    } finally {
      opened.forEach(closeSync);
    }
  });

  it('76: failures of the launch reject done, none is thrown', async () => {
    const file = script('file', 'x');
    const cases: [string[], object, string][] = [
      [['/bin/true', 'x'.repeat(1 << 20)], {}, 'E2BIG'],
      [[`/${'x'.repeat(5000)}`], {}, 'ENAMETOOLONG'],
      [['/bin/true'], { cwd: file }, 'ENOTDIR'],
      [[`${file}/x`], {}, 'ENOTDIR'],
    ];
    for (const [argv, more, code] of cases) expect(await rejection(start(host.subprocess, argv, more).done)).toMatchObject({ code, errno: expect.any(Number) as number });
  });

  it('77: descriptors 3 to 6 of a child with a control channel are not there', async () => {
    const output = { maxBytes: 1e6 };
    const handle = host.subprocess.spawn({ argv: factsArgv, cwd: '/', graceMs: 2000, stdio: { stdin: 'ignore', stdout: output, stderr: output, control: 'pipe' } });
    await handle.done;
    expect(Object.keys(parseFacts(handle.collected.stdout.readFrom(0).text).fds)).toEqual(['0', '1', '2', '7']);
    handle.control.destroy();
    await handle.waitForExit();
  });

  it('79: sixty commands and twenty failures leave no descriptor behind', async () => {
    const before = openFiles();
    const good = Array.from({ length: 60 }, () => start(host.subprocess, ['true']));
    const bad = Array.from({ length: 20 }, (_, at) => start(host.subprocess, [`/no/such/${basename(place)}/${at}`]));
    for (const handle of good) expect((await handle.done).exitCode).toBe(0);
    for (const handle of bad) expect(await rejection(handle.done)).toMatchObject({ code: 'ENOENT' });
    await Promise.all([...good, ...bad].map((handle) => handle.waitForExit()));
    await waitUntil('the descriptors are as before', () => openFiles().join() === before.join());
  });
});
