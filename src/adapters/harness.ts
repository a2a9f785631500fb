import { RuntimeCore } from '../runtime/core.js';
import { sharedEngine } from '../runtime/engine.js';
import type { WarningListener } from '../runtime/options.js';
import { checkOptions } from '../runtime/options.js';
import { controlMarker } from '../seam/limits.js';
import { SubprocessExecutableNotFoundError } from '../seam/errors.js';
import { spillReporter } from './harness-log.js';

/** What of a Cordis context the adapters use. Each harness has a copy or a fork of its own, so it is not imported. */
export interface HarnessContext {
  effect(execute: () => () => Promise<void>, label: string): unknown;
  readonly logger: HarnessLogger;
}

export interface HarnessLogger {
  warn(message: string): void;
  error(message: string, error: unknown): void;
}

/** What the harness's own package of the seam exports, as far as there is such a thing in the version that is there. */
export interface HarnessSeam {
  readonly prefix: string;
  /** Name of the variable that announces the control channel; the form of the seam that has none has no such channel either. */
  readonly controlEnv: string | undefined;
  readonly scrubbedParentEnv: () => Record<string, string>;
  readonly NotFoundError: (new (message: string, options?: ErrorOptions) => Error) | undefined;
  /** Start of the names of spill directories and files, such as `dsh-subprocess-`. */
  readonly spillName: string;
}

/**
 * The runtime behind a harness's service: created with the service, ended by one effect of its context. A failing end
 * rejects there, and what is left stays under the exit hook.
 */
export function mountRuntime(ctx: HarnessContext, seam: HarnessSeam): RuntimeCore {
  const NotFoundError = seam.NotFoundError ?? SubprocessExecutableNotFoundError;
  const settings = checkOptions({ prefix: seam.prefix, onWarning: onlyWeaker(ctx.logger) }, {
    controlMarker: seam.controlEnv ?? controlMarker(seam.prefix),
    parentEnv: seam.scrubbedParentEnv,
    notFound: (message, cause) => new NotFoundError(message, cause === undefined ? undefined : { cause }),
    spillName: seam.spillName,
    onSpillFailure: spillReporter(ctx.logger),
  });
  const core = new RuntimeCore(settings, sharedEngine());
  ctx.effect(() => () => core.dispose().catch(rethrow), 'holdfast');
  return core;
}

/**
 * Nothing is said of an owner that proves emptiness, although it was not the first choice: harnesses count lines of
 * their log, and it holds more than the process group that they had before.
 */
function onlyWeaker(logger: HarnessLogger): WarningListener {
  return (message, weaker) => {
    if (weaker === undefined) logger.warn(message);
    else if (weaker.owner === 'group') logger.warn(`subprocess-local is using weaker process-tree containment because ${weaker.reason}`);
  };
}

/** Consumers know several failures of a teardown by this message. */
function rethrow(error: unknown): never {
  throw error instanceof AggregateError ? new AggregateError(error.errors, 'local subprocess teardown failed') : error;
}
