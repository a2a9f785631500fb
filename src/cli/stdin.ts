import type { Readable, Writable } from 'node:stream';

/**
 * Pumps our standard input into the command's. A command that does not read its input to the end is no error. The pump
 * stops when the command's end is closed; what has not been read stays where it is.
 */
export function pumpStdin(source: Readable, target: Writable): void {
  const stop = (): void => {
    source.unpipe(target);
    source.pause();
  };
  target.on('error', stop);
  target.on('close', stop);
  // Standard input that cannot be read (a directory, say) is an empty one for the command.
  source.on('error', () => target.end());
  source.pipe(target);
}
