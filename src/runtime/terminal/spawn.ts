import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from '../../seam/terminal.js';
import { onAbort } from '../abort.js';
import type { Settings } from '../options.js';
import type { Range } from '../range.js';
import type { Binding, NativeRange } from '../../binding.js';
import { absoluteDirectory, requestTerminal } from '../request.js';
import { prepareActivity } from './activity.js';
import { terminalVariables } from './environment.js';
import { TerminalHandle, TerminalStreams } from './handle.js';

/**
 * Allocates a terminal and launches on it; `launch` makes a range of what the addon answers to the request. Resolves when the program runs,
 * rejects as `done` of an ordinary command does, or with the signal's reason; then nothing of it is left, or it is under
 * way to its end.
 */
export async function spawnTerminal(spec: SubprocessTerminalSpawnSpec, settings: Settings, launch: (request: (binding: Binding) => NativeRange) => Range): Promise<SubprocessTerminalHandle> {
  const { signal, graceMs, rows, cols, shellActivity = false } = spec;
  const cwd = absoluteDirectory(spec.cwd);
  const env = terminalVariables(spec, cwd);
  const activity = await prepareActivity({ argv: [...spec.argv], env }, shellActivity, settings);
  try {
    signal?.throwIfAborted();
    const range = launch((binding) => requestTerminal(binding, { argv: activity.argv, env: activity.env, cwd, graceMs }, { rows, cols }, settings));
    const streams = new TerminalStreams(range);
    await launched(range, signal);
    return new TerminalHandle(range, streams, activity, { graceMs, shellActivity });
  } catch (error) {
    await activity.close();
    throw error;
  }
}

function launched(range: Range, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const unfollow = signal === undefined ? undefined : onAbort(signal, (reason) => {
      range.kill();
      reject(reason);
    });
    const settle = (then: () => void): void => {
      unfollow?.();
      then();
    };
    range.observers.push({ launched: () => settle(resolve) });
    // Also a program that was ended before its exec: there is an outcome and no launch.
    range.done.then(() => settle(resolve), (error: unknown) => settle(() => reject(error)));
  });
}
