import type { Stats } from 'node:fs';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemError } from './failure.js';
import type { HarnessParts } from './harness-parts.js';
import type { Range } from './range.js';

/** Ranges whose files were removed by the runtime. The native side does not know, and a path is only given for a file that is there. */
const removed = new WeakSet<Range>();

/** Path of a collected stream's spill file, as long as the file is complete so far. */
export function spillPathOf(range: Range, stream: 1 | 2): string | undefined {
  return removed.has(range) ? undefined : range.native.report()[stream === 1 ? 'stdout' : 'stderr']?.spillPath;
}

/** Tells of each stream of a settled range whose spill file could not be written. A reporter that throws is contained. */
export function reportSpillFailures(range: Range, tell: NonNullable<HarnessParts['onSpillFailure']>): void {
  const report = range.native.report();
  for (const stream of ['stdout', 'stderr'] as const) {
    const failure = report[stream]?.spillError;
    if (failure === undefined) continue;
    try {
      tell(stream, systemError(failure.code, failure.syscall, failure.path, 'spill'));
    } catch {
      // Called among facts of other ranges, which must all arrive whatever a logger does.
    }
  }
}

/** A stream's report without the path of a file that was removed. */
export function withoutRemovedSpill<Stream extends { spillPath?: string }>(range: Range, stream: Stream): Stream {
  if (!removed.has(range)) return stream;
  const copy = { ...stream };
  delete copy.spillPath;
  return copy;
}

/** The finished files of one runtime, for removal at its disposal. Holds paths, not ranges: those hold the retained output. */
export class SpillLedger {
  private readonly entries: { readonly range: WeakRef<Range>; readonly paths: string[] }[] = [];

  note(range: Range): void {
    const paths = ([1, 2] as const).map((stream) => spillPathOf(range, stream)).filter((path) => path !== undefined);
    if (paths.length > 0) this.entries.push({ range: new WeakRef(range), paths });
  }

  /** Removes every file, then directories that are empty by that. Returns what could not be removed. */
  async remove(): Promise<unknown[]> {
    const failures: unknown[] = [];
    const directories = new Set<string>();
    for (const { range, paths } of this.entries.splice(0)) {
      const alive = range.deref();
      if (alive !== undefined) removed.add(alive);
      for (const path of paths) {
        directories.add(dirname(path));
        await unlink(path).catch((error: unknown) => isGone(error) || failures.push(error));
      }
    }
    // Not empty: another runtime of this process has files there.
    for (const directory of directories) await rmdir(directory).catch(() => {});
    return failures;
  }
}

/** Start of the names of private spill directories: `HOLDFAST_` gives `holdfast-`, followed by process id and a random part. */
export function spillPrefix(prefix: string): string {
  return `${prefix.replace(/_+$/, '').toLowerCase()}-`;
}

/**
 * Removes spill files that hosts which are gone have left in `directory` and that were last written more than
 * `maxAgeMs` ago. Only looks into directories named by us, owned by us, closed to others (0700; on Windows by their access list), whose process is not
 * alive; a process id that somebody else has by now makes it keep the files. Never fails: it is housekeeping.
 */
export async function sweepSpills(directory: string, namePrefix: string, maxAgeMs: number): Promise<void> {
  try {
    for (const name of await readdir(directory)) {
      const pid = ownerOf(name, namePrefix);
      if (pid !== undefined && !isAlive(pid)) await sweepDirectory(join(directory, name), Date.now() - maxAgeMs);
    }
  } catch {
    // The directory may not exist yet, or not be readable: there is nothing of ours to remove then.
  }
}

async function sweepDirectory(path: string, olderThan: number): Promise<void> {
  try {
    // lstat: in a directory that everybody may write to, a link with our name would lead anywhere.
    const facts = await lstat(path);
    if (!facts.isDirectory() || !isOurs(facts)) return;
    for (const name of await readdir(path)) {
      const file = join(path, name);
      const entry = await lstat(file);
      if (entry.isFile() && entry.mtimeMs < olderThan) await unlink(file);
    }
    await rmdir(path);
  } catch {
    // Not empty, or another host sweeps at the same time. The next start tries again.
  }
}

/** On Windows there is neither owner nor mode to see; a folder of ours lets nobody else in, so one that lets us in is ours. */
function isOurs(facts: Stats): boolean {
  return process.platform === 'win32' || (facts.uid === process.getuid?.() && (facts.mode & 0o777) === 0o700);
}

function ownerOf(name: string, namePrefix: string): number | undefined {
  if (!name.startsWith(namePrefix)) return undefined;
  const match = /^([1-9]\d{0,9})-[A-Za-z0-9]{6,}$/.exec(name.slice(namePrefix.length));
  return match === null ? undefined : Number(match[1]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
