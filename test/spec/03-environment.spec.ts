import { afterEach, describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SENSITIVE_ENV_PATTERN, childEnvironment, scrubbedParentEnv } from '../support/holdfast.ts';
import { factsArgv, parseFacts, run } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

const set = new Map<string, string | undefined>();
/** Sets a variable of this process until the end of the test. */
function ambient(name: string, value: string): void {
  if (!set.has(name)) set.set(name, process.env[name]);
  process.env[name] = value;
}
afterEach(() => {
  for (const [name, value] of set) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  set.clear();
});

async function childEnv(env: Record<string, string | undefined> = {}, of = runtime): Promise<Record<string, string>> {
  return parseFacts((await run(of, factsArgv, fence.directory, { env })).stdout).env;
}

describe('what a command inherits', () => {
  it.each(['A_KEY', 'keyboard', 'MY_PASSWORD_1', 'xSecretx', 'GH_token'])('is not %s: it may be a credential (41)', async (name) => {
    ambient(name, 'x');
    expect(name).toMatch(SENSITIVE_ENV_PATTERN);
    expect(await childEnv()).not.toHaveProperty(name);
  });

  it.each(['HOLDFAST_X', 'holdfast_x', 'Holdfast_'])('is not %s: the managed prefix in any case (42)', async (name) => {
    ambient(name, 'x');
    expect(await childEnv()).not.toHaveProperty(name);
  });

  it('is PATH, HOME, locale, proxies, TERM and everything else (41, 47, 48)', async () => {
    const names = ['HOME', 'LANG', 'LC_ALL', 'TERM', 'http_proxy', 'NO_PROXY', 'MY_PASSPHRASE', 'MY_PWD', 'MY_CREDENTIAL', 'PWD', 'OLDPWD'];
    for (const name of names) ambient(name, `value of ${name}`);
    const env = await childEnv();
    expect(env['PATH']).toBe(process.env['PATH']);
    for (const name of names) expect(env[name]).toBe(`value of ${name}`);
  });

  it('is what the host has at the call, not when the runtime was made (46)', async () => {
    ambient('CHANGES', 'first');
    expect(await childEnv()).toHaveProperty('CHANGES', 'first');
    ambient('CHANGES', 'second');
    expect(await childEnv()).toHaveProperty('CHANGES', 'second');
  });

  it('are bytes: a value that is no ASCII arrives', async () => {
    ambient('GRUSS', 'grüße 世界 🎣');
    expect(await childEnv()).toHaveProperty('GRUSS', 'grüße 世界 🎣');
  });

  it('follows the prefix of the runtime', async () => {
    const other = new LocalSubprocessRuntime({ prefix: 'OTHER_' });
    ambient('OTHER_X', 'x');
    ambient('HOLDFAST_Y', 'y');
    const env = await childEnv({}, other);
    expect(env).not.toHaveProperty('OTHER_X');
    expect(env).toHaveProperty('HOLDFAST_Y', 'y');
    await other.dispose();
  });
});

describe('what the caller gives', () => {
  it('wins over the scrub: a string is deliberate (43)', async () => {
    expect(await childEnv({ API_TOKEN: 't', HOLDFAST_FACT: 'f' })).toMatchObject({ API_TOKEN: 't', HOLDFAST_FACT: 'f' });
  });

  it('removes an inherited name when it is undefined (44)', async () => {
    ambient('GOES', 'x');
    expect(await childEnv({ GOES: undefined })).not.toHaveProperty('GOES');
  });

  it('keeps a name that is set and empty (45)', async () => {
    ambient('EMPTY', 'x');
    expect(await childEnv({ EMPTY: '' })).toHaveProperty('EMPTY', '');
  });

  it('replaces, and names that differ in case are two names', async () => {
    ambient('Case', 'host');
    expect(await childEnv({ CASE: 'caller' })).toMatchObject({ Case: 'host', CASE: 'caller' });
  });

  it('passes two thousand variables and one of 100 KB', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`N${i}`, `${i}`]));
    const { outcome, stdout } = await run(runtime, ['/bin/sh', '-c', 'echo "$N0 $N1999 ${#BIG}"'], fence.directory, { env: { ...many, BIG: 'x'.repeat(100_000) } });
    expect(outcome.exitCode).toBe(0);
    expect(stdout).toBe('0 1999 100000\n');
  });
});

describe('scrubbedParentEnv and childEnvironment', () => {
  it('are plain functions that give what a child gets, and change nothing', async () => {
    ambient('SOME_TOKEN', 'x');
    ambient('HOLDFAST_X', 'x');
    ambient('OTHER_X', 'x');
    const before = { ...process.env };
    expect(scrubbedParentEnv()).not.toHaveProperty('SOME_TOKEN');
    expect(scrubbedParentEnv()).not.toHaveProperty('HOLDFAST_X');
    expect(scrubbedParentEnv('OTHER_')).toMatchObject({ HOLDFAST_X: 'x' });
    expect(scrubbedParentEnv('OTHER_')).not.toHaveProperty('OTHER_X');
    expect(childEnvironment('HOLDFAST_', { A: '1', LANG: undefined })).toMatchObject({ A: '1', PATH: process.env['PATH'] });
    expect(childEnvironment('HOLDFAST_', { A: '1', LANG: undefined })).not.toHaveProperty('LANG');
    expect({ ...process.env }).toEqual(before);
    expect(await childEnv({ A: '1' })).toEqual(childEnvironment('HOLDFAST_', { A: '1' }));
  });
});
