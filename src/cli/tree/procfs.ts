import { readdirSync, readFileSync } from 'node:fs';

/** A live process as /proc shows it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  /** One letter: R, S, D, T, Z … */
  readonly state: string;
  readonly name: string;
  readonly argv: readonly string[];
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Path in the unified hierarchy; '' where there is none. */
  readonly cgroup: string;
  /** Of the process's user. */
  readonly uid: number;
}

/** USER_HZ, a constant of the kernel's interface on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Every process that can be seen. One that ends meanwhile is left out. */
export function readProcesses(): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(name) ?? []);
}

function readProcess(pid: string): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    return {
      pid: Number(pid),
      ppid: Number(fields[1]),
      state: fields[0] ?? '?',
      name: stat.slice(stat.indexOf('(') + 1, end),
      argv: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1),
      cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND,
      rssBytes: Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0) * 1024,
      cgroup: /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? '',
      uid: Number(/^Uid:\s*(\d+)/m.exec(status)?.[1] ?? -1),
    };
  } catch {
    return undefined;
  }
}
