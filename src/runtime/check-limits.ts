import { outOfRange, wrongType } from '../seam/errors.js';

/** Refuses limits that no kernel could take. What this one can enforce is known at the launch. */
export function checkLimits(limits: unknown): void {
  if (limits === undefined) return;
  if (typeof limits !== 'object' || limits === null) throw wrongType('options.limits', 'an object', limits);
  const { memoryBytes, processes, cpus } = limits as Record<string, unknown>;
  check('memoryBytes', 'a number of bytes, a positive safe integer', memoryBytes, (n) => Number.isSafeInteger(n) && n > 0);
  check('processes', 'an integer from 1 to 4194304', processes, (n) => Number.isInteger(n) && n >= 1 && n <= 4_194_304);
  check('cpus', 'a number from 0.01 to 100000', cpus, (n) => n >= 0.01 && n <= 100_000);
}

function check(name: string, expected: string, value: unknown, fits: (value: number) => boolean): void {
  if (value === undefined) return;
  if (typeof value !== 'number') throw wrongType(`options.limits.${name}`, 'a number', value);
  if (!fits(value)) throw outOfRange(`The property 'options.limits.${name}' must be ${expected}. Received ${value}`);
}
