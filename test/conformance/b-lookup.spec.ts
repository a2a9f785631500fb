import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, SubprocessExecutableNotFoundError } from '../support/holdfast.ts';
import { rejection } from '../support/run.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

describe('executable lookup', () => {
  it('asks the kernel and not the mode: root needs one execute bit, anybody else his own (29)', async () => {
    const tool = join(fence.directory, 'tool');
    writeFileSync(tool, '');
    const ask = (mode: number): Promise<string>[] => {
      chmodSync(tool, mode);
      return [runtime.resolveExecutable(tool), runtime.resolveExecutable('tool', { PATH: fence.directory })];
    };
    for (const answer of ask(0o644)) expect(await rejection(answer)).toBeInstanceOf(SubprocessExecutableNotFoundError);
    const othersOnly = ask(0o001);
    const isRoot = process.getuid?.() === 0;
    for (const answer of othersOnly) {
      if (isRoot) expect(await answer).toBe(tool);
      else expect(await rejection(answer)).toBeInstanceOf(SubprocessExecutableNotFoundError);
    }
    for (const answer of ask(0o700)) expect(await answer).toBe(tool);
    rmSync(tool);
  });
});
