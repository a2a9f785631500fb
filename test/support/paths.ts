import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const dummyPath = `${root}build/test/dummy`;

/** Argument vector of a sub-command of the dummy child program (test/fixtures/dummy.c). */
export function dummy(command: string, ...args: (string | number)[]): [string, ...string[]] {
  return [dummyPath, command, ...args.map(String)];
}
