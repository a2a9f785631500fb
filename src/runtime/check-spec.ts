import { checkEntry } from '../seam/environment.js';
import { outOfRange, SubprocessError, wrongType, wrongValue } from '../seam/errors.js';
import { MAX_TIMER_DELAY_MS } from '../seam/limits.js';
import type { SubprocessSpawnSpec } from '../seam/spec.js';
import { checkLimits } from './check-limits.js';

/**
 * Refuses what cannot be started, before anything is. The order is part of the contract: grace, signal, argv, null
 * bytes, reserved marker. Callers pass plain data, so nothing of the static types is taken for granted.
 */
export function checkSpec(spec: SubprocessSpawnSpec, controlMarker: string): void {
  if (typeof spec !== 'object' || spec === null) throw wrongType('options', 'an object', spec);
  checkGrace(spec.graceMs);
  checkSignal(spec.signal);
  if (spec.signal?.aborted === true) throw abortedBefore(spec.signal.reason);
  checkArgv(spec.argv);
  checkCwd(spec.cwd);
  checkStdio(spec.stdio);
  checkEnv(spec.env, controlMarker);
  checkLimits(spec.limits);
}

export function checkGrace(graceMs: unknown): void {
  if (typeof graceMs !== 'number') throw wrongType('options.graceMs', 'a number of milliseconds', graceMs);
  if (Number.isFinite(graceMs) && graceMs > 0 && graceMs <= MAX_TIMER_DELAY_MS) return;
  throw outOfRange(`subprocess graceMs must be a positive finite number no greater than ${MAX_TIMER_DELAY_MS}. Received ${graceMs}`);
}

export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  if (typeof signal !== 'object' || signal === null || !('aborted' in signal) || !('addEventListener' in signal)) {
    throw wrongType('options.signal', 'an AbortSignal', signal);
  }
}

function abortedBefore(reason: unknown): SubprocessError {
  const error = new SubprocessError(`aborted before spawn: ${describe(reason)}`, { code: 'ABORT_ERR', cause: reason });
  error.name = 'AbortError';
  return error;
}

export function checkArgv(argv: unknown): void {
  if (!Array.isArray(argv)) throw wrongType('options.argv', 'an array of strings', argv);
  if (argv.length === 0 || argv[0] === '') throw wrongValue('invalid argv: expected a non-empty program name at argv[0]');
  for (let at = 0; at < argv.length; at++) {
    const text: unknown = argv[at];
    if (typeof text !== 'string') throw wrongType(`options.argv[${at}]`, 'a string', text);
    // Node's name for it first, because consumers know that one.
    if (text.includes('\0')) throw noNull(`${at === 0 ? 'file' : `args[${at - 1}]`}' ('options.argv[${at}]`);
  }
}

function checkStdio(stdio: unknown): void {
  if (typeof stdio !== 'object' || stdio === null) throw wrongType('options.stdio', 'an object with stdin, stdout and stderr', stdio);
  const { stdin, stdout, stderr, control } = stdio as Record<string, unknown>;
  checkStdin(stdin);
  checkOutput('stdout', stdout);
  checkOutput('stderr', stderr);
  if (control !== undefined && control !== 'pipe') throw wrongValue("The property 'options.stdio.control' must be 'pipe' or undefined");
}

function checkStdin(stdin: unknown): void {
  if (stdin === 'ignore' || stdin === 'pipe') return;
  if (typeof stdin !== 'object' || stdin === null) throw wrongValue("The property 'options.stdio.stdin' must be 'ignore', 'pipe' or { data }");
  const { data } = stdin as Record<string, unknown>;
  if (typeof data !== 'string') throw wrongType('options.stdio.stdin.data', 'a string', data);
}

function checkOutput(name: 'stdout' | 'stderr', output: unknown): void {
  if (output === 'pipe' || output === 'inherit') return;
  if (typeof output !== 'object' || output === null) {
    throw wrongValue(`The property 'options.stdio.${name}' must be 'pipe', 'inherit' or { maxBytes, spill? }`);
  }
  const { maxBytes, spill } = output as Record<string, unknown>;
  checkSize(`options.stdio.${name}.maxBytes`, maxBytes);
  if (spill === undefined) return;
  if (typeof spill !== 'object' || spill === null) throw wrongType(`options.stdio.${name}.spill`, 'an object with maxBytes', spill);
  checkSize(`options.stdio.${name}.spill.maxBytes`, (spill as Record<string, unknown>).maxBytes);
}

function checkSize(name: string, size: unknown): void {
  if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return;
  throw outOfRange(`The property '${name}' must be a number of bytes, a non-negative safe integer. Received ${typeof size === 'number' ? size : typeof size}`);
}

export function checkEnv(env: unknown, marker: string): void {
  if (env === undefined) return;
  if (typeof env !== 'object' || env === null) throw wrongType('options.env', 'an object', env);
  let reserved: string | undefined;
  for (const name of Object.keys(env)) {
    const value: unknown = (env as Record<string, unknown>)[name];
    checkEntry(name, value);
    if (value !== undefined && name.length === marker.length && name.toUpperCase() === marker.toUpperCase()) reserved ??= name;
  }
  if (reserved !== undefined) {
    throw wrongValue(`The variable '${reserved}' is reserved for subprocess control-channel setup; ask for stdio.control: 'pipe' instead`);
  }
}

export function checkCwd(cwd: unknown): void {
  checkText('options.cwd', cwd);
  if (cwd === '') throw wrongValue("The property 'options.cwd' must be a directory; it is empty");
}

export function checkText(name: string, text: unknown): void {
  if (typeof text !== 'string') throw wrongType(name, 'a string', text);
  if (text.includes('\0')) throw noNull(name);
}

function noNull(name: string): TypeError {
  return wrongValue(`The property '${name}' must be a string without null bytes`);
}

/** A value for a message. A reason is any value at all, and its conversion may throw. */
function describe(value: unknown): string {
  try {
    return value === null || value === undefined ? 'aborted' : String(value);
  } catch {
    return 'aborted';
  }
}
