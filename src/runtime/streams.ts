import { closeSync } from 'node:fs';
import type { SocketConstructorOpts } from 'node:net';
import { Socket } from 'node:net';

/** A pipe that the command writes and the caller reads. */
class OutputSocket extends Socket {
  private onOver: (() => void) | undefined;

  constructor(fd: number, onOver: () => void) {
    super({ fd, readable: true, writable: false });
    this.onOver = onOver;
    // The constructor starts to read; where that fails at once, _destroy has already run without knowing whom to tell.
    if (this.destroyed) this.reportOver();
  }

  /**
   * The end of file counts when it has come, not when the caller has read up to it: otherwise a caller that first
   * awaits `done` and then reads would wait for the whole grace.
   */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.reportOver();
    return super.push(chunk, encoding);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.reportOver();
    super._destroy(error, callback);
  }

  private reportOver(): void {
    const onOver = this.onOver;
    this.onOver = undefined;
    onOver?.();
  }
}

/** A pipe that the caller writes and the command reads. */
class InputSocket extends Socket {
  private readonly isMoot: () => boolean;

  constructor(fd: number, isMoot: () => boolean) {
    super({ fd, readable: false, writable: true });
    this.isMoot = isMoot;
  }

  /**
   * After a failed launch a write ends in EPIPE before the failure itself is known here. `done` reports that failure; an
   * unhandled 'error' event on top of it would end the host for a misspelt program name.
   */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(error !== null && this.isMoot() ? null : error, callback);
  }
}

/** The host's end of stdout or stderr. `onOver` is called once, at the end of file or when the stream is destroyed. */
export function openOutput(fd: number | undefined, onOver: () => void): Socket {
  return open(fd, (known) => new OutputSocket(known, onOver), onOver);
}

/** The host's end of stdin. Errors are swallowed while `isMoot` says that the launch has failed. */
export function openInput(fd: number | undefined, isMoot: () => boolean): Socket {
  return open(fd, (known) => new InputSocket(known, isMoot));
}

/** A control channel's end; either direction can be ended alone. */
export function openControl(fd: number | undefined): Socket {
  const options: SocketConstructorOpts = { readable: true, writable: true, allowHalfOpen: true };
  return open(fd, (known) => new Socket({ ...options, fd: known }));
}

/**
 * Without a descriptor (there were none left: `done` rejects) the stream that the types promise is there, destroyed.
 * The same if Node cannot take the descriptor, which is closed then, so that the command sees its other end go.
 */
function open(fd: number | undefined, create: (fd: number) => Socket, onOver?: () => void): Socket {
  if (fd !== undefined) {
    try {
      return create(fd);
    } catch {
      closeSync(fd);
      onOver?.();
    }
  }
  return new Socket().destroy();
}
