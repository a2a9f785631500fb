import type { Writable } from 'node:stream';

/** Our own standard output or error, as the place where the command's bytes go. */
export interface Sink {
  /** For messages, such as 'standard output'. */
  readonly name: string;
  readonly stream: Writable;
  /** Sees each chunk right before it is written. */
  readonly before: (chunk: Uint8Array) => void;
}

const failures = new WeakMap<Writable, NodeJS.ErrnoException>();

/**
 * To be called once for standard output and error. Without a listener the error event of a reader that has gone away
 * would end this process with exit code 1, whatever the command did. And the fact has to be kept here: Node revives a
 * standard stream after an error, as if it could still be written.
 */
export function watchReader(stream: Writable): void {
  stream.on('error', (error) => {
    if (!failures.has(stream)) failures.set(stream, error);
  });
}

/** Whether nothing can be written any more. */
export function isGone(stream: Writable): boolean {
  return failures.has(stream);
}

/**
 * A reader that went away did so on purpose, as `head` does. A full disk is another matter: then output that somebody
 * wants is lost.
 * @throws Error that says so.
 */
export function checkNothingLost(sink: Sink): void {
  const failure = failures.get(sink.stream);
  if (failure === undefined || failure.code === 'EPIPE' || failure.code === 'ECONNRESET') return;
  throw new Error(`${sink.name} could not be written, output was lost: ${failure.message}`, { cause: failure });
}

/** Writes a chunk and waits until there is room for the next one. Resolves with false when the reader is gone. */
export async function writeAll(sink: Sink, chunk: Uint8Array): Promise<boolean> {
  if (isGone(sink.stream)) return false;
  sink.before(chunk);
  if (!sink.stream.write(chunk)) await settled(sink.stream, 'drain');
  return !isGone(sink.stream);
}

/** Waits until everything written has left this process, or the reader is gone. */
export async function flushed(stream: Writable): Promise<void> {
  while (!isGone(stream) && stream.writableLength > 0) {
    await new Promise<void>((resolve) => {
      // The callback comes with an error when the reader goes away meanwhile.
      stream.write('', () => resolve());
    });
  }
}

function settled(stream: Writable, event: 'drain'): Promise<void> {
  return new Promise((resolve) => {
    const events = [event, 'error', 'close'] as const;
    const finish = (): void => {
      for (const name of events) stream.off(name, finish);
      resolve();
    };
    for (const name of events) stream.once(name, finish);
  });
}
