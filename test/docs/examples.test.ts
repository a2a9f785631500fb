import { existsSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../support/cli.ts';
import { leakFence } from '../support/fence.ts';
import { root } from '../support/paths.ts';
import { alive } from '../support/proc.ts';
import { waitUntil } from '../support/until.ts';
import { installExamples } from './install.ts';

// libuv keeps its inotify descriptor from the first watcher on: it belongs to the baseline.
watch('/').close();
const fence = leakFence();
const require = createRequire(`${root}tools/examples/package.json`);
const example = (name: string): Promise<any> => import(pathToFileURL(`${root}examples/${name}.mjs`).href);

beforeAll(installExamples, 180_000);

describe('agent-bash', () => {
  it('cuts long output, says where all of it is, and ends what a call leaves', async () => {
    const { BashTool } = await example('agent-bash');
    const tool = new BashTool();
    const short = await tool.run('echo hello; exit 3');
    expect(short).toMatchObject({ exitCode: 3, text: 'hello\n', timedOut: false });
    const long = await tool.run('seq 100000');
    const [, file = ''] = /only in (\S+)]\n/.exec(long.text) ?? [];
    expect(long.text.endsWith('\n100000\n')).toBe(true);
    expect(readFileSync(file, 'utf8').startsWith('1\n2\n')).toBe(true);
    expect((await tool.run('sleep 60', { timeoutMs: 100 })).timedOut).toBe(true);
    const left = await tool.run('sleep 60 >/dev/null 2>&1 & echo $!');
    expect(alive(Number(left.text))).toBe(false);

    const id = tool.start('echo one; echo two; sleep 60');
    let text = '';
    while (!text.includes('two')) text += (await tool.look(id)).text;
    expect(text).toBe('one\ntwo\n');
    expect((await tool.stop(id)).proof).not.toBe('pending');
    await tool.close();
    expect(existsSync(file)).toBe(false);
  });
});

describe('language-server', () => {
  it('talks to typescript-language-server, and leaves no tsserver', async () => {
    const { LanguageServer } = await example('language-server');
    const program = join(root, 'tools/examples/node_modules/typescript-language-server/lib/cli.mjs');
    const server = new LanguageServer([process.execPath, program, '--stdio'], fence.directory);
    const tsserver = { path: require.resolve('typescript/lib/tsserver.js') };
    const { capabilities } = await server.request('initialize', { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { tsserver } });
    expect(capabilities.hoverProvider).toBe(true);
    server.notify('initialized', {});
    const uri = pathToFileURL(join(fence.directory, 'a.ts')).href;
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version: 1, text: 'const answer: number = 42;\n' } });
    const hover = await server.request('textDocument/hover', { textDocument: { uri }, position: { line: 0, character: 8 } });
    expect(JSON.stringify(hover)).toContain('const answer: number');
    expect((await server.close()).proof).not.toBe('pending');
    // The server leaves files of its own in the temp directory, however it ends.
    for (const name of readdirSync(fence.directory)) rmSync(join(fence.directory, name), { recursive: true });
  });

  it('fails requests with the end of stderr when the server does', async () => {
    const { LanguageServer } = await example('language-server');
    const server = new LanguageServer(['sh', '-c', 'echo "no such mode" >&2; exit 7'], fence.directory);
    await expect(server.request('initialize', {})).rejects.toThrow('ended with 7: no such mode');
    await server.close();
  });
});

describe('agent-protocol', () => {
  it('asks by ndjson and stops by the control channel', async () => {
    const { converse } = await example('agent-protocol');
    expect(await converse('why?')).toEqual({ answer: { id: 1, answer: 'WHY?' }, farewell: 'bye', outcome: { exitCode: 0, signal: null } });
  });
});

describe('build-watcher', () => {
  it('restarts on a change, after everything of the old run has ended', async () => {
    const { watchAndRun } = await example('build-watcher');
    const abort = new AbortController();
    const file = join(fence.directory, 'source');
    const handles: any[] = [];
    const runs = watchAndRun(fence.directory, ['sh', '-c', '(setsid sleep 60 & echo $!); sleep 60'], { signal: abort.signal, onStart: (handle: any) => handles.push(handle) });
    const first = runs.next();
    const daemon = Number(await waitUntil('the daemon', () => handles[0]?.collected.stdout.readFrom(0).text.trim() || undefined));
    writeFileSync(file, 'changed');
    expect((await first).value.outcome).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(alive(daemon)).toBe(false);
    const second = runs.next();
    await waitUntil('the second run', () => handles.length === 2);
    abort.abort();
    await second;
    expect((await runs.next()).done).toBe(true);
    rmSync(file);
  });
});

describe('opentelemetry', () => {
  it('makes a span of each command, within thirty lines', async () => {
    expect(readFileSync(`${root}examples/opentelemetry.mjs`, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(31);
    const sdk = pathToFileURL(require.resolve('@opentelemetry/sdk-trace-base')).href;
    const program = `
      import otel from ${JSON.stringify(sdk)};
      import { collect } from ${JSON.stringify(pathToFileURL(`${root}dist/index.js`).href)};
      import { traceCommands } from ${JSON.stringify(pathToFileURL(`${root}examples/opentelemetry.mjs`).href)};
      const exporter = new otel.InMemorySpanExporter();
      const provider = new otel.BasicTracerProvider({ spanProcessors: [new otel.SimpleSpanProcessor(exporter)] });
      traceCommands(provider.getTracer('test'));
      await collect(['sh', '-c', 'echo 12345; exit 3']);
      await collect(['no-such-program-here']).catch(() => {});
      // The range of a failed start is told to be empty after the error.
      while (exporter.getFinishedSpans().length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      console.log(JSON.stringify(exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, status, events: events.map((event) => event.name) }))));`;
    const { code, stdout, stderr } = await runNode(['--input-type=module', '-e', program]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout.toString())).toMatchObject([
      { name: 'command', attributes: { 'process.exit.code': 3, 'holdfast.strays': 0 }, events: expect.arrayContaining(['drain']) },
      { name: 'command', status: { code: 2, message: 'ENOENT' } },
    ]);
  });
});
