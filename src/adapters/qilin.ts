/**
 * The provider of `ctx.subprocess` for QiLin: a class plugin that extends the host's own seam class from
 * `@qilin-agent/subprocess`, which has the newest form of the contract, over QiLin's own fork of Cordis.
 */
import * as seam from '@qilin-agent/subprocess';
import type { RuntimeCore } from '../runtime/core.js';
import type { TerminalEnvironment } from '../seam/facts.js';
import type { SubprocessSpawnSpec, SubprocessStdio } from '../seam/spec.js';
import type { SubprocessTerminalSpawnSpec } from '../seam/terminal.js';
import type { HarnessContext, HarnessSeam } from './harness.js';
import { mountRuntime } from './harness.js';
import type { HarnessHandle, HarnessTerminalHandle } from './harness-handle.js';
import { harnessHandle, harnessTerminal } from './harness-handle.js';

const SEAM: HarnessSeam = {
  prefix: seam.QILIN_ENV_PREFIX,
  controlEnv: seam.SUBPROCESS_CONTROL_ENV,
  // With the variables of an active proxy, which QiLin adds to what its children get.
  scrubbedParentEnv: seam.scrubbedParentEnv,
  NotFoundError: seam.SubprocessExecutableNotFoundError,
  spillName: 'qilin-subprocess-',
};

/** The seam's handle, with the facts that this package adds. */
export type QilinSubprocessHandle<Stdio extends SubprocessStdio> = HarnessHandle<Stdio>;

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
  override terminalEnvironment(signal?: AbortSignal): Promise<TerminalEnvironment> {
    return this.core.terminalEnvironment(signal);
  }

  /** Starts a command and returns at once. Throws about the specification, an aborted signal, and after disposal. */
  override spawn<const Stdio extends SubprocessStdio>(spec: SubprocessSpawnSpec<Stdio>): QilinSubprocessHandle<Stdio> {
    return harnessHandle(this.core.spawn(spec), false);
  }

  /** Allocates a terminal. Rejects about the specification, with the signal's reason, and when the launch fails. */
  override async spawnTerminal(spec: SubprocessTerminalSpawnSpec): Promise<HarnessTerminalHandle> {
    return harnessTerminal(await this.core.spawnTerminal(spec));
  }
}

export default LocalSubprocessRuntime;
