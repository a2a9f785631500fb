import { constants } from 'node:os';
import type { SubprocessOutcome } from '../seam/facts.js';

/** First name wins: SIGABRT, not SIGIOT. */
const names = new Map<number, NodeJS.Signals>();
for (const [name, number] of Object.entries(constants.signals)) {
  if (!names.has(number)) names.set(number, name as NodeJS.Signals);
}

/**
 * Exit facts from the numbers that the kernel gave. A signal without a name (real-time signals) is `{ null, null }`:
 * death by it must never look like exit code 0.
 */
export function outcomeOf(exitCode: number | null, signal: number): SubprocessOutcome {
  return signal === 0 ? { exitCode, signal: null } : { exitCode: null, signal: names.get(signal) ?? null };
}
