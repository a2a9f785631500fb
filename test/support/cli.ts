import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { root } from './paths.ts';
import { within } from './until.ts';

export const cliPath = `${root}dist/cli/main.js`;

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

export interface Cli {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code, null after a signal, once all streams have been read to their end. */
  readonly closed: Promise<number | null>;
}

export interface CliOptions {
  env?: Record<string, string>;
  cwd?: string;
}

/** Starts `holdfast …` by `child_process`, with three pipes that the test reads and writes itself. */
export function startCli(args: readonly string[], options: CliOptions = {}): Cli {
  return startNode([cliPath, ...args], options);
}

function startNode(words: readonly string[], options: CliOptions): Cli {
  const child = spawn(process.execPath, words, {
    stdio: 'pipe',
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    timeout: 200_000,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => {}); // a command that does not read its input
  // Listened for from the start: who first reads a stream to its end would come too late.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, closed };
}

/** Runs `holdfast …` to its end. Without `input` its standard input is at its end from the start. */
export function cli(args: readonly string[], options: CliOptions & { input?: Buffer | string } = {}): Promise<CliResult> {
  return runNode([cliPath, ...args], options);
}

/** Runs a script with Node to its end. */
export async function runNode(words: readonly string[], options: CliOptions & { input?: Buffer | string } = {}): Promise<CliResult> {
  const { child, stdin, stdout, stderr } = startNode(words, options);
  stdin.end(options.input ?? '');
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([collect(stdout), collect(stderr)]);
  const [code, signal] = await within(200_000, `the end of ${words.join(' ')}`, closed);
  return { code, signal, stdout: out, stderr: err.toString() };
}

export async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The report of `--json`: the last line on standard error. */
export function lastJson(stderr: string): Record<string, any> {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as Record<string, any>;
}

/** A number that the command prints on a line of its own, as soon as it is there. */
export async function nextNumber(stream: Readable): Promise<number> {
  let text = '';
  for await (const chunk of on(stream)) {
    text += chunk.toString();
    const end = text.indexOf('\n');
    if (end >= 0) return Number(text.slice(0, end));
  }
  throw new Error(`ended without a line: ${text}`);
}

async function* on(stream: Readable): AsyncGenerator<Buffer> {
  // Leaving a plain `for await` would destroy the stream, and the command would lose its reader.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
}
