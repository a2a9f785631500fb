import { formatBytes, formatTime } from '../units.js';
import type { HeldRange, Host } from './hosts.js';
import type { ProcessFacts } from './procfs.js';

const COLUMNS = { pid: 8, state: 3, cpu: 9, memory: 9 };

/** The hosts for people, lines with their ends, each at most `width` characters. */
export function drawHosts(hosts: readonly Host[], width: number, bold: (text: string) => string): string {
  const lines = hosts.flatMap((host, at) => {
    const { process, ranges } = host;
    const count = ranges.reduce((sum, { members }) => sum + members.length, 0);
    const head = bold(cut(`${process.pid} ${commandOf(process)}: ${plural(ranges.length, 'command')}, ${plural(count, 'process', 'es')}`, width));
    return [...(at === 0 ? [] : ['']), head, cut(row('pid', '', 'cpu', 'memory', ''), width).trimEnd(), ...ranges.flatMap((range) => drawRange(range, width))];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Parents before their children. A member whose parent is none (an orphan) stands at the left: it is held all the same. */
function drawRange({ owner, members }: HeldRange, width: number): string[] {
  const pids = new Set(members.map(({ pid }) => pid));
  const lines: string[] = [];
  const draw = (one: ProcessFacts, indent: string, branch: string, note: string): void => {
    const text = `${indent}${branch}${commandOf(one)}`;
    lines.push(cut(row(String(one.pid), one.state, formatTime(one.cpuMs), formatBytes(one.rssBytes), text, note), width));
    const children = members.filter(({ ppid }) => ppid === one.pid);
    const below = branch === '' ? indent : `${indent}${branch === '└─ ' ? '   ' : '│  '}`;
    children.forEach((child, at) => draw(child, below, at === children.length - 1 ? '└─ ' : '├─ ', ''));
  };
  const roots = members.filter(({ ppid }) => !pids.has(ppid));
  roots.forEach((root, at) => draw(root, '', '', at === 0 ? owner : 'orphan'));
  return lines;
}

function row(pid: string, state: string, cpu: string, memory: string, text: string, note = ''): string {
  const columns = [pid.padStart(COLUMNS.pid), state.padEnd(COLUMNS.state), cpu.padStart(COLUMNS.cpu), memory.padStart(COLUMNS.memory)];
  return `${columns.join(' ')}  ${note === '' ? '' : `[${note}] `}${text}`;
}

/** A name may hold anything, also what a terminal would obey. */
function commandOf({ argv, name }: ProcessFacts): string {
  return (argv.length === 0 ? `[${name}]` : argv.join(' ')).replace(/[\x00-\x1f\x7f-\x9f]/g, '?');
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function plural(count: number, word: string, ending = 's'): string {
  return `${count} ${word}${count === 1 ? '' : ending}`;
}
