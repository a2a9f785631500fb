import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { root } from '../support/paths.ts';
import { alive } from '../support/proc.ts';
import { waitUntil } from '../support/until.ts';
import { installExamples } from './install.ts';

const fence = leakFence();
const load = (file: string): Promise<any> => import(pathToFileURL(`${root}${file}`).href);
const { findChromium, shows, withPage } = await load('scripts/lib/browser.mjs');
const { serveTerminal } = await load('examples/web-terminal/server.mjs');
const chromium: string | undefined = findChromium();
const shell = () => ({ argv: ['bash', '--norc', '--noprofile', '-i'], cwd: fence.directory, env: { PS1: 'ready> ', HISTFILE: undefined } });

describe('web-terminal', () => {
  it.skipIf(chromium === undefined)(`is typed into, resized, and ends with its page (${chromium ?? 'skipped: no Chromium on PATH'})`, async () => {
    await installExamples();
    const served = await serveTerminal(shell());
    const shellPid = await withPage(served.url, async (page: any) => {
      await shows(page, 'ready>');
      await page.keyboard.type('echo "sum: $((20 + 22)) pid: $$" ; stty size\n');
      const [, pid, rows, cols] = /sum: 42 pid: (\d+)\s+(\d+) (\d+)/.exec(await shows(page, /sum: 42 pid: \d+\s+\d+ \d+/)) ?? [];
      await page.setViewportSize({ width: 500, height: 300 });
      await page.keyboard.type('clear; until [ "$(stty size)" != "$SIZE" ]; do sleep 0.05; done; echo "now: $(stty size)"\n'.replace('$SIZE', `${rows} ${cols}`));
      await shows(page, /now: \d+ \d+/);
      // More than the page is sent before it has shown any of it.
      await page.keyboard.type('clear; seq 200000 | tail -c 1000000; echo "all: $((1 + 1))"\n');
      expect(await shows(page, 'all: 2')).toContain('200000');
      await page.keyboard.type('(setsid sleep 600 &); echo "left: $((2 + 2))"\n');
      await shows(page, 'left: 4');
      return Number(pid);
    });
    await waitUntil('the shell of the closed page', () => !alive(shellPid));
    await served.close();
  });

  it('refuses who does not know the address', async () => {
    const served = await serveTerminal(shell());
    const { WebSocket } = await import('ws' as string);
    const socket = new WebSocket(served.url.replace('http:', 'ws:').replace(/\?.*/, 'terminal?0'));
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('401');
    expect((await fetch(new URL('/no-such-file', served.url), { headers: { connection: 'close' } })).status).toBe(404);
    await served.close();
  });
});
