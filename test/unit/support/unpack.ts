import type { RequestExtras } from '../../../src/binding.ts';
import { OUTPUT_CODE, REQUEST_NUMBER } from '../../../src/binding.ts';

/** What was asked of the addon, in names. */
export interface UnpackedRequest {
  readonly cwd: string;
  readonly hostCwd: string;
  readonly owners: string;
  /** The managed prefix, or PATH. */
  readonly base: string;
  readonly unset: readonly string[];
  readonly env: readonly string[];
  readonly argv: readonly string[];
  readonly graceMs: number | undefined;
  readonly named: number | undefined;
  readonly mayWeaken: boolean;
  readonly stdinPipe: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly extras: RequestExtras | undefined;
}

type Output = 'inherit' | 'pipe' | { maxBytes: number | undefined; spillMaxBytes: number | undefined };

/** The reverse of src/runtime/request.ts, as native/addon/launch_request.cc does it. */
export function unpack(texts: string, numbers: Float64Array, extras: RequestExtras | undefined): UnpackedRequest {
  const items = texts.split('\0').slice(0, -1);
  const [cwd = '', hostCwd = '', owners = '', base = ''] = items.splice(0, 4);
  const list = (): string[] => items.splice(0, items.indexOf('') + 1).slice(0, -1);
  const output = (size: number, spill: number): Output => {
    if (numbers[size] === OUTPUT_CODE.inherit) return 'inherit';
    if (numbers[size] === OUTPUT_CODE.pipe) return 'pipe';
    return { maxBytes: numbers[size], spillMaxBytes: numbers[spill] === -1 ? undefined : numbers[spill] };
  };
  return {
    cwd, hostCwd, owners, base, unset: list(), env: list(), argv: items, extras,
    graceMs: numbers[REQUEST_NUMBER.grace],
    named: numbers[REQUEST_NUMBER.named],
    mayWeaken: numbers[REQUEST_NUMBER.mayWeaken] === 1,
    stdinPipe: numbers[REQUEST_NUMBER.stdinPipe] === 1,
    stdout: output(REQUEST_NUMBER.stdout, REQUEST_NUMBER.stdoutSpill),
    stderr: output(REQUEST_NUMBER.stderr, REQUEST_NUMBER.stderrSpill),
  };
}
