import { parseArgs } from 'node:util';

/**
 * `--rounds N`, `--bytes N` for questions that have bytes, and `--quick` (less work, for a look; the figures go into
 * build/ and are not kept). `options`: more of parseArgs'; their values come back in `values`.
 */
export function settings({ rounds, quickRounds = 3, bytes, quickBytes, options = {} }) {
  const known = { rounds: { type: 'string' }, bytes: { type: 'string' }, quick: { type: 'boolean', default: false }, ...options };
  const { values } = parseArgs({ options: known, strict: false });
  const { quick } = values;
  return {
    quick,
    rounds: whole('rounds', values.rounds, quick ? quickRounds : rounds),
    bytes: whole('bytes', values.bytes, quick ? quickBytes : bytes),
    values,
  };
}

function whole(name, given, otherwise) {
  const value = given === undefined ? otherwise : Number(given);
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) throw new RangeError(`--${name} needs a whole number from 1, not ${given}`);
  return value;
}
