import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { root } from './paths.ts';
import { within } from './until.ts';

export interface HostResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Host {
  readonly child: ChildProcess;
  /** The next line of JSON that the host prints. */
  next<T>(): Promise<T>;
  /** Resolves when the host has exited and its output is read. */
  readonly result: Promise<HostResult>;
}

export interface HostOptions {
  /** Shell commands that are run before Node takes the shell's place, such as `ulimit -n 64`. */
  before?: string;
  env?: Record<string, string>;
  flags?: string[];
  /** Program and arguments that run the host, such as a shell that puts a pipe behind it. */
  wrap?: string[];
}

/**
 * Starts a script of test/fixtures/hosts in a Node process of its own, by `child_process`, so that what is tested is not
 * what tests it. The host is killed after 240 s.
 */
export function startHost(script: string, args: string[] = [], options: HostOptions = {}): Host {
  const argv = [...(options.wrap ?? []), process.execPath, ...(options.flags ?? []), `${root}test/fixtures/hosts/${script}`, ...args];
  const child = spawn('/bin/sh', ['-c', `${options.before ?? ':'}; exec "$@"`, 'sh', ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  const result = once(child, 'close').then(([code, signal]): HostResult => ({ code, signal, stdout, stderr }));

  const next = async <T>(): Promise<T> => {
    for (;;) {
      const end = stdout.indexOf('\n', read);
      if (end >= 0) {
        const line = stdout.slice(read, end);
        read = end + 1;
        return JSON.parse(line) as T;
      }
      const ended = await Promise.race([once(child.stdout, 'data').then(() => false), result.then(() => true)]);
      if (ended && !stdout.includes('\n', read)) throw new Error(`${script} ended without another line\n${stdout}${stderr}`);
    }
  };
  return { child, result, next: <T>() => within(120_000, `a line of ${script}`, next<T>()) };
}

/** Runs a host script to its end and returns the JSON of its last line. Throws with its stderr when it failed. */
export async function askHost<T>(script: string, args: string[] = [], options: HostOptions = {}): Promise<T> {
  const { code, signal, stdout, stderr } = await startHost(script, args, options).result;
  if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}\n${stdout}${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as T;
}
