/**
 * Every code that this package gives to an error of its own, in one place: which class carries it, whether it is thrown
 * by the call or rejects a promise, when it happens and what helps. Operating system codes (ENOENT, EMFILE …) come on
 * top of these, unchanged.
 */

/** One row of {@link ERROR_TABLE}. */
export interface ErrorRow {
  readonly code: string;
  readonly class: 'TypeError' | 'RangeError' | 'SubprocessError' | 'Error';
  /** `throws`: by the call itself, nothing was started. `rejects`: a promise such as `done`. */
  readonly how: 'throws' | 'rejects' | 'either';
  readonly when: string;
  readonly remedy: string;
}

export const ERROR_TABLE = [
  {
    code: 'ERR_INVALID_ARG_TYPE',
    class: 'TypeError',
    how: 'either',
    when: 'An argument or a part of the specification has the wrong type.',
    remedy: 'The message names the property and the type that it needs.',
  },
  {
    code: 'ERR_INVALID_ARG_VALUE',
    class: 'TypeError',
    how: 'either',
    when: 'The type is right and the value cannot be used: an empty program, a NUL byte, a reserved variable, an unknown owner.',
    remedy: 'The message names the property and what it accepts.',
  },
  {
    code: 'ERR_OUT_OF_RANGE',
    class: 'RangeError',
    how: 'either',
    when: 'A number lies outside its range: graceMs, a size, an offset, an age.',
    remedy: 'The message gives the range.',
  },
  {
    code: 'ABORT_ERR',
    class: 'SubprocessError',
    how: 'throws',
    when: 'The signal of the specification was aborted before the call. `cause` is the reason.',
    remedy: 'Nothing was started; spawn again with a fresh signal.',
  },
  {
    code: 'DISPOSED',
    class: 'SubprocessError',
    how: 'throws',
    when: 'spawn() after dispose() was called.',
    remedy: 'Create a new runtime.',
  },
  {
    code: 'ERR_ACCESS_DENIED',
    class: 'SubprocessError',
    how: 'throws',
    when: "Node's permission model is on and child processes are not permitted.",
    remedy: 'Start node with --allow-child-process and --allow-addons.',
  },
  {
    code: 'BINARY_UNAVAILABLE',
    class: 'Error',
    how: 'either',
    when: 'The native binary cannot be loaded. The message says what was tried and why each attempt failed.',
    remedy: 'The message has the command for this platform.',
  },
  {
    code: 'OWNER_UNAVAILABLE',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'None of the owners that `ownership` requires can be used here. The message has the reason of each.',
    remedy: "Allow another owner, or end the list with 'auto'.",
  },
  {
    code: 'OWNER_LOST',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'The owner of the range can no longer be observed, so that neither the exit nor emptiness can be told.',
    remedy: 'Call terminate(); treat the command as possibly still running.',
  },
  {
    code: 'UNKNOWN',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'The system gave an error that has no name on this platform. The message has the raw value.',
    remedy: 'Report it, with the message.',
  },
] as const;
