import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

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
    node: process.version,
    libuv: process.versions.uv,
    load: loadavg().map((one) => Math.round(one * 100) / 100),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** CPU time of the JS thread in milliseconds: the main thread's id is the process's. */
export function jsThreadCpuMs() {
  return Number(read(`/proc/self/task/${process.pid}/schedstat`).split(' ')[0]) / 1e6;
}

export function residentBytes() {
  return Number(read('/proc/self/statm').split(' ')[1]) * 4096;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
