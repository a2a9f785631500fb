import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One process as `ps` shows it. */
export interface TerminalProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  /** Group in the foreground of its terminal. */
  readonly foreground: number;
  /** First letter of its state. */
  readonly state: string;
  readonly command: string;
}

const run = promisify(execFile);
const COLUMNS = 'pid=,ppid=,pgid=,tpgid=,stat=,comm=';

/** Everybody on a terminal, zombies left out. `ps` has the same columns on Linux and macOS. Rejects where there is none. */
export async function processesOn(slave: string): Promise<TerminalProcess[]> {
  const { stdout } = await run('ps', ['-t', slave.replace('/dev/', ''), '-o', COLUMNS]).catch((error: { code?: unknown; stdout?: string }) => {
    // Exit code 1: nobody.
    if (error.code === 1) return { stdout: error.stdout ?? '' };
    throw error;
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, group, foreground, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S)\S*\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state === 'Z') return [];
    return [{ pid: Number(pid), ppid: Number(ppid), group: Number(group), foreground: Number(foreground), state, command }];
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
