import type { TerminalActivity } from '../../../seam/terminal.js';
import type { ShellRecord } from './record.js';

/** One look at a terminal. Everything in it was true at one moment between the begin and the end of the look. */
export interface Observation {
  /**
   * The range: `live`; `rootless`: the top-level process has ended, others may live; `empty`: nobody is left, proven, or
   * after terminate().
   */
  readonly range: 'live' | 'rootless' | 'empty';
  /** Members besides the top-level process; undefined where the owner could not list them. */
  readonly others: number | undefined;
  /** Whose the foreground is; `unseen` where the terminal has or shows none. */
  readonly foreground: 'root' | 'other' | 'unseen';
  /** Whether the top-level process is blocked waiting for input on this terminal. */
  readonly reading: 'yes' | 'no' | 'unseen';
  /** Last record of the hooks, the same before and after the look. Undefined: none, or it changed meanwhile. */
  readonly record: ShellRecord | undefined;
  /** Whether the record was written by the top-level process as the program that it is now (`exec` replaces it). */
  readonly own: boolean;
}

type State = TerminalActivity['state'];

/**
 * What the looks at one terminal add up to. `idle` is only said on positive evidence: the hooks' record of a prompt that is
 * younger than all input, from this shell, alone in its range and in the foreground, and the shell once seen blocked in its
 * read of the terminal after it. The last of these closes a race: the input may be waiting already when the prompt's record
 * is written, and the shell leaves such a prompt at once. Where the kernel does not show it, the record has to do.
 */
export class ActivityState {
  private seen = 0; // the last prompt of any record
  private spent = 0; // prompts up to this one have had their input
  private settled = 0; // the prompt at which the shell was seen waiting
  private revision = 0;
  private last: string | undefined;

  /** Input or a signal is on its way, and `record` is the last one before it. Evidence up to it says nothing any more. */
  input(record: ShellRecord | undefined): void {
    this.spent = this.seen = Math.max(this.seen, record?.prompt ?? 0);
  }

  /** The state, and a number that grows exactly when the state or its evidence is another than at the last look. */
  observe(look: Observation): TerminalActivity {
    this.seen = Math.max(this.seen, look.record?.prompt ?? 0);
    const state = this.judge(look);
    const now = `${state} ${this.evidence(look)}`;
    if (now !== this.last) this.revision++;
    this.last = now;
    return { state, revision: this.revision };
  }

  private judge(look: Observation): State {
    if (look.range === 'empty') return 'idle';
    if (look.others === undefined) return 'unknown';
    if (look.range === 'rootless') return look.others === 0 ? 'idle' : 'busy';
    if (look.others > 0 || look.foreground === 'other') return 'busy';
    if (look.foreground === 'unseen' || look.record === undefined || !look.own) return 'unknown';
    if (look.record.kind === 'command') return 'busy';
    if (look.record.kind !== 'prompt' || look.record.prompt <= this.spent) return 'unknown';
    if (look.reading !== 'no') this.settled = look.record.prompt;
    return this.settled === look.record.prompt ? 'idle' : 'unknown';
  }

  private evidence({ range, record }: Observation): string {
    if (range !== 'live' || record === undefined) return range;
    return `${record.kind} ${record.prompt} ${record.prompt <= this.spent}`;
  }
}
