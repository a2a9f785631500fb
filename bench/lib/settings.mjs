import { parseArgs } from 'node:util';

/** `--rounds N` and `--quick` (less work, for a look; the figures go into build/ and are not kept). */
export function settings(defaultRounds) {
  const { values } = parseArgs({ options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } } });
  const rounds = values.rounds === undefined ? (values.quick ? 3 : defaultRounds) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError(`--rounds needs a whole number from 1, not ${values.rounds}`);
  return { rounds, quick: values.quick };
}
