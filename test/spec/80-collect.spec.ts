import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { collect, CommandFailedError, LocalSubprocessRuntime } from '../support/holdfast.ts';
import { dummy } from '../support/paths.ts';
import { rejection } from '../support/run.ts';

const { directory } = leakFence();

describe('collect', () => {
  it('gives exit facts, text, bytes and the report', async () => {
    const result = await collect(['sh', '-c', 'echo out; echo err >&2; exit 3'], { cwd: directory });
    expect(result).toMatchObject({ exitCode: 3, signal: null, cause: 'exit', ok: false, stdout: { text: 'out\n', totalBytes: 4, complete: true }, stderr: { text: 'err\n' } });
    expect(Buffer.from(result.stdout.bytes).toString()).toBe('out\n');
    expect(['proven', 'observed']).toContain(result.report.proof);
    expect((await collect(['true'])).ok).toBe(true);
  });

  it('writes the input, and the null device without one', async () => {
    expect((await collect(['cat'], { input: 'ä\n' })).stdout.text).toBe('ä\n');
    expect((await collect(['cat'])).stdout.text).toBe('');
  });

  it('keeps the end of long output, and all of it in a file if asked', async () => {
    const cut = await collect(dummy('write', 1, 100_000, 4096, 0), { maxBytes: 1000 });
    expect([cut.stdout.bytes.length, cut.stdout.totalBytes, cut.stdout.complete, cut.stdout.spillPath]).toEqual([1000, 100_000, false, undefined]);
    await using runtime = new LocalSubprocessRuntime({ removeSpillOnDispose: true });
    const spilt = await collect(dummy('write', 1, 100_000, 4096, 0), { maxBytes: 1000, spill: { maxBytes: 1e6 }, runtime });
    expect(readFileSync(spilt.stdout.spillPath ?? '').length).toBe(100_000);
  });

  it('ends what takes too long, and says so', async () => {
    const result = await collect(['sleep', '60'], { timeoutMs: 50 });
    expect(result).toMatchObject({ cause: 'timeout', ok: false, exitCode: null, signal: 'SIGTERM' });
  });

  it('ends on abort, and does not start when aborted before', async () => {
    const abort = new AbortController();
    const running = collect(['sleep', '60'], { signal: abort.signal });
    abort.abort();
    expect(await running).toMatchObject({ cause: 'abort', ok: false });
    expect(await rejection(collect(['true'], { signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORT_ERR' });
  });

  it('leaves nothing, also of what outlives the command', async () => {
    const { report } = await collect(['sh', '-c', 'sleep 60 >/dev/null 2>&1 & exit 0']);
    expect(report.strays.count).toBe(1);
  });

  it('rejects for a code other than 0 only when asked, and shows no argument', async () => {
    const error = await rejection(collect(['sh', '-c', 'echo first >&2; echo why >&2; exit 4', 'secret'], { check: true }));
    expect(error).toBeInstanceOf(CommandFailedError);
    expect(error).toMatchObject({ code: 'COMMAND_FAILED', message: 'sh ended with exit code 4: why', result: { exitCode: 4 } });
    expect((await rejection(collect(['sh', '-c', 'kill -9 $$'], { check: true }))).message).toBe('sh was ended by SIGKILL');
    expect((await collect(['true'], { check: true })).ok).toBe(true);
  });

  it('rejects for a failed launch and for wrong options', async () => {
    expect(await rejection(collect(['no-such-program-here']))).toMatchObject({ code: 'ENOENT' });
    expect(await rejection(collect(['true'], { timeoutMs: 0 }))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    expect(await rejection(collect(['true'], { timeoutMs: Infinity }))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await using runtime = new LocalSubprocessRuntime();
    expect(await rejection(collect(['true'], { runtime, ownership: 'auto' }))).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('leaves a given runtime to its owner', async () => {
    await using runtime = new LocalSubprocessRuntime();
    await collect(['true'], { runtime });
    expect((await collect(['true'], { runtime })).ok).toBe(true);
  });
});
