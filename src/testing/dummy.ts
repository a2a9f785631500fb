import { fileURLToPath } from 'node:url';

/**
 * - `exit N`: ends with code N.
 * - `flood N`: writes N bytes to stdout, as fast as they are taken.
 * - `lines N`: writes the numbers from 1 to N, a line each.
 * - `stubborn`: says `ready`, then ignores TERM, INT and HUP.
 * - `daemon`: leaves a process in a session of its own, which ignores TERM and holds stdout open, says its id, and exits with 0.
 * - `echo`: writes its stdin to stdout.
 */
export type DummyBehaviour = 'exit' | 'flood' | 'lines' | 'stubborn' | 'daemon' | 'echo';

/**
 * The argument vector of a child that behaves so. Whatever it starts ends by itself after one minute, so that a failing test
 * leaves nothing behind for ever.
 */
export function dummyChild(behaviour: DummyBehaviour, number?: number): [string, ...string[]] {
  const program = fileURLToPath(new URL('./dummy-child.js', import.meta.url));
  return [process.execPath, program, behaviour, ...(number === undefined ? [] : [String(number)])];
}
