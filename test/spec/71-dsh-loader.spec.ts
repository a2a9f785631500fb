import { Context } from '@deepseek-ai/cordis';
import Include from '@deepseek-ai/cordis-plugin-include';
import Loader from '@deepseek-ai/cordis-plugin-loader';
import { SubprocessRuntime } from '@deepseek-ai/dsh-subprocess';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSubprocessRuntime, finish } from '../support/dsh.ts';
import { leakFence } from '../support/fence.ts';
import { root } from '../support/paths.ts';
import { waitUntil } from '../support/until.ts';

leakFence();
/** The loader lies in a package of its own, from which a checkout cannot be found by name; packed, it can (.ci/steps/62-compat.sh). */
const provider = pathToFileURL(`${root}dist/adapters/dsh.js`).href;
let place: string;
beforeEach(() => { place = mkdtempSync(join(tmpdir(), 'loader-')); });
afterEach(() => { rmSync(place, { recursive: true }); });

/** A harness whose composition is the YAML file `text`; `patches` overlay it. */
async function boot(text: string, patches: object[] = []) {
  writeFileSync(join(place, 'cordis.yml'), text);
  const ctx = new Context();
  ctx.baseUrl = pathToFileURL(`${place}/`).href;
  const loader = await ctx.plugin(Loader);
  ctx.plugin(Include, { path: './cordis.yml', patches } as never);
  const subprocess = await waitUntil('the service', () => ctx.get('subprocess') as LocalSubprocessRuntime | undefined);
  return { subprocess, end: () => loader.dispose() };
}

async function works(subprocess: LocalSubprocessRuntime): Promise<void> {
  expect(subprocess).toBeInstanceOf(SubprocessRuntime);
  expect((await finish(subprocess, ['echo', 'composed'])).stdout).toBe('composed\n');
}

describe('a composition in YAML', () => {
  it('has the provider by the name of a row (9)', async () => {
    const { subprocess, end } = await boot(`- id: subprocess\n  name: '${provider}'\n`);
    await works(subprocess);
    await end();
  });

  it('has it by an overlay that disables the row and inserts another', async () => {
    const { subprocess, end } = await boot("- id: subprocess\n  name: 'no-such-provider'\n", [
      { id: 'subprocess', disabled: true },
      { insert: [{ id: 'held', name: provider }] },
    ]);
    await works(subprocess);
    await end();
  });

  it('brings the bash executor up, whose row comes first', async () => {
    const { subprocess, end } = await boot(`- id: bash\n  name: '@deepseek-ai/dsh-bash-local'\n- id: subprocess\n  name: '${provider}'\n`);
    await works(subprocess);
    await end();
  });
});
