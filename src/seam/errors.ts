import { constants } from 'node:os';
import type { OwnerKind } from '../binding.js';
import { ERROR_TABLE } from './error-table.js';

/** Name of an operating system error, such as `ENOENT`. */
export type ErrnoCode = keyof typeof constants.errno;

/** Codes of this package's own; `docs/errors.md` explains each. */
export type HoldfastErrorCode = (typeof ERROR_TABLE)[number]['code'];

/** Every value that `code` of an error from this package can have. */
export type SubprocessErrorCode = HoldfastErrorCode | ErrnoCode;

/** What was being done when an error happened. */
export type SubprocessErrorStage = 'resolve' | 'own' | 'launch' | 'io' | 'spill' | 'wait' | 'terminal';

export interface SubprocessErrorDetails {
  code: SubprocessErrorCode;
  /** As Node gives it, for example `spawn git`; `chdir` when the working directory was at fault. */
  syscall?: string | undefined;
  path?: string | undefined;
  /** Arguments without the program. */
  spawnargs?: readonly string[] | undefined;
  stage?: SubprocessErrorStage | undefined;
  owner?: OwnerKind | undefined;
  cause?: unknown;
}

/**
 * A fault that is not the fault of the arguments. Shaped as Node shapes errors of `child_process` (`code`, `errno`,
 * `syscall`, `path`, `spawnargs`), so that code written for those keeps working, with `stage` and `owner` added.
 * Properties that do not apply are absent, not undefined. `name` stays `Error`, because consumers of the contract
 * compare it; use `instanceof` or `code`.
 */
export class SubprocessError extends Error {
  declare readonly code: SubprocessErrorCode;
  /** Negative, as in Node; only for operating system codes. */
  declare readonly errno?: number;
  declare readonly syscall?: string;
  declare readonly path?: string;
  declare readonly spawnargs?: readonly string[];
  declare readonly stage?: SubprocessErrorStage;
  declare readonly owner?: OwnerKind;

  constructor(message: string, details: SubprocessErrorDetails) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    const { cause: _, ...facts } = details;
    const errno = errnoOf(details.code);
    const present = Object.entries({ errno, ...facts }).filter(([, value]) => value !== undefined);
    Object.assign(this, Object.fromEntries(present));
  }
}

/** A finished lookup that found nothing that can be run. Lookups that could not look reject with {@link SubprocessError}. */
export class SubprocessExecutableNotFoundError extends Error {
  override readonly name: string = 'SubprocessExecutableNotFoundError';
}

/** A TypeError whose `code` is `ERR_INVALID_ARG_TYPE`, about the property `name`. The value is described, never shown. */
export function wrongType(name: string, expected: string, value: unknown): TypeError {
  return withCode(new TypeError(`The property '${name}' must be ${expected}. Received ${kindOf(value)}`), 'ERR_INVALID_ARG_TYPE');
}

/** A TypeError whose `code` is `ERR_INVALID_ARG_VALUE`. */
export function wrongValue(message: string): TypeError {
  return withCode(new TypeError(message), 'ERR_INVALID_ARG_VALUE');
}

/** A RangeError whose `code` is `ERR_OUT_OF_RANGE`. */
export function outOfRange(message: string): RangeError {
  return withCode(new RangeError(message), 'ERR_OUT_OF_RANGE');
}

/** Negative number of an operating system code, as Node's `errno` has it, or undefined. */
export function errnoOf(code: string): number | undefined {
  const errno = (constants.errno as Readonly<Record<string, number>>)[code];
  return errno === undefined ? undefined : -errno;
}

function withCode<E extends Error>(error: E, code: HoldfastErrorCode): E {
  return Object.assign(error, { code });
}

/** The kind of a value for a message. Values stay out of messages: an environment entry may be a credential. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `type ${typeof value}`;
}
