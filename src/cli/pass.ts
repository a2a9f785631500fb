import type { Readable } from 'node:stream';
import { checkNothingLost, flushed, isGone, type Sink, writeAll } from './sink.js';

/** Output on its way from the command to our own stream. */
export interface Passage {
  /** Bytes taken from the command so far. */
  readonly bytes: () => number;
  /** True while the reader behind our stream has to be waited for. */
  readonly blocked: () => boolean;
  /** Resolves when the last byte has left this process or nobody can take it. Rejects when bytes were lost on the way. */
  readonly ended: Promise<void>;
  /** Gives up: what has not been passed yet stays behind, and `ended` resolves. */
  readonly abandon: () => void;
}

/**
 * Passes a `pipe` stream on. The pipe is what makes it safe: when our reader is slow we stop reading, the pipe fills, and
 * the command waits, as in a pipeline of a shell. Nothing is held in memory but one chunk. When our reader goes away the
 * pipe is closed, so that the command gets SIGPIPE or EPIPE at its next write, which it would have got in a shell.
 */
export function passPipe(source: Readable, sink: Sink): Passage {
  let bytes = 0;
  let waiting = false;
  const pump = async (): Promise<void> => {
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        waiting = true;
        const open = await writeAll(sink, chunk);
        waiting = false;
        if (!open) break; // which destroys the source
      }
      waiting = true;
      await flushed(sink.stream);
    } catch (error) {
      // Closed below because the reader has gone: nothing that anybody wanted was lost.
      if (!isGone(sink.stream)) throw error;
    }
    checkNothingLost(sink);
  };
  // The reader may go while the command is silent, when no write of ours would notice.
  const readerGone = (): void => void source.destroy();
  sink.stream.once('close', readerGone);
  const { ended, abandon } = abandonable(pump().finally(() => sink.stream.off('close', readerGone)));
  return {
    bytes: () => bytes,
    blocked: () => waiting,
    ended,
    abandon: () => {
      abandon();
      source.destroy();
    },
  };
}

/** `work`, or nothing as soon as it is abandoned: a write to a reader that never reads again cannot be called back. */
export function abandonable(work: Promise<void>): { ended: Promise<void>; abandon: () => void } {
  let abandon = (): void => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const ended = Promise.race([work, abandoned]);
  ended.catch(() => {}); // whoever awaits it later handles it
  return { ended, abandon };
}

/**
 * Waits for the end of a passage whose command is gone. A pipe may still be held open by a process that escaped, so it
 * is given up when it was silent for `quietMs`. A reader of ours that blocks is waited for as long as it likes while
 * `patient()`, else it is given up in the same way.
 */
export async function finishPassage(passage: Passage, quietMs: number, patient: () => boolean): Promise<void> {
  let seen = passage.bytes();
  const timer = setInterval(() => {
    const now = passage.bytes();
    if (now === seen && !(passage.blocked() && patient())) passage.abandon();
    seen = now;
  }, quietMs);
  try {
    await passage.ended;
  } finally {
    clearInterval(timer);
  }
}
