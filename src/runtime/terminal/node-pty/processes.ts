import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One process as `ps` shows it. */
export interface SeenProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  /** Of its session: a number on Linux, an address on macOS, and the same for all members on both. */
  readonly session: string;
  /** Group in the foreground of its terminal. */
  readonly foreground: number;
  /** First letter of its state. */
  readonly state: string;
  readonly command: string;
}

const run = promisify(execFile);
const COLUMNS = 'pid=,ppid=,pgid=,sess=,tpgid=,stat=,comm=';

/**
 * All processes, zombies left out. Not those of a terminal: when the leader of a session exits, its members lose the
 * terminal. Linux and macOS have the same columns. Rejects where there is no `ps`.
 */
export async function seenProcesses(): Promise<SeenProcess[]> {
  const { stdout } = await run('ps', ['-A', '-o', COLUMNS], { maxBuffer: 1 << 26 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, group, session = '', foreground, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\w+)\s+(-?\d+)\s+(\S)\S*\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state === 'Z') return [];
    return [{ pid: Number(pid), ppid: Number(ppid), group: Number(group), session, foreground: Number(foreground), state, command }];
  });
}

/** False: it is gone. Throws what else goes wrong (EPERM). */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
