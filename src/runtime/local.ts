import type { SubprocessDiagnosis, TerminalEnvironment } from '../seam/facts.js';
import type { TypedSubprocessHandle } from '../seam/handle.js';
import type { SubprocessSpawnSpec, SubprocessStdio } from '../seam/spec.js';
import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from '../seam/terminal.js';
import { RuntimeCore } from './core.js';
import { sharedEngine } from './engine.js';
import type { LocalSubprocessRuntimeOptions } from './options.js';
import { checkOptions } from './options.js';

/**
 * Starts commands on this machine and owns everything that they start, until it is disposed. At the host's `exit`
 * event, and at the end of a worker for the runtimes in it, everything still owned is killed.
 *
 * The constructor starts nothing and loads nothing; it throws a TypeError or RangeError that names a wrong option.
 */
export class LocalSubprocessRuntime {
  // A plain field: consumers may get the runtime behind a proxy, through which #private fields cannot be reached.
  private readonly core: RuntimeCore;

  constructor(options: LocalSubprocessRuntimeOptions = {}) {
    this.core = new RuntimeCore(checkOptions(options), sharedEngine());
  }

  /**
   * Absolute path of a program: an absolute path is checked, a bare name is searched on the PATH that a child with `env`
   * would have; a relative PATH entry starts at the host's working directory, an empty one names no directory.
   * Rejects with SubprocessExecutableNotFoundError when the finished lookup found nothing, with SubprocessError when it
   * could not look (EIO, EMFILE …), with a TypeError for a relative path with a separator, and with the signal's reason.
   */
  resolveExecutable(command: string, env?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string> {
    return this.core.resolveExecutable(command, env, signal);
  }

  /** Platform and shell of the place where commands run. Rejects with the signal's reason. */
  terminalEnvironment(signal?: AbortSignal): Promise<TerminalEnvironment> {
    return this.core.terminalEnvironment(signal);
  }

  /**
   * Starts a command and returns at once; whether the launch worked is told by `done`. Throws, with nothing started, a
   * TypeError or RangeError about the specification, and a SubprocessError with code `ABORT_ERR` (the signal was aborted
   * before), `DISPOSED` or `ERR_ACCESS_DENIED` (Node's permission model); and when the native binary cannot be loaded.
   */
  spawn<const Stdio extends SubprocessStdio>(spec: SubprocessSpawnSpec<Stdio>): TypedSubprocessHandle<Stdio> {
    return this.core.spawn(spec);
  }

  /**
   * Starts a program on a terminal of its own, and resolves when it runs. Rejects, with nothing left, as `spawn` throws and
   * as `done` of an ordinary command rejects; with ENOSPC when the machine has no terminal left; with the signal's reason.
   */
  spawnTerminal(spec: SubprocessTerminalSpawnSpec): Promise<SubprocessTerminalHandle> {
    return this.core.spawnTerminal(spec);
  }

  /** What this host can do: owners with the reason for each that cannot be used, the binary, the warden, kernel features, limits. */
  diagnose(): Promise<SubprocessDiagnosis> {
    return this.core.diagnose();
  }

  /**
   * Terminates every live range at once and waits until each is empty; destroys open control channels. Rejects with the
   * failure, or an AggregateError of several; what failed is killed at the host's exit, and dispose() can be tried again.
   * Output that was collected stays readable. Afterwards `spawn` throws `DISPOSED`.
   */
  dispose(): Promise<void> {
    return this.core.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.core.dispose();
  }
}
