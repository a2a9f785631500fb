import { readFile } from 'node:fs/promises';
import type { TerminalActivity } from '../../../seam/terminal.js';
import type { ActivityObserver, ObservedTerminal } from '../activity.js';
import { SHELL_VARIABLE, type ShellFiles } from './shell-files.js';
import { ActivityState, type Observation } from './state.js';

/** Looks that meet a record in change are taken again this often. A shell that is this busy at its prompt is not idle. */
const MOST_LOOKS = 3;

type Shell = Pick<ShellFiles, 'directory' | 'record'>;

/** Looks at one terminal, and remembers what the looks add up to. */
export class Observer implements ActivityObserver {
  private readonly terminal: ObservedTerminal;
  private readonly shell: Shell | undefined;
  private readonly state = new ActivityState();
  private last: Promise<unknown> = Promise.resolve();

  /** Without `shell`, the program does not tell of its prompts: whatever else runs is seen, an idle prompt is not. */
  constructor(terminal: ObservedTerminal, shell: Shell | undefined) {
    this.terminal = terminal;
    this.shell = shell;
  }

  disturbed(): void {
    this.state.input(this.shell?.record());
  }

  /** One after the other: an older look that ended later would bring an older state back. */
  inspect(): Promise<TerminalActivity> {
    const answer = this.last.then(() => this.look()).then((look) => this.state.observe(look));
    this.last = answer;
    return answer;
  }

  private async look(): Promise<Observation> {
    for (let looks = 1; ; looks++) {
      const record = this.shell?.record();
      const seen = await this.see().catch(() => UNSEEN);
      const own = record !== undefined && (await this.isOwn(record.pid));
      // A program that ends while it is looked at may be missing in one list and not in the other.
      const range = this.terminal.empty() ? 'empty' : this.terminal.exited() ? 'rootless' : 'live';
      const after = this.shell?.record();
      const steady = record?.kind === after?.kind && record?.prompt === after?.prompt;
      if (steady || looks === MOST_LOOKS) return { ...seen, range, own, record: steady ? record : undefined };
    }
  }

  private async see(): Promise<Pick<Observation, 'others' | 'foreground' | 'reading'>> {
    const { terminal } = this;
    if (terminal.empty()) return UNSEEN;
    const members = await terminal.members();
    const others = members.filter((one) => one.pid !== terminal.pid).length;
    if (terminal.exited()) return { ...UNSEEN, others };
    // A list without the top-level process, which lives, is not complete: other members may be missing as well.
    const complete = members.length > others;
    const found = await terminal.foreground();
    return {
      others: complete || others > 0 ? others : undefined,
      foreground: found === undefined ? 'unseen' : found.processGroupId === terminal.pid ? 'root' : 'other',
      reading: found?.inputWait ?? 'unseen',
    };
  }

  /**
   * Whether the record was written by the top-level process, and by the program that it is now: `exec` puts another one in
   * its place, which writes no records. The environment that a program was started with stays readable as it was.
   */
  private async isOwn(pid: number): Promise<boolean> {
    if (pid !== this.terminal.pid || this.shell === undefined) return false;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => undefined);
    const directory = Buffer.from(this.shell.directory).toString('latin1');
    return environment === undefined || environment.split('\0').includes(`${SHELL_VARIABLE}=${directory}`);
  }
}

const UNSEEN = { others: undefined, foreground: 'unseen', reading: 'unseen' } as const;
