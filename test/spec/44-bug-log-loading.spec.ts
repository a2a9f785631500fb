// Faults that other tools were reported for, by number and topic: installation. And who may put a helper beside the binary.
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { askHost } from '../support/host.ts';

const { binary, chosen } = await new LocalSubprocessRuntime().diagnose();
const helper = join(dirname(binary.path), 'holdfast-warden');
const place = mkdtempSync(join(tmpdir(), 'holdfast-loading-'));
afterAll(() => { rmSync(place, { recursive: true }); });

/** A host whose binary lies in a folder of its own, with or without a helper beside it. */
async function host(name: string, putHelper: (path: string) => void) {
  const folder = mkdtempSync(join(place, `${name}-`));
  const copy = join(folder, 'holdfast.node');
  copyFileSync(binary.path, copy);
  putHelper(join(folder, 'holdfast-warden'));
  return askHost<Record<string, unknown>>('warden-from.mjs', [], { env: { HOLDFAST_BINDING: copy } });
}
const works = { exitCode: 0, onTerminal: 0, proof: chosen === 'group' ? 'observed' : 'proven' };

describe('the helper beside the binary', () => {
  it('B097: needs no execute bit, and need not be there', async () => {
    expect(await host('none', () => {})).toMatchObject({ ...works, from: 'memory' });
    const plain = await host('plain', (path) => {
      copyFileSync(helper, path);
      chmodSync(path, 0o644);
    });
    expect(plain).toMatchObject({ ...works, from: 'memory' });
  });

  it('is used where it can be run and is ours', async () => {
    const ours = await host('ours', (path) => {
      copyFileSync(helper, path);
      chmodSync(path, 0o755);
    });
    expect(ours).toMatchObject({ ...works, from: 'package' });
  });

  it.runIf(process.getuid?.() === 0)('of another user is not run', async () => {
    const planted = await host('planted', (path) => {
      copyFileSync('/bin/false', path);
      chmodSync(path, 0o755);
      chownSync(path, 63_999, 63_999);
    });
    expect(planted).toMatchObject({ ...works, from: 'memory' });
  });
});
