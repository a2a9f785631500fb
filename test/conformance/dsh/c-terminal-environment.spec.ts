import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { compose, type Composition } from '../../support/dsh.ts';
import { leakFence } from '../../support/fence.ts';
import { rejection } from '../../support/run.ts';

const database = vi.hoisted(() => ({ shell: '/account/shell' as string | null, failure: undefined as Error | undefined, asked: 0 }));
vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  const userInfo = () => {
    database.asked++;
    if (database.failure !== undefined) throw database.failure;
    return { ...os.userInfo(), shell: database.shell };
  };
  return { ...os, default: { ...os, userInfo }, userInfo };
});

leakFence();
let host: Composition;
beforeAll(async () => { host = await compose(); });
afterAll(() => host.dispose());
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  Object.assign(database, { shell: '/account/shell', failure: undefined, asked: 0 });
});

const ask = (signal?: AbortSignal) => host.subprocess.terminalEnvironment(signal);
const onPlatform = (platform: NodeJS.Platform) => vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);

describe('C. terminalEnvironment', () => {
  it('34: the shell is SHELL when that is set', async () => {
    vi.stubEnv('SHELL', '/my/shell');
    expect(await ask()).toEqual({ platform: 'posix', defaultShell: '/my/shell' });
  });

  it.each(['', undefined])('35: with SHELL %j it is the account\'s', async (shell) => {
    vi.stubEnv('SHELL', shell);
    expect(await ask()).toEqual({ platform: 'posix', defaultShell: '/account/shell' });
  });

  it('36: with neither there is no key defaultShell', async () => {
    vi.stubEnv('SHELL', '');
    for (const shell of ['', null]) {
      database.shell = shell;
      expect(Object.keys(await ask())).toEqual(['platform']);
    }
  });

  it('37: on Windows it is ComSpec, and no key when that is empty', async () => {
    onPlatform('win32');
    vi.stubEnv('ComSpec', 'C:\\cmd.exe');
    expect(await ask()).toEqual({ platform: 'windows', defaultShell: 'C:\\cmd.exe' });
    vi.stubEnv('ComSpec', '');
    expect(Object.keys(await ask())).toEqual(['platform']);
  });

  it('38: an aborted signal rejects with its reason, and the user database is not asked', async () => {
    vi.stubEnv('SHELL', '');
    const reason = new Error('mine');
    expect(await rejection(ask(AbortSignal.abort(reason)))).toBe(reason);
    expect(database.asked).toBe(0);
  });

  it('39: platform and environment are read at the call', async () => {
    vi.stubEnv('SHELL', '/first');
    expect((await ask()).defaultShell).toBe('/first');
    vi.stubEnv('SHELL', '/second');
    expect((await ask()).defaultShell).toBe('/second');
    onPlatform('win32');
    expect((await ask()).platform).toBe('windows');
  });

  it('40: a user database that fails rejects with its error', async () => {
    vi.stubEnv('SHELL', '');
    database.failure = new Error('no entry');
    expect(await rejection(ask())).toBe(database.failure);
  });
});
