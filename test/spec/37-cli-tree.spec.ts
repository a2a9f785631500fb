import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cli, lastJson } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime, type OwnerKind } from '../support/holdfast.ts';
import { line, spawnCollecting } from '../support/run.ts';

const { directory } = leakFence();
const kinds = await availableKinds();

async function availableKinds(): Promise<OwnerKind[]> {
  await using runtime = new LocalSubprocessRuntime();
  return (await runtime.diagnose()).owners.filter(({ kind, available }) => available && kind !== 'group').map(({ kind }) => kind);
}

describe('holdfast tree', () => {
  it.each(kinds)('shows what a %s holds, also a process that has left its parent', async (ownership) => {
    await using runtime = new LocalSubprocessRuntime({ ownership });
    // A subshell that ends at once makes its background job an orphan in a session of its own.
    const handle = spawnCollecting(runtime, ['sh', '-c', '(setsid sleep 61 & echo $!); exec sleep 62'], directory);
    const orphan = Number(await line(handle));
    const { code, stdout, stderr } = await cli(['tree', String(process.pid)]);
    expect([code, stderr]).toEqual([0, '']);
    const text = stdout.toString();
    expect(text).toContain(`${process.pid} `);
    expect(text).toContain('1 command, 2 processes');
    expect(text).toMatch(new RegExp(` ${handle.pid} .*sleep 62`));
    expect(text).toMatch(new RegExp(` ${orphan} .*\\[orphan\\] sleep 61`));
    expect(text).toContain(`[${ownership}]`);

    const json = JSON.parse((await cli(['tree', '--json', String(process.pid)])).stdout.toString()) as { pid: number; ranges: { owner: string; members: { pid: number }[] }[] }[];
    expect(json).toMatchObject([{ pid: process.pid, ranges: [{ owner: ownership }] }]);
    expect(json[0]?.ranges[0]?.members.map(({ pid }) => pid).sort()).toEqual([handle.pid, orphan].sort());
  });

  it('says when there is nothing to show', async () => {
    expect(await cli(['tree', '4194304'])).toMatchObject({ code: 1, stderr: 'holdfast: there is no process 4194304\n' });
    expect(await cli(['tree', String(process.pid)])).toMatchObject({ code: 1, stderr: expect.stringContaining('holds no command that can be seen') });
  });
});

describe('holdfast run', () => {
  it('says nothing with --quiet, but for a fault of its own', async () => {
    expect(await cli(['run', '--quiet', '--', 'sh', '-c', 'echo out; exit 3'])).toMatchObject({ code: 3, stdout: Buffer.from('out\n'), stderr: '' });
    expect(await cli(['run', '-q', '--', 'no-such-program-here'])).toMatchObject({ code: 127, stderr: expect.stringContaining('no-such-program-here') });
  });

  it('enforces limits, or starts nothing and says why', async () => {
    const { code, stderr, stdout } = await cli(['run', '--json', '--limit-processes', '1', '--limit-memory', '64m', '--', 'sh', '-c', 'sh -c "echo forked"; echo end']);
    const { error } = lastJson(stderr);
    if (error === undefined) expect(stdout.toString()).not.toContain('forked');
    else expect([code, error.code, stdout.length]).toEqual([125, 'LIMITS_UNAVAILABLE', 0]);
  });
});

describe('holdfast completion', () => {
  const complete = (words: string[]): string[] =>
    execFileSync('bash', ['-c', `eval "$1"; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash', script], { encoding: 'utf8' }).trim().split('\n');
  let script = '';

  it('gives bash the words, options and owners', async () => {
    script = (await cli(['completion', 'bash'])).stdout.toString();
    expect(complete(['holdfast', 't'])).toEqual(['terminal', 'tree']);
    expect(complete(['holdfast', 'run', '--li'])).toEqual(['--limit-memory', '--limit-processes']);
    expect(complete(['holdfast', 'run', '--owner', 's'])).toEqual(['scope', 'subreaper']);
    expect(complete(['holdfast', 'completion', ''])).toEqual(['bash', 'zsh']);
  });

  it('is a function for zsh as well', async () => {
    const zsh = (await cli(['completion', 'zsh'])).stdout.toString();
    expect(zsh).toMatch(/^#compdef holdfast\n.*bashcompinit/);
    expect(zsh).toContain(script);
  });
});
