import type { ProcessFacts } from './procfs.js';

/** A command and its live descendants. */
export interface HeldRange {
  readonly owner: 'cgroup' | 'scope' | 'subreaper';
  readonly members: readonly ProcessFacts[];
}

/** A program that holds commands by Holdfast. */
export interface Host {
  readonly process: ProcessFacts;
  readonly ranges: readonly HeldRange[];
}

/**
 * Who holds what, from one listing of processes. A host is the parent of a warden. A supervisor is a warden's child of the
 * same name: everything below it is one range, and it has all orphans of that range. The groups of the other ranges have
 * the host's process id in their name.
 */
export function findHosts(processes: readonly ProcessFacts[]): Host[] {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const wardens = processes.filter((one) => isWarden(one) && !isWarden(byPid.get(one.ppid)));
  const hosts = new Map<number, HeldRange[]>();
  for (const warden of wardens) {
    if (!byPid.has(warden.ppid)) continue;
    const ranges = hosts.get(warden.ppid) ?? [];
    hosts.set(warden.ppid, ranges);
    for (const supervisor of processes.filter((one) => one.ppid === warden.pid && isWarden(one))) {
      const members = descendants(processes, supervisor.pid);
      if (members.length > 0) ranges.push({ owner: 'subreaper', members });
    }
  }
  for (const [pid, ranges] of hosts) ranges.push(...groupRanges(processes, pid));
  return [...hosts].flatMap(([pid, ranges]) => {
    const process = byPid.get(pid);
    return process === undefined ? [] : [{ process, ranges }];
  });
}

/** It is started by this name, which a program that it starts loses at its exec. */
function isWarden(one: ProcessFacts | undefined): boolean {
  return one?.name === 'holdfast' && one.argv.length === 1 && one.argv[0] === 'holdfast-warden';
}

/** A command may hold commands itself: then its members lie in groups below its own, and belong to both. */
function groupRanges(processes: readonly ProcessFacts[], host: number): HeldRange[] {
  const pattern = new RegExp(`(/holdfast-${host}-[0-9a-f]{8}(\\.scope)?(?:/[^/]+)*?/r\\d+)(?:/|$)`);
  const ranges = new Map<string, { owner: 'cgroup' | 'scope'; members: ProcessFacts[] }>();
  for (const one of processes) {
    const match = pattern.exec(one.cgroup);
    if (match === null) continue;
    const [, leaf = '', scope] = match;
    const range = ranges.get(leaf) ?? { owner: scope === undefined ? 'cgroup' : 'scope', members: [] };
    ranges.set(leaf, range);
    range.members.push(one);
  }
  return [...ranges.values()];
}

function descendants(processes: readonly ProcessFacts[], root: number): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (let parents = new Set([root]); parents.size > 0; ) {
    const next = processes.filter(({ ppid }) => parents.has(ppid));
    found.push(...next);
    parents = new Set(next.map(({ pid }) => pid));
  }
  return found;
}
