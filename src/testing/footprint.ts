import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Everything that a spawn could leave behind, as lists that compare and print well. */
export interface Footprint {
  readonly descriptors: readonly string[];
  readonly threads: readonly string[];
  readonly descendants: readonly string[];
  readonly elsewhere: readonly string[];
}

/** What there is now. `mark` is the value of FENCE_MARK that processes started since have inherited. */
export function look(mark: string): Footprint {
  return { descriptors: descriptors(), threads: threads(), descendants: descendants(), elsewhere: marked(mark) };
}

/** What is there now and was not before; less than before is no leak. */
export function differences(before: Footprint, after: Footprint): string[] {
  return (Object.keys(before) as (keyof Footprint)[]).flatMap((key) => subtract(after[key], before[key]).map((one) => `${key}: ${one}`));
}

function subtract(from: readonly string[], what: readonly string[]): string[] {
  const left = [...from];
  for (const one of what) {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function descriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      // Without inode numbers, two listings compare.
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, '')];
    } catch {
      return []; // the descriptor of this very listing
    }
  });
}

function threads(): string[] {
  return readdirSync('/proc/self/task').map((tid) => tryRead(`/proc/self/task/${tid}/comm`)?.trim() ?? 'ended');
}

function descendants(): string[] {
  const all = pids().flatMap((pid) => stat(pid) ?? []);
  const found: string[] = [];
  for (let parents = new Set([process.pid]); parents.size > 0; ) {
    const next = all.filter(({ ppid }) => parents.has(ppid));
    found.push(...next.map(({ pid, name, state }) => `${pid} ${name}${state === 'Z' ? ' zombie' : ''}`));
    parents = new Set(next.map(({ pid }) => pid));
  }
  return found;
}

function marked(mark: string): string[] {
  return pids().flatMap((pid) => {
    if (!(tryRead(`/proc/${pid}/environ`) ?? '').split('\0').includes(`FENCE_MARK=${mark}`)) return [];
    return [`${pid} ${(tryRead(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim()}`];
  });
}

function pids(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

function stat(pid: number): { pid: number; name: string; state: string; ppid: number } | undefined {
  const text = tryRead(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name may contain spaces and parentheses; the last parenthesis ends it.
  const end = text.lastIndexOf(')');
  const [state = '?', ppid = '0'] = text.slice(end + 2).split(' ');
  return { pid, name: text.slice(text.indexOf('(') + 1, end), state, ppid: Number(ppid) };
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // processes end while they are looked at
  }
}
