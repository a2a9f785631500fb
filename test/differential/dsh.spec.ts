import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installDsh } from '../../bench/lib/dsh.mjs';
import { root } from '../support/paths.ts';
import { better } from './better.mjs';

type Result = Record<string, unknown>;
interface Answer {
  results: Record<string, Result>;
  afterDisposal: unknown;
}

/** Another seed: HOLDFAST_SEED=n. It is in the names of the cases. */
const seed = process.env['HOLDFAST_SEED'] ?? '20261130';
const COUNT = '40';
let place: string;
beforeAll(() => { place = mkdtempSync(join(tmpdir(), 'holdfast-differential-')); });
afterAll(() => { rmSync(place, { recursive: true }); });

function ask(node: string, home: string, provider: string): Answer {
  const output = execFileSync(node, [`${root}test/differential/host.mjs`, home, provider, seed, COUNT], {
    encoding: 'utf8', env: { ...process.env, TMPDIR: place }, timeout: 180_000, killSignal: 'SIGKILL', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Answer;
}

describe('the published provider and holdfast/dsh, asked the same', () => {
  it('answer the same, but for what is listed as better', () => {
    const peer = installDsh();
    if (peer.reason !== undefined) throw new Error(peer.reason);
    const theirs = ask(peer.node, peer.home, '@deepseek-ai/dsh-subprocess-local');
    const ours = ask(peer.node, root, `${root}dist/adapters/dsh.js`);
    const used = new Set<unknown>();
    const unexplained: unknown[] = [];
    for (const [name, their] of Object.entries(theirs.results)) {
      const our = ours.results[name] ?? {};
      if (JSON.stringify(their) === JSON.stringify(our)) continue;
      const rule = better.find((one) => one.explains(name, their, our));
      if (rule === undefined) unexplained.push({ name, theirs: their, ours: our });
      else used.add(rule.item);
    }
    expect(unexplained).toEqual([]);
    // A rule that explains nothing any more would hide a difference that comes later.
    expect(better.filter((one) => one.sometimes === undefined && !used.has(one.item)).map((one) => one.item)).toEqual([]);
    expect(ours.afterDisposal).toEqual(theirs.afterDisposal);
  }, 400_000);
});
