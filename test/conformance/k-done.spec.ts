import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { spawnCollecting } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

describe('the reason of an abort', () => {
  it.each([['text'], [null], [0], [{ why: 'mine' }]])('%j reaches who waits as it is, also when it is no Error (150)', async (reason) => {
    const signal = AbortSignal.abort(reason);
    // A signal that is aborted with undefined gets a reason of its own; null stays.
    await runtime.resolveExecutable('sh', {}, signal).then(() => expect.unreachable(), (error: unknown) => expect(error).toBe(reason));
    await runtime.terminalEnvironment(signal).then(() => expect.unreachable(), (error: unknown) => expect(error).toBe(reason));
    const handle = spawnCollecting(runtime, ['/bin/sleep', '60'], fence.directory);
    await handle.collected.stdout.changed(0, { signal }).then(() => expect.unreachable(), (error: unknown) => expect(error).toBe(reason));
    handle.terminate();
    expect(await handle.done).toEqual({ exitCode: null, signal: 'SIGTERM' });
    await handle.waitForExit();
  });
});
