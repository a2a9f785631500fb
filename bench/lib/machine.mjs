import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, userInfo } from 'node:os';

/** The facts of the machine that figures belong to. */
export function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    arch: process.arch,
    virtual: /\bhypervisor\b/.test(read('/proc/cpuinfo')),
    pipeMaxBytes: Number(read('/proc/sys/fs/pipe-max-size')),
    user: userName(),
    node: process.version,
    libuv: process.versions.uv,
    load: loadavg().map((one) => Math.round(one * 100) / 100),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The clock that the C programs print. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/** CPU time of the JS thread in milliseconds: the main thread's id is the process's. */
export function jsThreadCpuMs() {
  return Number(read(`/proc/self/task/${process.pid}/schedstat`).split(' ')[0]) / 1e6;
}

/** How often a thread has been put to sleep or aside, which is how often it has been woken; 0 when it is gone. */
export function wakeUpsOf(pid, tid) {
  const status = read(`/proc/${pid}/task/${tid}/status`);
  return [...status.matchAll(/ctxt_switches:\s+(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The same of all threads of the processes. */
export function wakeUpsOfAll(pids) {
  return pids.flatMap((pid) => threadsOf(pid).map((tid) => wakeUpsOf(pid, tid))).reduce((sum, one) => sum + one, 0);
}

export function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** CPU time of a process so far, in milliseconds. */
export function cpuMsOf(pid) {
  return threadsOf(pid).reduce((sum, tid) => sum + Number(read(`/proc/${pid}/task/${tid}/schedstat`).split(' ')[0]), 0) / 1e6;
}

/** Bytes that could be had without swapping. */
export const availableBytes = () => Number(/^MemAvailable:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1] ?? 0) * 1024;

/** Memory of a process in bytes, its share of what it shares with others (PSS). */
export function memoryOf(pid) {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

/**
 * Memory in bytes that a process has written and nobody else has. Pages of its program are not among it: they are in the page
 * cache, once for all who run it, and the kernel calls them private where only one does.
 */
export function privateMemoryOf(pid) {
  const mappings = read(`/proc/${pid}/smaps`).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((mapping) => /^\S+ rw/.test(mapping));
  return mappings.flatMap((mapping) => [...mapping.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)]).reduce((sum, [, kibibytes]) => sum + Number(kibibytes), 0) * 1024;
}

/** Children of a process that run the same program as it does: the supervisors of a warden. */
export function copiesOf(pid) {
  const program = programOf(pid);
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter((child) => child !== '' && programOf(child) === program);
}

function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** Without a name in the user database it is the number. */
function userName() {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid());
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
