import { Context } from '@deepseek-ai/cordis';
import LocalSubprocessRuntime from '../../dist/adapters/dsh.js';
import { collecting } from './run.ts';

export { LocalSubprocessRuntime };

/** Cordis's level of debug messages; by default it does not even show warnings. */
export const EVERYTHING = 3;

export interface Logged {
  type: string;
  args: unknown[];
}

export interface Composition {
  readonly ctx: Context;
  readonly subprocess: LocalSubprocessRuntime;
  /** Everything that was logged in this composition. */
  readonly logged: Logged[];
  dispose(): Promise<void>;
}

/** A bare context with the provider in it, as a harness composes it. */
export async function compose(Provider: typeof LocalSubprocessRuntime = LocalSubprocessRuntime): Promise<Composition> {
  const ctx = new Context();
  const logged: Logged[] = [];
  ctx.logger.exporter({ levels: { default: EVERYTHING }, export: ({ type, args }) => { logged.push({ type, args }); } });
  const fiber = await ctx.plugin(Provider);
  return { ctx, subprocess: ctx.get('subprocess') as LocalSubprocessRuntime, logged, dispose: () => fiber.dispose() };
}

type More = Partial<{ env: Record<string, string | undefined>; graceMs: number; signal: AbortSignal; cwd: string }>;

/** Starts a command with nothing on stdin and both outputs collected. */
export function start(of: Pick<LocalSubprocessRuntime, 'spawn'>, argv: readonly string[], more: More = {}) {
  return of.spawn({ ...collecting(argv, '/'), ...more });
}

export type Started = ReturnType<typeof start>;

/** Runs a command to its end; nothing of it is left. */
export async function finish(of: Pick<LocalSubprocessRuntime, 'spawn'>, argv: readonly string[], more: More = {}) {
  const handle = start(of, argv, more);
  const outcome = await handle.done;
  handle.terminate();
  await handle.waitForExit();
  return { outcome, stdout: handle.collected.stdout.readFrom(0).text, stderr: handle.collected.stderr.readFrom(0).text, handle };
}
