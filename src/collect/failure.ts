import { basename } from 'node:path';
import type { CollectResult } from './types.js';

/** Characters of the last line of stderr that a message shows. */
const SHOWN = 200;

/**
 * A command that did not exit by itself with code 0, from `collect` with `check`. The message has the program's name and
 * the last line of its stderr, and no argument: one may be a credential.
 */
export class CommandFailedError extends Error {
  override readonly name: string = 'CommandFailedError';
  readonly code: 'COMMAND_FAILED' = 'COMMAND_FAILED';
  readonly result: CollectResult;

  constructor(argv: readonly string[], result: CollectResult) {
    const last = result.stderr.text.trimEnd().split('\n').at(-1)?.slice(0, SHOWN) ?? '';
    super(`${basename(argv[0] ?? '')} ${ending(result)}${last === '' ? '' : `: ${last}`}`);
    this.result = result;
  }
}

function ending({ cause, exitCode, signal }: CollectResult): string {
  if (cause === 'timeout') return 'was ended because its time was over';
  if (cause === 'abort') return 'was aborted';
  return exitCode === null ? `was ended by ${signal ?? 'a signal without a name'}` : `ended with exit code ${exitCode}`;
}
