/**
 * The provider of `ctx.subprocess` for DeepSeek Harness: a class plugin that takes the place of
 * `@deepseek-ai/dsh-subprocess-local`. It extends the host's own seam class, so the host's copy of that package is used,
 * not one of ours. Written for 0.1.0-rc.8 and for the later form of the seam.
 */
import * as seam from '@deepseek-ai/dsh-subprocess';
import type { RuntimeCore } from '../runtime/core.js';
import type { TerminalEnvironment } from '../seam/facts.js';
import type { SubprocessSpawnSpec, SubprocessStdio } from '../seam/spec.js';
import type { HarnessContext, HarnessSeam } from './harness.js';
import { mountRuntime } from './harness.js';
import type { HarnessHandle, HarnessTerminalHandle } from './harness-handle.js';
import { harnessHandle, harnessTerminal } from './harness-handle.js';

/** What the later form of the seam exports besides. */
interface LaterSeam {
  readonly SUBPROCESS_CONTROL_ENV: string;
  readonly SubprocessExecutableNotFoundError: NonNullable<HarnessSeam['NotFoundError']>;
}
// A namespace and not names: importing a name that an older version does not export is an error at load time.
const later: Partial<LaterSeam> = seam as Partial<LaterSeam>;

const SEAM: HarnessSeam = {
  prefix: seam.DSH_ENV_PREFIX,
  controlEnv: later.SUBPROCESS_CONTROL_ENV,
  scrubbedParentEnv: seam.scrubbedParentEnv,
  NotFoundError: later.SubprocessExecutableNotFoundError,
  spillName: 'dsh-subprocess-',
};

/** The control channel came with the form of the seam that has no `pid` any more. */
const HAS_PID = later.SUBPROCESS_CONTROL_ENV === undefined;

/** `pid` where the seam that is installed declares it. */
type SeamPid = Pick<seam.SubprocessHandle, Extract<keyof seam.SubprocessHandle, 'pid'>>;

/** The seam's handle, with the facts that this package adds. */
export type DshSubprocessHandle<Stdio extends SubprocessStdio> = HarnessHandle<Stdio> & SeamPid;

/** Mount it with `ctx.plugin(LocalSubprocessRuntime)`, or by its name in a composition. A configuration is ignored. */
export class LocalSubprocessRuntime extends seam.SubprocessRuntime {
  // A plain field: consumers get the service behind a proxy, through which #private fields cannot be reached.
  private readonly core: RuntimeCore;

  constructor(ctx: ConstructorParameters<typeof seam.SubprocessRuntime>[0], _config?: unknown) {
    super(ctx);
    this.core = mountRuntime(ctx as HarnessContext, SEAM);
  }

  /** Absolute path of a program; rejects with the seam's SubprocessExecutableNotFoundError when there is none, and with the signal's reason. */
  override resolveExecutable(command: string, env?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string> {
    return this.core.resolveExecutable(command, env, signal);
  }

  /** Platform and shell of the place where commands run. */
  terminalEnvironment(signal?: AbortSignal): Promise<TerminalEnvironment> {
    return this.core.terminalEnvironment(signal);
  }

  /** Starts a command and returns at once. Throws about the specification, an aborted signal, and after disposal. */
  override spawn<const Stdio extends SubprocessStdio>(spec: SubprocessSpawnSpec<Stdio>): DshSubprocessHandle<Stdio> {
    return harnessHandle(this.core.spawn(spec), HAS_PID) as DshSubprocessHandle<Stdio>;
  }

  /**
   * Allocates a terminal. 0.1.0-rc.8 of the seam has no `terminalType`: then TERM of `env` counts, and without that
   * `xterm-256color`. Rejects about the specification, with the signal's reason, and when the launch fails.
   */
  override async spawnTerminal(spec: seam.SubprocessTerminalSpawnSpec & { readonly terminalType?: string }): Promise<HarnessTerminalHandle> {
    return harnessTerminal(await this.core.spawnTerminal({ ...spec, terminalType: spec.terminalType ?? spec.env?.['TERM'] ?? 'xterm-256color' }));
  }
}

export default LocalSubprocessRuntime;
