import { closeSync, constants, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeMember } from '../../../binding.js';
import type { SubprocessOutcome } from '../../../seam/facts.js';
import { outcomeOf } from '../../outcome.js';
import { cleanupError, exitedError } from '../failure.js';
import type { NodePtyTerminal } from './load.js';
import { seenProcesses, signalProcess, type SeenProcess } from './processes.js';

const POLL_MS = 25;

/**
 * A terminal of node-pty, with what it lacks as far as it can be added from outside. It sees no process that has left the
 * terminal, so nothing here is ever proven.
 */
export class NodePtySession {
  readonly pid: number;
  readonly output: Readable;
  readonly done: Promise<SubprocessOutcome>;
  exited = false;
  empty = false;
  private readonly pty: NodePtyTerminal;
  private held: number | undefined;
  /** See {@link SeenProcess.session}; what it is on Linux until `ps` has said it. */
  private session: string;

  constructor(pty: NodePtyTerminal) {
    this.pty = pty;
    this.pid = pty.pid;
    this.session = String(pty.pid);
    this.hold(pty.ptsName ?? '');
    // Where there is no `ps`, whoever asks for members hears of it.
    this.seen().catch(() => {});
    this.output = new Readable({
      highWaterMark: 256 * 1024,
      read: () => this.exited || pty.resume(),
      destroy: (error, callback) => {
        pty.resume();
        callback(error);
      },
    });
    pty.onData((text) => {
      if (this.output.destroyed || this.output.push(Buffer.from(text)) || this.exited) return;
      pty.pause();
    });
    this.done = new Promise((resolve) => {
      pty.onExit(({ exitCode, signal = 0 }) => {
        this.exited = true;
        this.release();
        this.output.push(null);
        resolve(outcomeOf(exitCode, signal));
      });
    });
  }

  write(text: string): void {
    if (this.exited) throw exitedError();
    this.pty.write(text);
  }

  resize(cols: number, rows: number): void {
    if (this.exited) throw exitedError();
    this.pty.resize(cols, rows);
  }

  async foreground(): Promise<number | undefined> {
    if (this.exited) return undefined;
    const group = (await this.seen()).find((one) => one.pid === this.pid)?.foreground ?? 0;
    return group > 1 ? group : undefined;
  }

  async members(): Promise<NativeMember[]> {
    return (await this.seen()).map(({ pid, ppid, state, command }) => ({ pid, ppid, startTime: 0, state, argv0: command, rssBytes: 0, cpuMs: 0 }));
  }

  /** TERM, the grace, KILL, and once more the grace. */
  async end(graceMs: number, patienceMs: number): Promise<void> {
    if (await this.endBy('SIGTERM', graceMs)) return;
    if (await this.endBy('SIGKILL', patienceMs)) return;
    throw cleanupError((await this.seen()).map((one) => one.pid));
  }

  /** At the host's exit: no timer and no promise runs any more. */
  killNow(): void {
    if (!this.exited) signalProcess(-this.pid, 'SIGKILL');
  }

  /**
   * libuv takes a hang-up that follows a short read for the end, and node-pty loses what is queued behind it. As long as
   * somebody has the slave open there is no hang-up: then the 200 ms that node-pty waits after an exit are time to read.
   */
  private hold(slave: string): void {
    try {
      if (slave !== '') this.held = openSync(slave, constants.O_RDWR | constants.O_NOCTTY);
    } catch {
      // Then it is what node-pty makes of it.
    }
  }

  /** Members of the session. */
  private async seen(): Promise<SeenProcess[]> {
    const all = await seenProcesses();
    this.session = all.find((one) => one.pid === this.pid && one.ppid === process.pid)?.session ?? this.session;
    return all.filter((one) => one.session === this.session);
  }

  private release(): void {
    if (this.held !== undefined) closeSync(this.held);
    this.held = undefined;
  }

  private async endBy(signal: 'SIGTERM' | 'SIGKILL', withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    for (let first = true; ; first = false) {
      const members = await this.seen();
      if (members.length === 0) {
        await this.done;
        this.empty = true;
        return true;
      }
      for (const { pid, state } of members) {
        if (first || signal === 'SIGKILL') signalProcess(pid, signal);
        if (first && state === 'T') signalProcess(pid, 'SIGCONT');
      }
      if (performance.now() > until) return false;
      await delay(POLL_MS);
    }
  }
}
