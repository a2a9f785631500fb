/** Numbers and names of the contract that more than one part needs. */

/** Longest delay of a timer in milliseconds: Node turns a longer one into 1 ms. Upper bound of `graceMs`. */
export const MAX_TIMER_DELAY_MS: number = 2 ** 31 - 1;

/** Descriptor of the control channel in the child. */
export const SUBPROCESS_CONTROL_FD: number = 7;

/** Managed environment prefix of a runtime that names none. */
export const DEFAULT_PREFIX: string = 'HOLDFAST_';

/** Longest wait, in milliseconds, of the `pid` getter for a launch that is still under way. */
export const PID_WAIT_MS: number = 1000;

/** Name of the variable that announces the control channel to the child: `<prefix>SUBPROCESS_CONTROL`, with the value `pipe`. */
export function controlMarker(prefix: string = DEFAULT_PREFIX): string {
  return `${prefix}SUBPROCESS_CONTROL`;
}
