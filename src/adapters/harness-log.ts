import type { HarnessParts } from '../runtime/harness-parts.js';
import type { HarnessLogger } from './harness.js';

/** Reports of spill files as harnesses know them from their own provider. The path is in the error, which names it. */
export function spillReporter(logger: HarnessLogger): NonNullable<HarnessParts['onSpillFailure']> {
  return (stream, error) => {
    const hint = error.code === 'ENOENT' ? '. Its directory is gone: a cleaner of temporary files may have removed it' : '';
    logger.error(`subprocess-local could not write the complete ${stream} stream to its spill file; only its tail is kept${hint}`, error);
  };
}
