import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { NativeForeground, NativeMember } from '../../binding.js';
import type { EnvironmentOverrides } from '../../seam/environment.js';
import type { TerminalActivity } from '../../seam/terminal.js';
import { onHostExit } from '../exit-hook.js';
import type { Settings } from '../options.js';
import { spillPrefix } from '../spills.js';
import { Observer } from './activity/observer.js';
import { integrationFor, makeShellFiles, type ShellFiles } from './activity/shell-files.js';

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
  /** Input or a signal is about to be sent: what the prompt has said before holds no longer. */
  disturbed(): void;
}

/** A launch that tells of its prompts, where the shell can. */
export interface PreparedActivity extends TerminalLaunch {
  observe(terminal: ObservedTerminal): ActivityObserver;
  /** The launch has failed, or the terminal is over: removes what was made for it. Idempotent; never rejects. */
  readonly close: () => Promise<void>;
}

type ActivitySettings = Pick<Settings, 'prefix' | 'onWarning'>;

/**
 * Called with the final argv and environment, before the launch. A temp directory that cannot be written costs the
 * evidence of prompts and one warning; it is no reason to refuse a terminal.
 */
export async function prepareActivity(launch: TerminalLaunch, shellActivity: boolean, settings: ActivitySettings): Promise<PreparedActivity> {
  const integration = shellActivity ? integrationFor(launch.argv) : undefined;
  if (integration === undefined) return withoutPrompts(launch);
  try {
    return told(await makeShellFiles(integration, launch.argv, launch.env, resolve(tmpdir()), spillPrefix(settings.prefix)));
  } catch (error) {
    settings.onWarning(`the activity of ${launch.argv[0]} cannot be observed: ${String(error)}`);
    return withoutPrompts(launch);
  }
}

/** A launch that does not tell of its prompts. */
export function withoutPrompts(launch: TerminalLaunch): PreparedActivity {
  return { ...launch, observe: (terminal) => new Observer(terminal, undefined), close: async () => {} };
}

function told(files: ShellFiles): PreparedActivity {
  const forget = onHostExit(files.removeNow);
  return {
    argv: files.argv,
    env: files.env,
    observe: (terminal) => new Observer(terminal, files),
    close: async () => {
      forget();
      await files.remove().catch(() => {}); // what cannot be removed from the temp directory concerns nobody who waits here
    },
  };
}
