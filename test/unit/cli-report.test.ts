import { describe, expect, it } from 'vitest';
import { launchErrorExitCode, outcomeExitCode, signalExitCode } from '../../src/cli/exit-code.js';
import { progressLine } from '../../src/cli/progress.js';
import { humanReport, jsonReport, type RunSummary } from '../../src/cli/report.js';

const summary: RunSummary = {
  command: ['make', '-j2'],
  exitCode: 0,
  cause: 'exit',
  outcome: { exitCode: 0, signal: null },
  elapsedMs: 2000,
  output: { stdout: 3_000_000, stderr: 0 },
  report: {
    launch: 'started',
    pid: 42,
    owner: 'cgroup',
    proof: 'proven',
    drain: 'eof',
    streams: {},
    strays: { count: 0, listed: [] },
    escaped: { count: 0, listed: [] },
  },
  warnings: [],
  error: undefined,
};

function changed(changes: Partial<RunSummary>, report: Partial<NonNullable<RunSummary['report']>> = {}): string {
  return humanReport({ ...summary, report: { ...summary.report!, ...report }, ...changes });
}

describe('the report for people', () => {
  it('says how it ended, who owned it and whether that is proven', () => {
    expect(humanReport(summary)).toBe(
      'holdfast: exit code 0 after 2.0 s · pid 42 · owner cgroup · nothing left, proven\n' +
        '  stdout  3.00 MB (1.50 MB/s)\n' +
        '  stderr  0 B\n',
    );
  });

  it('names the signal, the timeout and the interruption', () => {
    const killed = { exitCode: null, signal: 'SIGTERM' } as const;
    expect(changed({ outcome: killed })).toContain('holdfast: ended by SIGTERM after');
    expect(changed({ outcome: killed, cause: 'timeout' })).toContain('timeout, ended by SIGTERM');
    expect(changed({ cause: 'interrupt' })).toContain('interrupted, exit code 0');
    expect(changed({ outcome: { exitCode: null, signal: null } })).toContain('ended by a signal without a name');
  });

  it('does not claim more than was seen', () => {
    expect(changed({}, { proof: 'observed', owner: 'group' })).toContain('owner group · nothing left as far as can be observed');
    expect(changed({}, { proof: 'pending' })).toContain('not known to be over');
  });

  it('says what became of the output', () => {
    const stream = { bytes: 3_000_000, retained: 65_536, spill: 'complete', spillPath: '/tmp/x/stdout' } as const;
    expect(changed({}, { streams: { stdout: stream } })).toContain('3.00 MB (1.50 MB/s), last 65.5 kB kept, all of it in /tmp/x/stdout\n');
    expect(changed({}, { streams: { stdout: { bytes: 9, retained: 4, spill: 'discarded' } } })).toContain('more than --spill allows');
    const failed = { bytes: 9, retained: 4, spill: 'failed', spillError: { code: 'ENOSPC', syscall: 'write', path: '/tmp/x' } } as const;
    expect(changed({}, { streams: { stderr: failed } })).toContain('stderr  0 B, last 4 B kept, no file: ENOSPC');
    expect(changed({}, { drain: 'deadline' })).toContain('still held the output open');
  });

  it('lists who had to be ended, and how', () => {
    const listed = Array.from({ length: 10 }, (_, i) => ({ pid: 100 + i, argv0: 'sleep', endedBy: i === 0 ? ('KILL' as const) : ('TERM' as const) }));
    const text = changed({}, { strays: { count: 12, listed } });
    expect(text).toContain('  ended   12 more than the command: 100 sleep (KILL), 101 sleep (TERM)');
    expect(text).toContain('107 sleep (TERM) and 4 others\n');
  });

  it('is only the error and the warnings when nothing was started', () => {
    const text = humanReport({ ...summary, report: undefined, warnings: ['weaker owner'], error: { message: 'spawn nope ENOENT', code: 'ENOENT' } });
    expect(text).toBe('holdfast: warning: weaker owner\nholdfast: spawn nope ENOENT\n');
  });
});

it('the report for machines is one line with everything', () => {
  const text = jsonReport(summary);
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({ holdfast: 1, ...summary, error: undefined });
});

describe('exit codes', () => {
  it('are those of env(1) and timeout(1)', () => {
    const error = (code: string, syscall?: string): Error => Object.assign(new Error(code), { code, syscall });
    expect(launchErrorExitCode(error('ENOENT', 'spawn nope'))).toBe(127);
    expect(launchErrorExitCode(error('EACCES', 'spawn ./x'))).toBe(126);
    expect(launchErrorExitCode(error('E2BIG', 'spawn x'))).toBe(126);
    expect(launchErrorExitCode(error('ENOENT', 'chdir'))).toBe(125);
    expect(launchErrorExitCode(error('EMFILE', 'spawn x'))).toBe(125);
    expect(launchErrorExitCode(error('OWNER_UNAVAILABLE'))).toBe(125);
    expect(launchErrorExitCode(new Error('anything'))).toBe(125);
  });

  it('are 128 + n for a signal', () => {
    expect(signalExitCode('SIGINT')).toBe(130);
    expect(outcomeExitCode({ exitCode: null, signal: 'SIGKILL' })).toBe(137);
    expect(outcomeExitCode({ exitCode: 3, signal: null })).toBe(3);
    expect(outcomeExitCode({ exitCode: null, signal: null })).toBe(128);
  });
});

it('a progress line fits the terminal', () => {
  const facts = { elapsedMs: 12_300, bytes: 3.2e9, bytesPerSecond: 1.1e9, members: 3, memoryBytes: undefined };
  expect(progressLine(facts, 80)).toBe('12.3 s · 3.20 GB · 1.10 GB/s · 3 processes');
  expect(progressLine({ ...facts, members: undefined }, 80)).toBe('12.3 s · 3.20 GB · 1.10 GB/s');
  expect(progressLine({ ...facts, members: 1 }, 80)).toContain('1 process');
  expect(progressLine({ ...facts, memoryBytes: 2.5e6 }, 80)).toContain('3 processes · 2.50 MB of memory');
  expect(progressLine(facts, 10)).toHaveLength(9);
});
