// What has to hold while a soak runs, and what has to be as before whenever it pauses.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

const quietly = (look, otherwise) => {
  try {
    return look();
  } catch {
    return otherwise; // gone while it was looked at
  }
};
const stat = (pid) => quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' '));
const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

/** Everything that a command could leave: lists of names, which compare and print well. */
export function footprint(mark, place) {
  const all = pids().map((pid) => [pid, stat(pid)]).filter(([, one]) => one !== undefined);
  const below = new Set([process.pid]);
  // Parents have mostly smaller numbers; what a pass misses, the next one finds.
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const [pid, one] of all) if (below.has(Number(one[1]))) below.add(pid);
  }
  below.delete(process.pid);
  return {
    descriptors: readdirSync('/proc/self/fd').flatMap((fd) => quietly(() => readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, ''), [])),
    threads: readdirSync('/proc/self/task').flatMap((tid) => quietly(() => readFileSync(`/proc/self/task/${tid}/comm`, 'utf8').trim(), [])),
    processes: [...below].map((pid) => `${pid} ${quietly(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), '?')}`),
    zombies: all.filter(([pid, one]) => below.has(pid) && one[0] === 'Z').map(([pid]) => String(pid)),
    strays: all.map(([pid]) => pid).filter((pid) => !below.has(pid) && pid !== process.pid && quietly(() => readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark), false)).map(String),
    files: readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => entry.name),
  };
}

/** What `after` has and `before` had not. */
export function more(before, after) {
  return Object.keys(before).flatMap((kind) => {
    const rest = [...before[kind]];
    return after[kind].flatMap((one) => {
      const at = rest.indexOf(one);
      if (at < 0) return [`${kind}: ${one}`];
      rest.splice(at, 1);
      return [];
    });
  });
}

/** Upper bounds in the middle of the work of `running` jobs; the message of the first that does not hold. */
export function exceeded(before, now, running) {
  const bounds = { descriptors: before.descriptors.length + 20 * running, threads: before.threads.length + 12 * running, processes: before.processes.length + 60 * running };
  for (const [kind, most] of Object.entries(bounds)) {
    if (now[kind].length > most) return `${now[kind].length} ${kind} for ${running} jobs, ${most} at most`;
  }
  return undefined;
}
