/** Whoever owns processes. */
export interface Killable {
  /** KILL for everything; synchronous. */
  killAll(): void;
}

/** One entry for each runtime that may still own something. */
const mounts = new Set<{ readonly engine: Killable }>();

/** What has to be put away when the host exits, each without waiting and without throwing. */
const leftovers = new Set<() => void>();

/** Calls `putAway` when the host exits with a runtime mounted, after everything was killed, until the returned function is called. */
export function onHostExit(putAway: () => void): () => void {
  leftovers.add(putAway);
  return () => void leftovers.delete(putAway);
}

/**
 * Kills what `engine` owns when the host exits, until the returned function is called. All runtimes share one listener
 * (one each would end in Node's MaxListeners warning), and it runs before listeners that were there earlier, because
 * one of those may throw. In a worker it is the end of that worker.
 */
export function mountExitHook(engine: Killable): () => void {
  const mount = { engine };
  // Taken out and put in front again: somebody may have got ahead of it since the first runtime was made.
  process.removeListener('exit', killEverything);
  process.prependListener('exit', killEverything);
  mounts.add(mount);
  return () => {
    if (mounts.delete(mount) && mounts.size === 0) process.removeListener('exit', killEverything);
  };
}

/** Purely synchronous, without grace: no timer and no promise runs any more. The exit code stays what it is. */
function killEverything(): void {
  for (const engine of new Set([...mounts].map((mount) => mount.engine))) {
    try {
      engine.killAll();
    } catch {
      // One engine that fails must not keep the others' processes alive, nor turn the host's exit into another one.
    }
  }
  for (const putAway of leftovers) putAway();
}
