import { bold } from './color.js';
import { flushed } from './sink.js';
import { drawHosts } from './tree/draw.js';
import { findHosts } from './tree/hosts.js';
import { readProcesses } from './tree/procfs.js';
import { UsageError } from './usage-error.js';

const EXIT_NOTHING = 1;

/** Shows what programs of this user hold; resolves with the exit code. */
export async function tree({ pid, json }: { readonly pid: number | undefined; readonly json: boolean }): Promise<number> {
  if (process.platform !== 'linux') throw new UsageError('tree reads /proc, which only Linux has');
  const mine = process.getuid?.();
  const processes = readProcesses();
  const hosts = findHosts(processes)
    .filter((host) => (pid === undefined ? mine === 0 || host.process.uid === mine : host.process.pid === pid))
    .filter((host) => pid !== undefined || host.ranges.length > 0);
  const { stdout } = process;
  if (json) stdout.write(`${JSON.stringify(hosts.map(({ process: { pid: id }, ranges }) => ({ pid: id, ranges })), null, 2)}\n`);
  else if (hosts.some(({ ranges }) => ranges.length > 0)) stdout.write(drawHosts(hosts, stdout.isTTY ? stdout.columns || 80 : Infinity, bold(stdout)));
  else process.stderr.write(`holdfast: ${nothing(pid, processes.some((one) => one.pid === pid))}\n`);
  await Promise.all([flushed(stdout), flushed(process.stderr)]);
  return hosts.some(({ ranges }) => ranges.length > 0) ? 0 : EXIT_NOTHING;
}

function nothing(pid: number | undefined, exists: boolean): string {
  if (pid === undefined) return 'no program of yours holds a command now';
  return exists ? `process ${pid} holds no command that can be seen; holdfast tree --help says what cannot be` : `there is no process ${pid}`;
}
