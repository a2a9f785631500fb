import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseInvocation, type RunOptions } from '../../src/cli/arguments.js';
import { UsageError } from '../../src/cli/usage-error.js';

function runOptions(...words: string[]): RunOptions {
  const invocation = parseInvocation(['run', ...words]);
  if (invocation.kind !== 'run') throw new Error(`not a run but ${invocation.kind}`);
  return invocation.options;
}

function refusal(...words: string[]): string {
  try {
    parseInvocation(words);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('was accepted');
}

describe('holdfast run', () => {
  it('fills in every default', () => {
    expect(runOptions('--', 'make')).toEqual({
      command: ['make'],
      tailBytes: 65_536,
      spillBytes: undefined,
      graceMs: 5000,
      timeoutMs: undefined,
      cwd: process.cwd(),
      env: {},
      owner: 'auto',
      limits: undefined,
      json: false,
      quiet: false,
    });
  });

  it('reads every option, with = or without', () => {
    const words = ['--tail', '1m', '--spill=1g', '--grace', '200ms', '--timeout=30s', '--cwd', 'test', '--env', 'A=1', '--env=B=x=y', '--owner', 'subreaper', '--limit-memory', '1g', '--limit-processes=20', '-q', '--json'];
    expect(runOptions(...words, '--', 'a', 'b')).toEqual({
      command: ['a', 'b'],
      tailBytes: 1_048_576,
      spillBytes: 1_073_741_824,
      graceMs: 200,
      timeoutMs: 30_000,
      cwd: resolve('test'),
      env: { A: '1', B: 'x=y' },
      owner: 'subreaper',
      limits: { memoryBytes: 1_073_741_824, processes: 20 },
      json: true,
      quiet: true,
    });
  });

  it('leaves everything behind -- to the command, also what looks like an option of ours', () => {
    expect(runOptions('--json', '--', 'ls', '--json', '--', '--tail').command).toEqual(['ls', '--json', '--', '--tail']);
  });

  it('starts the command at the first word when there is no --', () => {
    const options = runOptions('--grace', '1s', 'ls', '-la', '--json', '--', 'x');
    expect(options.command).toEqual(['ls', '-la', '--json', '--', 'x']);
    expect(options.json).toBe(false);
  });

  it('takes the last of an option given twice', () => {
    expect(runOptions('--grace', '1s', '--grace', '2s', 'true').graceMs).toBe(2000);
  });

  it('takes a variable with an empty value or a dangerous name as it is', () => {
    const { env } = runOptions('--env', 'EMPTY=', '--env', '__proto__=1', 'true');
    expect(Object.entries(env)).toEqual([
      ['EMPTY', ''],
      ['__proto__', '1'],
    ]);
  });
});

describe('refusals name the part and the remedy', () => {
  it.each([
    [['run'], 'no command given; write it after --, for example holdfast run -- make -j2'],
    [['run', '--json', '--'], 'no command given; write it after --, for example holdfast run -- make -j2'],
    [['run', '--', ''], 'the command is an empty word; give the name or path of a program'],
    [['run', '--tial', '5', 'x'], 'unknown option --tial; did you mean --tail?'],
    [['run', '--time', '5s', 'x'], 'unknown option --time; did you mean --timeout?'],
    [['run', '--frob', 'x'], 'unknown option --frob; holdfast run --help lists them'],
    [['run', '-x', 'y'], 'unknown option -x; holdfast run --help lists them'],
    [['run', '--tail'], '--tail needs a value'],
    [['run', '--tail', '--json', '--', 'x'], '--tail needs a value'],
    [['run', '--tail', '--', 'x'], '--tail needs a value'],
    [['run', '--json=yes', 'x'], '--json takes no value'],
    [['run', '--tail', 'much', 'x'], '--tail much: is no size; write bytes, or a number with k, m, g or t, such as 64k'],
    [['run', '--timeout', '30', 'x'], '--timeout 30: has no unit; write 30s or 30ms'],
    [['run', '--grace', '0s', 'x'], '--grace 0s: is too short; the shortest time is 1ms'],
    [['run', '--owner', 'root', 'x'], '--owner root: is no owner; choose auto, cgroup, scope, subreaper, group'],
    [['run', '--env', 'A', 'x'], '--env A: write NAME=VALUE'],
    [['run', '--env', '=1', 'x'], '--env =1: write NAME=VALUE'],
    [['run', '--cwd', '', 'x'], '--cwd : is empty; give a directory'],
    [[], 'nothing to do; write holdfast run -- command'],
    [['make', '-j2'], 'unknown word "make"; write holdfast run -- make -j2'],
    [['--json'], 'unknown option --json; options of a run stand after the word run'],
  ])('%j', (words, message) => {
    expect(refusal(...words)).toBe(message);
  });
});

describe('help and version', () => {
  it.each([
    [['--help'], { kind: 'help', topic: 'general' }],
    [['-h'], { kind: 'help', topic: 'general' }],
    [['help', 'run'], { kind: 'help', topic: 'run' }],
    [['run', '--help'], { kind: 'help', topic: 'run' }],
    [['run', '--tail', '1k', '-h'], { kind: 'help', topic: 'run' }],
    [['--version'], { kind: 'version' }],
  ])('%j', (words, invocation) => {
    expect(parseInvocation(words)).toEqual(invocation);
  });

  it('does not take the help of the command for ours', () => {
    expect(runOptions('ls', '--help').command).toEqual(['ls', '--help']);
  });
});

describe('the verbs without a command', () => {
  it.each([
    [['tree'], { kind: 'tree', pid: undefined, json: false }],
    [['tree', '--json', '42'], { kind: 'tree', pid: 42, json: true }],
    [['bench', '--json'], { kind: 'bench', json: true }],
    [['completion', 'zsh'], { kind: 'completion', shell: 'zsh' }],
    [['tree', '--help'], { kind: 'help', topic: 'tree' }],
    [['help', 'bench'], { kind: 'help', topic: 'bench' }],
  ])('%j', (words, invocation) => {
    expect(parseInvocation(words)).toEqual(invocation);
  });

  it('name what they do not take', () => {
    expect(refusal('tree', '0')).toContain('one process id');
    expect(refusal('tree', '1', '2')).toContain('"2"');
    expect(refusal('bench', 'fast')).toContain('"fast"');
    expect(refusal('completion', 'fish')).toBe('write holdfast completion bash or holdfast completion zsh');
    expect(refusal('run', '--limit-processes', '0', '--', 'x')).toContain('is no count');
  });
});
