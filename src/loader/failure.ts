/** What a user reads when the native binary cannot be loaded: what was tried, why each failed, and what to type. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One file that was tried. */
export interface Attempt {
  path: string;
  missing: boolean;
  why: string;
}

export interface LoadFailure {
  attempts: readonly Attempt[];
  libc: 'glibc' | 'musl' | undefined;
  /** The package's folder, where it is known. */
  root: string | undefined;
  /** Node-API version of this process, 0 when it has none. */
  napi: number;
  /** Node-API version that the binary needs. */
  needed: number;
  /** The file that HOLDFAST_BINDING names. */
  override: string | undefined;
}

export function loadFailure(failure: LoadFailure): Error & { code: string; attempts: readonly Attempt[] } {
  const { attempts, libc, napi } = failure;
  const platform = `${process.platform}-${process.arch}${libc === undefined ? '' : ` (${libc})`}`;
  const lines = [`Holdfast cannot load its native binary on ${platform}, Node ${process.versions.node} (Node-API ${napi}).`];
  if (attempts.length > 0) lines.push('Tried:', ...attempts.map(({ path, why }) => `  - ${path}: ${why}`));
  lines.push('What to do:', ...remedies(failure).map((line) => `  - ${line}`));
  return Object.assign(new Error(lines.join('\n')), { code: 'BINARY_UNAVAILABLE', attempts });
}

function remedies({ attempts, libc, root, napi, needed, override }: LoadFailure): string[] {
  if (napi < needed) return [`use Node 20.19 or newer: the binary needs Node-API ${needed}`];
  const reasons = attempts.filter(({ missing }) => !missing).map(({ why }) => why).join('\n');
  if (/loading addons is disabled/.test(reasons)) {
    return ['allow addons in this process: --allow-addons under the permission model, no --no-addons'];
  }
  if (/failed to map segment|Operation not permitted/.test(reasons)) {
    return ['the file lies on a file system that is mounted noexec: install the package elsewhere'];
  }
  if (override !== undefined) return ['correct HOLDFAST_BINDING, or unset it to use the binary of the package'];
  if (root !== undefined && isCheckout(root)) return ['compile it: npm run build'];
  if (/GLIBC_[\d.]+' not found/.test(reasons)) return ['use a system with glibc 2.28 or newer', fromSource(libc)];
  const shipped = root === undefined ? [] : shippedPlatforms(root);
  const here = `${process.platform}-${process.arch}`;
  if (shipped.length > 0 && !shipped.includes(here)) {
    return [`use a platform that the package has a binary for: ${shipped.join(', ')} (see its SUPPORT.md)`, fromSource(libc)];
  }
  return [
    `the files of the package are incomplete or damaged; install it again: ${reinstall(root)}`,
    "in a bundle: mark 'holdfast' as external, or copy its folder prebuilds/ beside the bundle",
    fromSource(libc),
  ];
}

/** The package holds no sources of the binary: they are in its repository. */
function fromSource(libc: 'glibc' | 'musl' | undefined): string {
  const tools: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'xcode-select --install; cmake',
    linux: libc === 'musl' ? 'apk add cmake make g++ linux-headers' : 'Debian: apt-get install cmake make g++',
  };
  const here = tools[process.platform] ?? 'cmake and a C++20 compiler';
  return `build it (${here}): clone the repository at this version, run npm ci && npm run build there, and set HOLDFAST_BINDING`
    + ' to the absolute path of its build/Release/holdfast.node';
}

/** The folders of prebuilds/, named as process.platform and process.arch say; empty where there are none. */
function shippedPlatforms(root: string): string[] {
  try {
    return readdirSync(join(root, 'prebuilds'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  } catch {
    return []; // a bundle, or a package without its binaries: then the advice is another
  }
}

const isCheckout = (root: string): boolean => existsSync(join(root, 'src', 'native.ts'));

/** The command of the package manager that installed us, by the lockfile nearest above. */
function reinstall(root: string | undefined): string {
  const locks: [string, string][] = [
    ['pnpm-lock.yaml', 'pnpm install --force'],
    ['yarn.lock', 'yarn install --force'],
    ['bun.lock', 'bun install --force'],
    ['bun.lockb', 'bun install --force'],
    ['package-lock.json', 'npm install --force holdfast'],
  ];
  for (let folder = root; folder !== undefined && folder !== dirname(folder); folder = dirname(folder)) {
    const found = locks.find(([file]) => existsSync(join(folder as string, file)));
    if (found) return found[1];
  }
  return 'npm install --force holdfast';
}
