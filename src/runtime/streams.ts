import { closeSync } from 'node:fs';
import type { Socket, SocketConstructorOpts } from 'node:net';
import type { HostEnd } from '../binding.js';

type Directions = Pick<SocketConstructorOpts, 'readable' | 'writable'>;

/** What makes a Socket of an end. One that is connected to must not be ended as a whole when the direction that it has not is. */
function optionsOf(end: HostEnd, directions: Directions): SocketConstructorOpts {
  return typeof end === 'number' ? { fd: end, ...directions } : { allowHalfOpen: true };
}

/** A launch that fails at once can take the pipe away before it is connected to. `done` reports that failure. */
function unlessConnecting(error: Error | null): Error | null {
  return (error as NodeJS.ErrnoException | null)?.syscall === 'connect' ? null : error;
}

/** The sockets of this file. `node:net` costs as much as the rest of the package to load, and many a host never pipes. */
function defineSockets(net: typeof import('node:net')) {
  /** A pipe that the command writes and the caller reads. */
  class OutputSocket extends net.Socket {
    private onOver: (() => void) | undefined;

    constructor(end: HostEnd, onOver: () => void) {
      super(optionsOf(end, { readable: true, writable: false }));
      this.onOver = onOver;
      // The constructor starts to read; where that fails at once, _destroy has already run without knowing whom to tell.
      if (this.destroyed) this.reportOver();
      if (typeof end === 'string') this.connect(end);
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
      super._destroy(unlessConnecting(error), callback);
    }

    private reportOver(): void {
      const onOver = this.onOver;
      this.onOver = undefined;
      onOver?.();
    }
  }

  /** A pipe that the caller writes and the command reads. */
  class InputSocket extends net.Socket {
    private readonly isMoot: () => boolean;

    constructor(end: HostEnd, isMoot: () => boolean) {
      super(optionsOf(end, { readable: false, writable: true }));
      this.isMoot = isMoot;
      if (typeof end === 'string') this.connect(end);
    }

    /**
     * After a failed launch a write ends in EPIPE before the failure itself is known here. `done` reports that failure; an
     * unhandled 'error' event on top of it would end the host for a misspelt program name.
     */
    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      super._destroy(error !== null && this.isMoot() ? null : unlessConnecting(error), callback);
    }
  }

  class ControlSocket extends net.Socket {
    constructor(end: HostEnd) {
      super({ ...optionsOf(end, { readable: true, writable: true }), allowHalfOpen: true });
      if (typeof end === 'string') this.connect(end);
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      super._destroy(unlessConnecting(error), callback);
    }
  }

  return { OutputSocket, InputSocket, ControlSocket, Socket: net.Socket };
}

let defined: ReturnType<typeof defineSockets> | undefined;
const sockets = (): ReturnType<typeof defineSockets> => (defined ??= defineSockets(process.getBuiltinModule('node:net')));

/** The host's end of stdout or stderr. `onOver` is called once, at the end of file or when the stream is destroyed. */
export function openOutput(end: HostEnd | undefined, onOver: () => void): Socket {
  return open(end, (known) => new (sockets().OutputSocket)(known, onOver), onOver);
}

/** The host's end of stdin. Errors are swallowed while `isMoot` says that the launch has failed. */
export function openInput(end: HostEnd | undefined, isMoot: () => boolean): Socket {
  return open(end, (known) => new (sockets().InputSocket)(known, isMoot));
}

/** A control channel's end; either direction can be ended alone. */
export function openControl(end: HostEnd | undefined): Socket {
  return open(end, (known) => new (sockets().ControlSocket)(known));
}

/**
 * Without a descriptor (there were none left: `done` rejects) the stream that the types promise is there, destroyed.
 * The same if Node cannot take the descriptor, which is closed then, so that the command sees its other end go.
 */
function open(end: HostEnd | undefined, create: (end: HostEnd) => Socket, onOver?: () => void): Socket {
  if (end !== undefined) {
    try {
      return create(end);
    } catch {
      if (typeof end === 'number') closeSync(end);
      onOver?.();
    }
  }
  return new (sockets().Socket)().destroy();
}
