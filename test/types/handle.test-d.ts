import type { Duplex, Readable, Writable } from 'node:stream';
import { describe, expectTypeOf, it } from 'vitest';
import type { HoldfastEvents, SubprocessErrorCode, SubprocessHandle, SubprocessReader, SubprocessSpawnSpec, SubprocessStdio } from '../../src/index.ts';
import { collect, LocalSubprocessRuntime, SubprocessError } from '../../src/index.ts';
import type { ErrorRow } from '../../src/seam/error-table.ts';
import type { ERROR_TABLE } from '../../src/seam/error-table.ts';

declare const runtime: LocalSubprocessRuntime;
const base = { argv: ['true'], cwd: '/', graceMs: 1 };

describe('the type of a handle follows its specification', () => {
  it('pipes are streams', () => {
    const handle = runtime.spawn({ ...base, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', control: 'pipe' } });
    expectTypeOf(handle.stdin).toEqualTypeOf<Writable>();
    expectTypeOf(handle.stdout).toEqualTypeOf<Readable>();
    expectTypeOf(handle.stderr).toEqualTypeOf<Readable>();
    expectTypeOf(handle.control).toEqualTypeOf<Duplex>();
    expectTypeOf(handle.collected.stdout).toEqualTypeOf<undefined>();
  });

  it('collected streams are readers, and nothing else is there', () => {
    const handle = runtime.spawn({ ...base, stdio: { stdin: { data: 'x' }, stdout: { maxBytes: 1 }, stderr: { maxBytes: 1, spill: { maxBytes: 2 } } } });
    expectTypeOf(handle.collected.stdout).toEqualTypeOf<SubprocessReader>();
    expectTypeOf(handle.collected.stderr).toEqualTypeOf<SubprocessReader>();
    expectTypeOf(handle.stdin).toEqualTypeOf<undefined>();
    expectTypeOf(handle.stdout).toEqualTypeOf<undefined>();
    expectTypeOf(handle.control).toEqualTypeOf<undefined>();
  });

  it('what is decided at run time may be either', () => {
    const stdout = Math.random() > 0.5 ? ('pipe' as const) : { maxBytes: 1 };
    const handle = runtime.spawn({ ...base, stdio: { stdin: 'ignore', stdout, stderr: 'inherit' } });
    expectTypeOf(handle.stdout).toEqualTypeOf<Readable | undefined>();
    expectTypeOf(handle.collected.stdout).toEqualTypeOf<SubprocessReader | undefined>();
    const stdio = {} as SubprocessStdio;
    const loose = runtime.spawn({ ...base, stdio });
    expectTypeOf(loose.stdin).toEqualTypeOf<Writable | undefined>();
    expectTypeOf(loose.control).toEqualTypeOf<Duplex | undefined>();
  });

  it('every handle is a SubprocessHandle', () => {
    const handle = runtime.spawn({ ...base, stdio: { stdin: 'pipe', stdout: { maxBytes: 1 }, stderr: 'inherit' } });
    expectTypeOf(handle).toExtend<SubprocessHandle>();
    expectTypeOf(handle.done).resolves.toEqualTypeOf<{ readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }>();
  });
});

describe('a specification', () => {
  it('takes undefined for what is optional', () => {
    const stdio = { stdin: 'ignore', stdout: { maxBytes: 1, spill: undefined }, stderr: 'inherit', control: undefined } as const;
    expectTypeOf({ ...base, stdio, signal: undefined, env: undefined }).toExtend<SubprocessSpawnSpec>();
    expectTypeOf({ ...base, stdio, env: { A: '1', B: undefined } }).toExtend<SubprocessSpawnSpec>();
    expectTypeOf(new LocalSubprocessRuntime({ prefix: undefined, ownership: ['scope', 'auto'], onWarning: undefined })).toEqualTypeOf<LocalSubprocessRuntime>();
  });

  it('has no default and no other shape', () => {
    // @ts-expect-error stdin cannot be inherited
    runtime.spawn({ ...base, stdio: { stdin: 'inherit', stdout: 'pipe', stderr: 'pipe' } });
    // @ts-expect-error every stream is named
    runtime.spawn({ ...base, stdio: { stdin: 'ignore', stdout: 'pipe' } });
    // @ts-expect-error a size is needed
    runtime.spawn({ ...base, stdio: { stdin: 'ignore', stdout: {}, stderr: 'pipe' } });
    // @ts-expect-error the grace has no default
    runtime.spawn({ argv: ['true'], cwd: '/', stdio: { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } });
  });
});

describe('errors', () => {
  it('have a code of a closed union', () => {
    expectTypeOf<SubprocessError['code']>().toEqualTypeOf<SubprocessErrorCode>();
    expectTypeOf<'ENOENT'>().toExtend<SubprocessErrorCode>();
    expectTypeOf<'OWNER_LOST'>().toExtend<SubprocessErrorCode>();
    expectTypeOf<'NO_SUCH_CODE'>().not.toExtend<SubprocessErrorCode>();
    expectTypeOf<typeof ERROR_TABLE>().toExtend<readonly ErrorRow[]>();
  });
});

describe('lines', () => {
  it('can be followed of a collected stream, and of no other', () => {
    const handle = runtime.spawn({ ...base, stdio: { stdin: 'ignore', stdout: { maxBytes: 1 }, stderr: 'inherit' } });
    expectTypeOf(handle.lines).parameter(0).toEqualTypeOf<'stdout'>();
    expectTypeOf<SubprocessHandle['lines']>().parameter(0).toEqualTypeOf<'stdout' | 'stderr'>();
    const stdio = {} as SubprocessStdio;
    expectTypeOf(runtime.spawn({ ...base, stdio }).lines).parameter(0).toEqualTypeOf<'stdout' | 'stderr'>();
  });
});

describe('collect', () => {
  it('gives what ended the command, and both outputs', () => {
    expectTypeOf(collect).returns.resolves.toExtend<{ cause: 'exit' | 'timeout' | 'abort'; exitCode: number | null; stdout: { text: string; bytes: Uint8Array } }>();
    expectTypeOf<HoldfastEvents['holdfast:owner']['pid']>().toEqualTypeOf<number>();
  });
});
