import type { CollectSpec } from '../../seam/spec.js';

/** The ways to connect a stream, named as in Tether. Which of them fit which stream, the specification's type says. */
export const SubprocessStdio = {
  /** The null device; for standard input. */
  ignore: 'ignore',
  /** A stream of the handle, for the caller to write or read. */
  pipe: 'pipe',
  /** The host's own descriptor; for output. */
  inherit: 'inherit',
  /** Text that is written as UTF-8 and then closed; for standard input. */
  data(text: string): { readonly data: string } {
    return { data: text };
  },
  /**
   * The last `maxBytes` bytes in memory; for output. With `spillMaxBytes`, a stream that outgrows them is in a file as
   * well, from its first byte, if it has no more than that many. Both are bytes, non-negative safe integers.
   */
  collect(maxBytes: number, spillMaxBytes?: number): CollectSpec {
    return spillMaxBytes === undefined ? { maxBytes } : { maxBytes, spill: { maxBytes: spillMaxBytes } };
  },
} as const;
