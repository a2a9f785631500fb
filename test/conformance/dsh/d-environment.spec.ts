import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { compose, finish, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { factsArgv, parseFacts } from '../../support/run.ts';

const fence = leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());
afterEach(() => { vi.unstubAllEnvs(); });

async function childEnv(env?: Record<string, string | undefined>): Promise<Record<string, string>> {
  const { stdout } = await finish(host.subprocess, factsArgv, env === undefined ? {} : { env });
  return parseFacts(stdout).env;
}

const spawnWith = (env: Record<string, string | undefined>, control = false) =>
  host.subprocess.spawn({
    argv: factsArgv, cwd: '/', graceMs: 2000, env,
    stdio: { stdin: 'ignore', stdout: { maxBytes: 1e6 }, stderr: { maxBytes: 1000 }, ...(control ? { control: 'pipe' } : {}) },
  });

describe('D. the environment of a command', () => {
  it('41: names that look like credentials are dropped, KEYBOARD_LAYOUT too', async () => {
    for (const name of ['MY_API_KEY', 'my_password', 'A_SecreT', 'TOKENS', 'KEYBOARD_LAYOUT']) vi.stubEnv(name, 'x');
    const env = await childEnv();
    expect(Object.keys(env).filter((name) => /KEY|PASSWORD|SECRET|TOKEN/i.test(name))).toEqual([]);
    expect(env).toMatchObject({ PATH: process.env['PATH'] });
  });

  it('42: names that begin with the prefix are dropped, in any case', async () => {
    for (const name of ['DSH_HOME', 'dsh_home', 'Dsh_X', 'DSH_']) vi.stubEnv(name, 'x');
    expect(Object.keys(await childEnv()).filter((name) => /^dsh_/i.test(name))).toEqual([]);
  });

  it('43: an explicit string wins over both', async () => {
    vi.stubEnv('MY_API_KEY', 'ambient');
    expect(await childEnv({ MY_API_KEY: 'given', DSH_SESSION: 'fact' })).toMatchObject({ MY_API_KEY: 'given', DSH_SESSION: 'fact' });
  });

  it('44: an explicit undefined removes what would be inherited', async () => {
    vi.stubEnv('ORDINARY', 'ambient');
    expect(await childEnv()).toHaveProperty('ORDINARY', 'ambient');
    expect(await childEnv({ ORDINARY: undefined })).not.toHaveProperty('ORDINARY');
  });

  it('45: an explicit empty string stays, empty', async () => {
    expect(await childEnv({ EMPTY: '' })).toHaveProperty('EMPTY', '');
  });

  it('46: the host\'s environment is read at the spawn', async () => {
    vi.stubEnv('LATER', 'after mounting');
    expect(await childEnv()).toHaveProperty('LATER', 'after mounting');
  });

  it('47: the heuristic goes by these words only', async () => {
    for (const name of ['MY_PASSPHRASE', 'MY_PWD', 'MY_CREDENTIAL']) vi.stubEnv(name, 'x');
    expect(await childEnv()).toMatchObject({ MY_PASSPHRASE: 'x', MY_PWD: 'x', MY_CREDENTIAL: 'x' });
  });

  it('48: TERM passes', async () => {
    vi.stubEnv('TERM', 'xterm-of-the-host');
    expect(await childEnv()).toHaveProperty('TERM', 'xterm-of-the-host');
  });

  it('51: a value for the control marker is refused, in any case, requested or not', () => {
    for (const name of ['DSH_SUBPROCESS_CONTROL', 'dsh_subprocess_control']) {
      for (const control of [false, true]) expect(() => spawnWith({ [name]: 'x' }, control)).toThrow('is reserved for subprocess control-channel setup');
    }
  });

  it('52: undefined for the marker is allowed', async () => {
    const handle = spawnWith({ DSH_SUBPROCESS_CONTROL: undefined });
    expect(await handle.done).toEqual({ exitCode: 0, signal: null });
    await handle.waitForExit();
  });

  it('53: the marker is in the child exactly when the channel was asked for, and never inherited', async () => {
    vi.stubEnv('DSH_SUBPROCESS_CONTROL', 'pipe');
    expect(await childEnv()).not.toHaveProperty('DSH_SUBPROCESS_CONTROL');
    const handle = spawnWith({}, true);
    await handle.done;
    expect(parseFacts(handle.collected.stdout?.readFrom(0).text ?? '').env).toHaveProperty('DSH_SUBPROCESS_CONTROL', 'pipe');
    handle.control?.destroy();
    await handle.waitForExit();
  });

  it('54: PWD and OLDPWD keep the host\'s values, whatever the directory is', async () => {
    vi.stubEnv('PWD', '/the/host');
    vi.stubEnv('OLDPWD', '/the/host/before');
    const facts = parseFacts((await finish(host.subprocess, factsArgv, { cwd: fence.directory })).stdout);
    expect(facts).toMatchObject({ cwd: fence.directory, env: { PWD: '/the/host', OLDPWD: '/the/host/before' } });
  });

  it('55: a value that is no string is a caller\'s error', () => {
    expect(() => spawnWith({ NUMBER: 5 as never })).toThrow(TypeError);
  });
});
