import type { OutputSpec, SubprocessHandle, SubprocessReader } from '../index.js';
import type { RunOptions } from './arguments.js';
import { passCollected } from './follow.js';
import { finishPassage, type Passage, passPipe } from './pass.js';
import type { Progress } from './progress.js';
import { type Sink, writeAll } from './sink.js';

/**
 * - `watch`: collected, the tail is shown at the end. Only where both our streams are a terminal.
 * - `pass`: through a pipe, as it comes. Nothing is lost, because the command waits for a slow reader.
 * - `follow`: collected with a spill, and passed on from there; the command never waits.
 */
export type OutputPlan = 'watch' | 'pass' | 'follow';

export function planOutput(options: RunOptions): OutputPlan {
  if (process.stdout.isTTY && process.stderr.isTTY) return 'watch';
  return options.spillBytes === undefined ? 'pass' : 'follow';
}

/** What to ask the runtime for, the same for both streams. */
export function outputSpec(plan: OutputPlan, options: RunOptions): OutputSpec {
  if (plan === 'pass') return 'pipe';
  return { maxBytes: options.tailBytes, spill: options.spillBytes === undefined ? undefined : { maxBytes: options.spillBytes } };
}

const NAMES = ['stdout', 'stderr'] as const;

/** The output of one command on its way to the user. */
export class Output {
  private readonly passages: Partial<Record<(typeof NAMES)[number], Passage>> = {};
  private readonly handle: SubprocessHandle;
  private readonly plan: OutputPlan;
  private progress: Progress | undefined;

  constructor(handle: SubprocessHandle, plan: OutputPlan) {
    this.handle = handle;
    this.plan = plan;
    if (plan === 'watch') return;
    for (const name of NAMES) {
      const passage = this.pass(name);
      if (passage !== undefined) this.passages[name] = passage;
    }
  }

  /** The line that has to make room for what is written. */
  showAbove(progress: Progress): void {
    this.progress = progress;
  }

  bytes(name: (typeof NAMES)[number]): number {
    return this.passages[name]?.bytes() ?? this.handle.report().streams[name]?.bytes ?? 0;
  }

  /**
   * Waits, after the range has ended, until everything has been passed on, or shows the tails.
   * @param quietMs see {@link finishPassage}.
   * @param patient false once somebody wants to be rid of us: then a reader that takes nothing is not waited for.
   * @throws Error when output was lost on the way; all passages have ended all the same.
   */
  async finish(quietMs: number, patient: () => boolean): Promise<void> {
    if (this.plan === 'watch') return this.showTails();
    const results = await Promise.allSettled(Object.values(this.passages).map((passage) => finishPassage(passage, quietMs, patient)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  private pass(name: (typeof NAMES)[number]): Passage | undefined {
    const source = this.handle[name];
    if (source !== undefined) return passPipe(source, this.sink(name));
    const reader = this.handle.collected[name];
    return reader === undefined ? undefined : passCollected(reader, this.sink(name));
  }

  private async showTails(): Promise<void> {
    for (const name of NAMES) {
      const reader: SubprocessReader | undefined = this.handle.collected[name];
      if (reader === undefined) continue;
      const { bytes } = reader.readBytes(0);
      const sink = this.sink(name);
      await writeAll(sink, bytes);
      if (bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a) await writeAll(sink, Buffer.from('\n'));
    }
  }

  private sink(name: (typeof NAMES)[number]): Sink {
    const stream = process[name];
    return {
      name: name === 'stdout' ? 'standard output' : 'standard error',
      stream,
      before: (chunk) => {
        if (!stream.isTTY) return;
        this.progress?.hide();
        this.progress?.wrote(chunk);
      },
    };
  }
}
