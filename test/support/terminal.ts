/// <reference types="node-pty" />
import { onTestFinished } from 'vitest';
import { cliPath } from './cli.ts';
import { within } from './until.ts';

// The package is installed under another name than the one that its types declare.
type NodePty = typeof import('@lydell/node-pty');
const { spawn } = (await import('node-pty' as string)) as NodePty;

export interface Terminal {
  readonly pty: ReturnType<NodePty['spawn']>;
  readonly screen: () => string;
  readonly exitCode: Promise<number>;
}

/** `holdfast …` with a terminal of 80 columns in the place of all three streams, or where `redirection` leaves it. */
export function onTerminal(args: readonly string[], env: Record<string, string> = {}, redirection = ''): Terminal {
  const pty = spawn('/bin/sh', ['-c', `exec "$@" ${redirection}`, 'sh', process.execPath, cliPath, ...args], { name: env['TERM'] ?? 'xterm', cols: 80, rows: 24, env: { ...process.env, ...env } });
  let screen = '';
  pty.onData((text) => { screen += text; });
  let over = false;
  const exitCode = new Promise<number>((resolve) => pty.onExit((event) => {
    over = true;
    resolve(event.exitCode);
  }));
  onTestFinished(() => { if (!over) process.kill(pty.pid, 'SIGKILL'); }); // of a test that failed
  return { pty, screen: () => screen, exitCode: within(90_000, 'the end of holdfast', exitCode) };
}
