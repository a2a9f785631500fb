import type { Context } from '@deepseek-ai/cordis';
import { runRipgrep, SearchError } from '@deepseek-ai/dsh-tool-fs-search';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../support/dsh.ts';
import { leakFence } from '../support/fence.ts';
import { rejection } from '../support/run.ts';

leakFence();
let host: Composition;
let place: string;
beforeEach(async () => {
  host = await compose();
  place = mkdtempSync(join(tmpdir(), 'search-'));
  for (let at = 0; at < 20; at++) writeFileSync(join(place, `${at}.txt`), `line one\nneedle ${at}\n`.repeat(50));
});
afterEach(async () => {
  await host.dispose();
  rmSync(place, { recursive: true });
});

/** The part of the tool's execution that the search itself looks at. */
function search(argv: string[], more: { signal?: AbortSignal; rawOutputMaxBytes?: number } = {}) {
  const exec = { signal: more.signal ?? new AbortController().signal, agent: { session: { header: { cwd: place } } } };
  return runRipgrep(host.ctx as Context, exec as never, 'grep', argv, more.rawOutputMaxBytes ?? 1e6, 1000, 4096);
}

describe('the published file search on holdfast/dsh', () => {
  it('finds, in the directory of its session', async () => {
    const { stdout, noMatches, workdir } = await search(['--no-heading', '--sort', 'path', 'needle 7$', '.']);
    expect([noMatches, workdir]).toEqual([false, place]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(50);
  });

  it('tells nothing found from a failure', async () => {
    expect(await search(['no such text', '.'])).toMatchObject({ stdout: '', noMatches: true });
    const error = await rejection(search(['(', '.']));
    expect(error).toBeInstanceOf(SearchError);
  });

  it('refuses what is more than it may read', async () => {
    expect(await rejection(search(['needle', '.'], { rawOutputMaxBytes: 100 }))).toBeInstanceOf(SearchError);
  });

  it('is aborted by its signal', async () => {
    const controller = new AbortController();
    const answer = rejection(search(['needle', '/usr'], { signal: controller.signal }));
    setImmediate(() => { controller.abort(); });
    expect(await answer).toMatchObject({ code: 'SEARCH_ABORTED' });
  });
});
