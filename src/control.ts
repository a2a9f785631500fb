import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { controlMarker, DEFAULT_PREFIX, SUBPROCESS_CONTROL_FD } from './seam/limits.js';

export { controlMarker, SUBPROCESS_CONTROL_FD } from './seam/limits.js';

/**
 * Opens, in a child that was started with `stdio.control: 'pipe'`, its end of the control channel: raw bytes in both
 * directions, each of which can be ended alone. The caller owns it. `prefix` is the managed prefix of the runtime that
 * started the child.
 *
 * Works once: the marker is removed from `process.env`, whatever it says, so that neither a second call nor a child of
 * this process takes a descriptor 7 for a channel that it is not. Throws an Error when no channel was inherited.
 */
export function openInheritedControlChannel(prefix: string = DEFAULT_PREFIX): Duplex {
  const marker = controlMarker(prefix);
  const announced = process.env[marker];
  delete process.env[marker];
  if (announced !== 'pipe') throw new Error(notInherited(marker));
  try {
    return new Socket({ fd: SUBPROCESS_CONTROL_FD, readable: true, writable: true, allowHalfOpen: true });
  } catch (error) {
    throw new Error(notInherited(marker), { cause: error });
  }
}

function notInherited(marker: string): string {
  return `subprocess control channel was not inherited: it needs ${marker}=pipe and descriptor ${SUBPROCESS_CONTROL_FD}, as stdio.control: 'pipe' gives them, and can be opened once`;
}
