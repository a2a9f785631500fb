import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

export interface Stat {
  pid: number;
  comm: string;
  /** One letter: R, S, D, T, Z … */
  state: string;
  ppid: number;
  pgrp: number;
  session: number;
  /** Clock ticks after boot; with the pid it names a process for ever. */
  startTime: number;
}

/** Undefined when there is no such process. */
export function stat(pid: number): Stat | undefined {
  const text = tryRead(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name may contain spaces and parentheses; the last parenthesis ends it.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  return { pid, comm: text.slice(text.indexOf('(') + 1, end), state: fields[0] ?? '?', ppid: number(1), pgrp: number(2), session: number(3), startTime: number(19) };
}

/** Running or stopped: a zombie is no longer alive, only unreported. */
export function alive(pid: number): boolean {
  const now = stat(pid);
  return now !== undefined && now.state !== 'Z' && now.state !== 'X';
}

export function state(pid: number): string {
  return stat(pid)?.state ?? 'gone';
}

/** Ends a process that a test has started. Never by a number that means a group: "" is 0, and 0 is all of the tests. */
export function end(pid: number, signal: NodeJS.Signals = 'SIGTERM'): void {
  if (!(pid > 1)) throw new Error(`${pid} is no process of a test`);
  process.kill(pid, signal);
}

export function allPids(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Everything below `root`, zombies too. */
export function descendants(root: number): Stat[] {
  const all = allPids().flatMap((pid) => stat(pid) ?? []);
  const found: Stat[] = [];
  for (let parents = new Set([root]); parents.size > 0;) {
    const next = all.filter((one) => parents.has(one.ppid) && one.pid !== root);
    found.push(...next);
    parents = new Set(next.map((one) => one.pid));
  }
  return found;
}

/** Living processes whose start environment has `NAME=value`, wherever they hang in the tree. */
export function marked(entry: string): number[] {
  return allPids().filter((pid) => alive(pid) && (tryRead(`/proc/${pid}/environ`) ?? '').split('\0').includes(entry));
}

/** What each descriptor of this process points at; numbers of inodes are left out, so that two listings compare. */
export function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, '')];
    } catch {
      return []; // the descriptor of this very listing
    }
  }).sort();
}

export function threads(): string[] {
  return readdirSync('/proc/self/task').flatMap((tid) => tryRead(`/proc/self/task/${tid}/comm`)?.trim() ?? []).sort();
}

/** Resident bytes of a process. */
export function residentBytes(pid: number | 'self' = 'self'): number {
  return Number((tryRead(`/proc/${pid}/statm`) ?? '0 0').split(' ')[1]) * 4096;
}

export function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // processes end while they are looked at
  }
}
