import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, finish, start, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { parseFacts } from '../../support/run.ts';
import { dummy } from '../../support/paths.ts';

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());

const spawning = (change: object) => () => start(host.subprocess, ['true'], change as never);
const invalid = (name: string) => expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message: expect.stringContaining(`'${name}'`) as string }) as Error;
const N = 'a\0b';

describe('E. what spawn refuses', () => {
  it.each([0, -1, NaN, Infinity, 2 ** 31])('56: graceMs %d', (graceMs) => {
    expect(spawning({ graceMs })).toThrow('subprocess graceMs must be a positive finite number no greater than 2147483647');
  });

  it.each([['reason', 'reason'], [undefined, 'AbortError'], [null, 'aborted']])('57: a signal that is aborted already, for the reason %j', (reason, text) => {
    expect(spawning({ signal: AbortSignal.abort(reason) })).toThrow(new RegExp(`^aborted before spawn: .*${text}`));
  });

  it('58: a reason that cannot be converted', () => {
    expect(spawning({ signal: AbortSignal.abort({ toString() { throw new Error('no'); } }) })).toThrow('aborted before spawn: aborted');
  });

  it.each([[[]], [['']], [['', 'x']]])('59: argv %j', (argv) => {
    expect(() => start(host.subprocess, argv)).toThrow('invalid argv: expected a non-empty program name at argv[0]');
  });

  it('60, 61, 62, 63: a NUL in the program, an argument, the directory, a name or a value, each by Node\'s name', () => {
    expect(() => start(host.subprocess, [N])).toThrow(invalid('file'));
    expect(() => start(host.subprocess, ['true', 'x', N])).toThrow(invalid('args[1]'));
    expect(spawning({ cwd: N })).toThrow(invalid('options.cwd'));
    expect(spawning({ env: { K: N } })).toThrow(invalid("options.env['K']"));
    expect(spawning({ env: { [N]: 'v' } })).toThrow(invalid(`options.env['${N}']`));
  });

  it('64: grace before signal before argv before NUL before marker; nothing is launched', () => {
    const all = { graceMs: 0, signal: AbortSignal.abort('r'), cwd: N, env: { DSH_SUBPROCESS_CONTROL: 'x' } };
    const refused = (change: object, argv: string[] = ['']): string => {
      try {
        start(host.subprocess, argv, { ...all, ...change } as never);
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error('it was not refused');
    };
    const passed = { graceMs: 100, signal: undefined };
    expect(refused({})).toContain('graceMs');
    expect(refused({ graceMs: 100 })).toContain('aborted before spawn');
    expect(refused(passed)).toContain('invalid argv');
    expect(refused(passed, ['true'])).toContain('options.cwd');
    expect(refused({ ...passed, cwd: '/' }, ['true'])).toContain('is reserved');
  });

  it('65: a spill directory that cannot be made never prevents a launch', async () => {
    const outside = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/proc/no/such';
    try {
      const spill = { maxBytes: 10, spill: { maxBytes: 1000 } };
      const handle = host.subprocess.spawn({ argv: dummy('write', 1, 100, 100, 0), cwd: '/', graceMs: 2000, stdio: { stdin: 'ignore', stdout: spill, stderr: spill } });
      expect(await handle.done).toEqual({ exitCode: 0, signal: null });
      expect(handle.collected.stdout.readFrom(0)).toMatchObject({ nextOffset: 100, lossy: true });
      expect('spillPath' in handle.collected.stdout.readFrom(0)).toBe(false);
      await handle.waitForExit();
    } finally {
      process.env['TMPDIR'] = outside;
    }
    expect(host.logged.splice(0)).toEqual([{ type: 'error', args: [expect.stringContaining('stdout'), expect.objectContaining({ stage: 'spill' })] }]);
  });

  it.each([-1, 1.5, NaN, Infinity, 2 ** 53])('66: a size of %d', (maxBytes) => {
    const output = { maxBytes: 10 };
    const spawn = (stdout: object) => () => host.subprocess.spawn({ argv: ['true'], cwd: '/', graceMs: 100, stdio: { stdin: 'ignore', stdout: stdout as never, stderr: output } });
    expect(spawn({ maxBytes })).toThrow(RangeError);
    expect(spawn({ maxBytes: 10, spill: { maxBytes } })).toThrow(RangeError);
  });

  it('67: empty arguments and arguments in any script arrive unchanged, and no shell sees them', async () => {
    const given = ['', 'ünï ✓', '$HOME', '*', '; exit 3', ''];
    const { stdout } = await finish(host.subprocess, [...dummy('facts'), ...given]);
    expect(parseFacts(stdout).argv.slice(2)).toEqual(given);
  });
});
