import { describe, expect, it } from 'vitest';
import { drawHosts } from '../../src/cli/tree/draw.ts';
import { findHosts } from '../../src/cli/tree/hosts.ts';
import type { ProcessFacts } from '../../src/cli/tree/procfs.ts';

const one = (pid: number, ppid: number, argv: string, cgroup = '/', name = argv.split(' ')[0] ?? ''): ProcessFacts => ({
  pid, ppid, argv: argv.split(' '), name, cgroup, state: 'S', cpuMs: 1500, rssBytes: 2e6, uid: 1000,
});
const warden = (pid: number, ppid: number) => one(pid, ppid, 'holdfast-warden', '/', 'holdfast');

describe('findHosts', () => {
  it('takes what lies below a supervisor, and what lies in a group of the host', () => {
    const [host, ...more] = findHosts([
      one(1, 0, 'init'), one(10, 1, 'node app.js'), warden(11, 10), warden(12, 11),
      one(20, 12, 'sh'), one(21, 20, 'make'), one(22, 12, 'orphan'),
      one(30, 11, 'sleep', '/holdfast-10-0123abcd/r7'), one(31, 1, 'daemon', '/holdfast-10-0123abcd/r7/sub'),
      one(40, 1, 'scoped', '/user.slice/holdfast-10-0123abcd.scope/r8'),
      one(50, 1, 'stranger', '/holdfast-10-0123abcd/r7x'), one(51, 1, 'other', '/holdfast-99-0123abcd/r7'),
    ]);
    expect(more).toEqual([]);
    expect(host?.process.pid).toBe(10);
    expect(host?.ranges.map(({ owner, members }) => [owner, ...members.map(({ pid }) => pid)])).toEqual([['subreaper', 20, 22, 21], ['cgroup', 30, 31], ['scope', 40]]);
  });

  it('does not take a program for a warden that only has its name', () => {
    expect(findHosts([one(10, 1, 'x'), one(11, 10, 'holdfast run', '/', 'holdfast')])).toEqual([]);
  });

  it('gives a nested host its own commands, which are members of the outer one too', () => {
    const hosts = findHosts([
      one(10, 1, 'outer'), warden(11, 10), one(20, 11, 'inner', '/holdfast-10-0123abcd/r1'), warden(21, 20),
      one(30, 21, 'sleep', '/holdfast-10-0123abcd/r1/holdfast-20-0123abcd/r1'),
    ]);
    expect(hosts.map(({ process, ranges }) => [process.pid, ranges.flatMap(({ members }) => members.map(({ pid }) => pid))])).toEqual([[10, [20, 30]], [20, [30]]]);
  });
});

describe('drawHosts', () => {
  it('draws parents before children, marks orphans, and lets no name command the terminal', () => {
    const text = drawHosts([{ process: one(10, 1, 'node app.js'), ranges: [{ owner: 'subreaper', members: [one(20, 12, 'sh'), one(21, 20, 'a'), one(22, 20, 'b\x1b[2J'), one(23, 12, 'lost')] }] }], 200, (s) => s);
    expect(text.split('\n')).toEqual([
      '10 node app.js: 1 command, 4 processes',
      '     pid           cpu    memory',
      '      20 S       1.5 s   2.00 MB  [subreaper] sh',
      '      21 S       1.5 s   2.00 MB  ├─ a',
      '      22 S       1.5 s   2.00 MB  └─ b?[2J',
      '      23 S       1.5 s   2.00 MB  [orphan] lost',
      '',
    ]);
  });

  it('fits the terminal', () => {
    const long = one(20, 12, 'x'.repeat(500));
    const lines = drawHosts([{ process: long, ranges: [{ owner: 'cgroup', members: [long] }] }], 40, (s) => s).split('\n');
    expect(lines.every((line) => line.length <= 40)).toBe(true);
  });
});
