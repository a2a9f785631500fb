import type { SubprocessError } from '../seam/errors.js';
import { SubprocessExecutableNotFoundError } from '../seam/errors.js';
import { controlMarker } from '../seam/limits.js';
import { spillPrefix } from './spills.js';

/** What a harness decides in the place of this package, so that its own parts and ours agree whatever version it has. */
export interface HarnessParts {
  /** Name of the variable that announces the control channel to the child. */
  readonly controlMarker: string;
  /**
   * The environment that children get by default, asked at each spawn and lookup; a fresh object. Undefined: this
   * process's own, scrubbed by the managed prefix.
   */
  readonly parentEnv: (() => Record<string, string>) | undefined;
  /** The error of a finished lookup that found nothing. */
  readonly notFound: (message: string, cause?: unknown) => Error;
  /** Start of the names of private spill directories and of the files in them. */
  readonly spillName: string;
  /** Told once of each collected stream whose file could not be written; its tail is not affected. */
  readonly onSpillFailure: ((stream: 'stdout' | 'stderr', error: SubprocessError) => void) | undefined;
}

/** The parts of a runtime that stands alone. */
export function ownParts(prefix: string): HarnessParts {
  return {
    controlMarker: controlMarker(prefix),
    parentEnv: undefined,
    notFound: (message, cause) => new SubprocessExecutableNotFoundError(message, cause === undefined ? undefined : { cause }),
    spillName: spillPrefix(prefix),
    onSpillFailure: undefined,
  };
}
