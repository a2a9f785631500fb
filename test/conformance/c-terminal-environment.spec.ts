import { describe, expect, it } from 'vitest';
import { askHost } from '../support/host.ts';
import { asNobodyElse } from '../support/privilege.ts';

interface Answer { value?: { platform: string; defaultShell?: string }; code?: string; keys: string[] }

describe('terminalEnvironment', () => {
  it('leaves the shell out where neither SHELL nor the account names one (36)', async () => {
    const answer = await askHost<Answer>('terminal-environment.mjs', ['no-shell'], { env: { SHELL: '' } });
    expect(answer).toEqual({ value: { platform: 'posix' }, keys: ['platform'] });
  });

  it('reads the platform and the environment at the call (39)', async () => {
    const answer = await askHost<Answer>('terminal-environment.mjs', ['windows'], { env: { SHELL: '/bin/sh' } });
    expect(answer.value).toEqual({ platform: 'windows', defaultShell: 'C:\\stub.exe' });
  });

  it('rejects with the error of a user database that cannot answer (40)', async () => {
    // A user without an account; an ordinary user has one, and the database is replaced.
    const answer = await askHost<Answer>('terminal-environment.mjs', [asNobodyElse.length > 0 ? 'plain' : 'no-database'], { env: { SHELL: '' }, wrap: asNobodyElse });
    expect(answer.code).toBe('ERR_SYSTEM_ERROR');
  });
});
