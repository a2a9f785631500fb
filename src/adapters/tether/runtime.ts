import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RuntimeCore } from '../../runtime/core.js';
import { sharedEngine } from '../../runtime/engine.js';
import { ownParts } from '../../runtime/harness-parts.js';
import type { LocalSubprocessRuntimeOptions } from '../../runtime/options.js';
import { checkOptions } from '../../runtime/options.js';
import type { OutputSpec, StdinSpec } from '../../seam/spec.js';
import type { TetherSubprocess } from './process.js';
import { tetherSubprocess } from './process.js';
import type { TetherSpawnSpec } from './spec.js';
import { seamSpec } from './spec.js';

const PREFIX = 'TETHER_';

/** Options of {@link SubprocessRuntime}; the prefix is Tether's. */
export type TetherRuntimeOptions = Omit<LocalSubprocessRuntimeOptions, 'prefix'>;

/**
 * Starts commands and owns everything that they start, until it is disposed. Spill files lie under `tether-subprocess/`
 * in the directory for temporary files, unless an option names another place.
 */
export class SubprocessRuntime {
  private readonly core: RuntimeCore;
  private readonly makeSpillDirectory: () => void;

  constructor(options: TetherRuntimeOptions = {}) {
    const spillDirectory = options.spillDirectory ?? join(tmpdir(), 'tether-subprocess');
    this.core = new RuntimeCore(checkOptions({ ...options, spillDirectory, prefix: PREFIX }, ownParts(PREFIX)), sharedEngine());
    this.makeSpillDirectory = options.spillDirectory === undefined ? () => makeShared(spillDirectory) : () => {};
  }

  /**
   * Absolute path of a program: an absolute path is checked, a bare name is searched on the PATH of the child. Rejects
   * with SubprocessExecutableNotFoundError when there is none, and with the signal's reason.
   */
  resolveExecutable(command: string, environment?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string> {
    return this.core.resolveExecutable(command, environment, signal);
  }

  /** Starts a command and returns at once. Throws about the specification, an aborted signal, and after disposal. */
  spawn<In extends StdinSpec, Out extends OutputSpec, Err extends OutputSpec>(spec: TetherSpawnSpec<In, Out, Err>): TetherSubprocess<In, Out, Err> {
    const translated = seamSpec(spec);
    if (spills(spec.standardOutput) || spills(spec.standardError)) this.makeSpillDirectory();
    return tetherSubprocess(this.core.spawn(translated));
  }

  /**
   * Terminates every live range at once and waits until each is empty. Rejects with the failure, or an AggregateError of
   * several; what failed is killed at the host's exit.
   */
  dispose(): Promise<void> {
    return this.core.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.core.dispose();
  }
}

function spills(output: OutputSpec): boolean {
  return typeof output === 'object' && output.spill !== undefined;
}

/** The folder is shared by all hosts of this user; each makes a private one in it. A failure shows in the spill's own report. */
function makeShared(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // It is there already, or cannot be made: then the spill cannot be made in it either, and says why.
  }
}
