import type { NativeForeground, NativeMember } from '../../binding.js';
import type { EnvironmentOverrides } from '../../seam/environment.js';
import type { TerminalActivity } from '../../seam/terminal.js';

/** What a launch on a terminal is made of. */
export interface TerminalLaunch {
  readonly argv: readonly string[];
  /** What is set over the scrubbed environment of the host; TERM and PWD are in it. */
  readonly env: EnvironmentOverrides;
}

/** What activity is judged by, once the terminal is there. */
export interface ObservedTerminal {
  readonly pid: number;
  /** The top-level process has exited. */
  exited(): boolean;
  /** Nobody of the range is left. */
  empty(): boolean;
  foreground(): Promise<NativeForeground | undefined>;
  members(): Promise<readonly NativeMember[]>;
}

/** The activity of one terminal. */
export interface ActivityObserver {
  inspect(): Promise<TerminalActivity>;
  /** Input or a signal was sent: what the prompt has said before holds no longer. */
  disturbed(): void;
}

/** A launch that tells of its prompts, where the shell can. */
export interface PreparedActivity extends TerminalLaunch {
  observe(terminal: ObservedTerminal): ActivityObserver;
  /** The launch has failed, or the terminal is over: removes what was made for it. Called once. */
  close(): Promise<void>;
}

/** Called with the final argv and environment, before the launch. */
export async function prepareActivity(launch: TerminalLaunch, _shellActivity: boolean): Promise<PreparedActivity> {
  return { ...launch, observe: (terminal) => new UntoldActivity(terminal), close: async () => {} };
}

/** A terminal whose program does not tell of its prompts: whatever else runs on it is seen, an idle prompt is not. */
class UntoldActivity implements ActivityObserver {
  private readonly terminal: ObservedTerminal;
  private last: TerminalActivity = { state: 'unknown', revision: 1 };

  constructor(terminal: ObservedTerminal) {
    this.terminal = terminal;
  }

  disturbed(): void {}

  async inspect(): Promise<TerminalActivity> {
    const state = await this.state().catch(() => 'unknown' as const);
    if (state !== this.last.state) this.last = { state, revision: this.last.revision + 1 };
    return this.last;
  }

  private async state(): Promise<TerminalActivity['state']> {
    const { terminal } = this;
    if (terminal.empty()) return 'idle';
    const members = await terminal.members();
    if (members.some((one) => one.pid !== terminal.pid)) return 'busy';
    if (terminal.exited()) return 'unknown';
    const foreground = await terminal.foreground();
    return foreground !== undefined && foreground.processGroupId !== terminal.pid ? 'busy' : 'unknown';
  }
}
