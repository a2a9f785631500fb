import type { LocalSubprocessRuntime } from './holdfast.ts';
import { dummy } from './paths.ts';
import { waitUntil } from './until.ts';

/** A complete specification: nothing on stdin, both outputs collected, two seconds of grace. */
export function collecting(argv: readonly string[], cwd: string) {
  return {
    argv,
    cwd,
    graceMs: 2000,
    stdio: { stdin: 'ignore', stdout: { maxBytes: 1 << 20 }, stderr: { maxBytes: 65536 } },
  } as const;
}

export function spawnCollecting(runtime: LocalSubprocessRuntime, argv: readonly string[], cwd: string, more: Partial<{ env: Record<string, string | undefined>; graceMs: number; signal: AbortSignal }> = {}) {
  return runtime.spawn({ ...collecting(argv, cwd), ...more });
}

export type CollectingHandle = ReturnType<typeof spawnCollecting>;

/** Runs to the end; nothing is left of it when this returns. */
export async function run(runtime: LocalSubprocessRuntime, argv: readonly string[], cwd: string, more: Parameters<typeof spawnCollecting>[3] = {}) {
  const handle = spawnCollecting(runtime, argv, cwd, more);
  const outcome = await handle.done;
  handle.terminate();
  await handle.waitForExit();
  return { outcome, stdout: handle.collected.stdout.readFrom(0).text, stderr: handle.collected.stderr.readFrom(0).text, handle };
}

/** Waits for a line of the command's stdout and returns it without its end. */
export async function line(handle: Pick<CollectingHandle, 'collected'>, index = 0): Promise<string> {
  const reader = handle.collected.stdout;
  return waitUntil(`line ${index} of the command`, async () => {
    const lines = reader.readFrom(0).text.split('\n');
    if (lines.length > index + 1) return lines[index] as string;
    if (!(await reader.changed(reader.readFrom(0).nextOffset))) throw new Error(`the command ended before line ${index}`);
    return undefined;
  });
}

export async function pidLines(handle: Pick<CollectingHandle, 'collected'>, count: number): Promise<number[]> {
  const pids: number[] = [];
  for (let i = 0; i < count; i++) pids.push(Number(await line(handle, i)));
  return pids;
}

export interface Facts {
  argv: string[];
  env: Record<string, string>;
  fds: Record<string, { type: 'fifo' | 'socket' | 'char' | 'file'; nonblocking: boolean }>;
  blocked: number[];
  handled: number[];
  cwd: string;
  pid: number;
  ppid: number;
  sid: number;
  pgid: number;
  umask: number;
  nice: number;
  nofile: [number, number];
  tty: boolean;
}

export const factsArgv = dummy('facts');

/** What `dummy facts` printed: one latin1 character a byte, so that bytes that are no text arrive too. */
export function parseFacts(text: string): Facts {
  const utf8 = (one: string): string => Buffer.from(one, 'latin1').toString('utf8');
  const raw = JSON.parse(text) as Omit<Facts, 'env'> & { env: string[] };
  const env = raw.env.map(utf8).map((entry): [string, string] => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
  return { ...raw, argv: raw.argv.map(utf8), cwd: utf8(raw.cwd), env: Object.fromEntries(env) };
}

/** The error that a promise rejects with; throws when it resolves. */
export async function rejection(promise: PromiseLike<unknown>): Promise<NodeJS.ErrnoException & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as NodeJS.ErrnoException & Record<string, unknown>;
  }
  throw new Error('expected a rejection');
}
