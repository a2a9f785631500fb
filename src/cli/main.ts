#!/usr/bin/env node
import { createRequire } from 'node:module';
import { type Invocation, parseInvocation } from './arguments.js';
import { bench } from './bench.js';
import { completionScript } from './completion.js';
import { doctor } from './doctor.js';
import { EXIT_OWN_ERROR } from './exit-code.js';
import { HELP } from './help.js';
import { run } from './run.js';
import { flushed, watchReader } from './sink.js';
import { terminal } from './terminal.js';
import { tree } from './tree.js';
import { UsageError } from './usage-error.js';

async function main(words: readonly string[]): Promise<number> {
  watchReader(process.stdout);
  watchReader(process.stderr);
  try {
    const invocation = parseInvocation(words);
    if (invocation.kind === 'run') return await run(invocation.options);
    if (invocation.kind === 'terminal') return await terminal(invocation.options);
    if (invocation.kind === 'doctor') return await doctor(invocation.json);
    if (invocation.kind === 'bench') return await bench(invocation.json);
    if (invocation.kind === 'tree') return await tree(invocation);
    process.stdout.write(textOf(invocation));
    await flushed(process.stdout);
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError;
    process.stderr.write(usage ? `holdfast: ${error.message}\n` : `holdfast: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await flushed(process.stderr);
    return EXIT_OWN_ERROR;
  }
}

function textOf(invocation: Extract<Invocation, { kind: 'help' | 'version' | 'completion' }>): string {
  if (invocation.kind === 'completion') return completionScript(invocation.shell);
  return invocation.kind === 'version' ? `${version()}\n` : HELP[invocation.topic];
}

function version(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}

// The end is explicit: our standard input may still be open, and would keep the process waiting for its writer.
process.exit(await main(process.argv.slice(2)));
