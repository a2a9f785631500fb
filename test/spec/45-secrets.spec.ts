import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { provingOwners } from '../support/owners.ts';
import { dummy } from '../support/paths.ts';
import { descendants } from '../support/proc.ts';
import { line, rejection, spawnCollecting } from '../support/run.ts';

const fence = leakFence();
const SECRET = 'correct-horse-battery-staple';

describe.each(provingOwners)('what a caller hands to a command, held by %s', (owner) => {
  it('is neither among the arguments nor in the environment of the processes that hold it, nor in a report, a diagnosis or a file', async () => {
    process.env['HOST_TOKEN'] = SECRET;
    const runtime = new LocalSubprocessRuntime({ ownership: owner });
    const handle = spawnCollecting(runtime, [...dummy('trap-term', 0), SECRET], fence.directory, { env: { GIVEN_TOKEN: SECRET } });
    await line(handle);
    const holders = descendants(process.pid).filter((one) => one.comm === 'holdfast');
    expect(holders.length).toBeGreaterThan(0);
    for (const { pid } of holders) {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toBe('holdfast-warden\0');
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    }
    expect(JSON.stringify([handle.report(), await handle.inspect(), await runtime.diagnose()])).not.toContain(SECRET);
    expect(readdirSync(fence.directory)).toEqual([]);
    handle.terminate();
    await handle.waitForExit();
    expect(JSON.stringify(handle.report())).not.toContain(SECRET);
    await runtime.dispose();
    delete process.env['HOST_TOKEN'];
  });

  it('is in an error only as far as it is among the arguments, as in those of Node', async () => {
    const runtime = new LocalSubprocessRuntime({ ownership: owner });
    const error = await rejection(spawnCollecting(runtime, ['/no/such/program', 'argument'], fence.directory, { env: { GIVEN_TOKEN: SECRET } }).done);
    expect(error['spawnargs']).toEqual(['argument']);
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain(SECRET);
    await runtime.dispose();
  });
});
