/** Which C library this process runs on: it decides which binary fits. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';

export type Libc = 'glibc' | 'musl';

/**
 * The C library of this process; undefined on other platforms than Linux. A machine may have both, so the process's own
 * ELF interpreter is asked, not the machine.
 */
export function libc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined;
  return ofExecutable() ?? ofReport() ?? (existsSync('/etc/alpine-release') ? 'musl' : 'glibc');
}

function ofExecutable(): Libc | undefined {
  try {
    const fd = openSync(process.execPath, 'r');
    const head = Buffer.alloc(4096);
    try {
      readSync(fd, head, 0, head.length, 0);
    } finally {
      closeSync(fd);
    }
    if (head.includes('/ld-musl-')) return 'musl';
    if (head.includes('/ld-linux-')) return 'glibc';
  } catch {
    // Not readable, or not permitted: the report knows too.
  }
  return undefined;
}

function ofReport(): Libc | undefined {
  const report = process.report as { excludeNetwork?: boolean; getReport(): object } | undefined;
  if (report === undefined) return undefined;
  const before = report.excludeNetwork;
  report.excludeNetwork = true; // else it resolves the names of all open connections
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } };
    return header?.glibcVersionRuntime === undefined ? undefined : 'glibc';
  } finally {
    if (before !== undefined) report.excludeNetwork = before;
  }
}
