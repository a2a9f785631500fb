import { outOfRange, wrongType, wrongValue } from '../../seam/errors.js';
import type { SubprocessTerminalSpawnSpec } from '../../seam/terminal.js';
import { checkArgv, checkCwd, checkEnv, checkGrace, checkSignal, checkText } from '../check-spec.js';

/** A window of the kernel has 16 bits for each side, and 0 means "nobody knows". */
const LARGEST_SIDE = 65535;

/** Refuses what cannot be started. Callers pass plain data, so nothing of the static types is taken for granted. */
export function checkTerminalSpec(spec: SubprocessTerminalSpawnSpec, controlMarker: string): void {
  if (typeof spec !== 'object' || spec === null) throw wrongType('options', 'an object', spec);
  checkGrace(spec.graceMs);
  checkSignal(spec.signal);
  if (Array.isArray(spec.argv) && (spec.argv.length === 0 || spec.argv[0] === '')) throw wrongValue('terminal argv must contain a program');
  checkArgv(spec.argv);
  checkCwd(spec.cwd);
  checkEnv(spec.env, controlMarker);
  checkText('options.terminalType', spec.terminalType);
  checkSide('options.rows', spec.rows);
  checkSide('options.cols', spec.cols);
  const { shellActivity } = spec;
  if (shellActivity !== undefined && typeof shellActivity !== 'boolean') throw wrongType('options.shellActivity', 'a boolean', shellActivity);
}

/** Throws unless `side` is a number of characters that a terminal can have. */
export function checkSide(name: string, side: unknown): void {
  if (typeof side === 'number' && Number.isInteger(side) && side >= 1 && side <= LARGEST_SIDE) return;
  throw outOfRange(`The property '${name}' must be an integer from 1 to ${LARGEST_SIDE}. Received ${typeof side === 'number' ? side : typeof side}`);
}
