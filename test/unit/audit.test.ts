// The audit of the release binaries finds what it is for. Node's own executable is a file with most of the faults.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../support/paths.ts';

interface Target { tuple: string; libc?: string; format: string; warden: boolean; needed: string[] }
const { TARGETS, targetFiles } = await import(`${root}scripts/lib/targets.mjs`) as { TARGETS: Target[]; targetFiles: (target: Target) => string[] };
const { auditFiles } = await import(`${root}scripts/lib/audit.mjs`) as { auditFiles: (folder: string, targets: Target[]) => string[] };

const folder = mkdtempSync(join(tmpdir(), 'holdfast-audit-'));
afterAll(() => { rmSync(folder, { recursive: true }); });

/** Faults of `target` when each of its files holds `bytes`. */
function faultsOf(target: Target, bytes: Buffer): string {
  for (const name of targetFiles(target)) {
    mkdirSync(join(folder, target.tuple), { recursive: true });
    writeFileSync(join(folder, name), bytes, { mode: 0o755 });
  }
  return auditFiles(folder, [target]).join('\n');
}

describe('the audit of release binaries', () => {
  it.runIf(process.platform === 'linux' && process.arch === 'x64')('sees in Node all that ours may not be', () => {
    const target = TARGETS.find(({ tuple, libc }) => tuple === 'linux-x64' && libc === 'glibc') as Target;
    const faults = faultsOf(target, readFileSync(process.execPath));
    for (const fault of ['needs libstdc++.so.6', 'needs symbols of GLIBCXX_', 'may be unmapped', 'more than 1000000', 'not static', 'exports ']) {
      expect(faults).toContain(fault);
    }
  });

  it.each(TARGETS.map((target) => [`${target.tuple} ${target.libc ?? ''}`, target] as const))('sees that a file is none for %s', (_name, target) => {
    expect(faultsOf(target, Buffer.alloc(4096))).toContain(`${target.tuple}/holdfast`);
    expect(faultsOf(target, Buffer.alloc(4096))).toContain('cannot be read as a file of');
  });

  it('sees what is missing', () => {
    expect(auditFiles(join(folder, 'nothing'), TARGETS)).toHaveLength(new Set(TARGETS.flatMap(targetFiles)).size);
  });

  it('has a row for each folder, whose name Node gives to a platform', () => {
    for (const { tuple } of TARGETS) expect(tuple).toMatch(/^(linux|win32|darwin)-(x64|arm64)$/);
  });
});
