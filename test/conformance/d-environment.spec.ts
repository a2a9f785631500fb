import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { factsArgv, parseFacts, run } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

describe('the environment of a command', () => {
  it('has PWD and OLDPWD of the host, whatever its directory is (54)', async () => {
    process.env['PWD'] = '/the/host';
    process.env['OLDPWD'] = '/the/host/before';
    const facts = parseFacts((await run(runtime, factsArgv, fence.directory)).stdout);
    expect(facts).toMatchObject({ cwd: fence.directory, env: { PWD: '/the/host', OLDPWD: '/the/host/before' } });
  });
});
