/**
 * Finds, checks and types the native binary. The only file that knows where it lies. Loads with `process.dlopen`, which
 * survives bundlers, and never looks in the working directory, where anybody may have put a file.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Binding } from './binding.js';
import { loadFailure, type Attempt } from './loader/failure.js';
import { libc, type Libc } from './loader/libc.js';

/** The Node-API version that the binary is built for. A process with an older one would crash in it. */
export const NODE_API_VERSION = 8;

export interface LoadedBinding {
  binding: Binding;
  /** Absolute path of the file that was loaded. */
  path: string;
  /** Node-API version that the file is built for. */
  napi: number;
  /** C library of this process; only on Linux. */
  libc?: Libc;
  /** The warden beside the binary, where there is one. */
  wardenPath?: string;
  /** The warden that HOLDFAST_WARDEN names. */
  wardenOverride?: string;
}

let loaded: LoadedBinding | undefined;

/**
 * The native binary, loaded once per thread.
 *
 * Order: the file that the variable HOLDFAST_BINDING names, and then nothing else; `build/Release` of a development
 * checkout; `prebuilds/` of this package, beside the bundle, beside the main script and beside the executable; a
 * `build/Release` that somebody has put into the installed package; what node-gyp-build finds.
 *
 * @throws an Error with `code: 'BINARY_UNAVAILABLE'` whose message says what was tried, why each failed, and the remedy;
 *   with `code: 'ERR_INVALID_ARG_VALUE'` when HOLDFAST_BINDING or HOLDFAST_WARDEN is not a usable absolute path.
 */
export function loadBinding(): LoadedBinding {
  return (loaded ??= load());
}

function load(): LoadedBinding {
  const override = overridePath('HOLDFAST_BINDING', constants.R_OK);
  const wardenOverride = process.platform === 'linux' ? overridePath('HOLDFAST_WARDEN', constants.X_OK) : undefined;
  const ours = libc();
  const attempts: Attempt[] = [];
  const napi = Number(process.versions.napi ?? 0);
  if (napi >= NODE_API_VERSION) {
    for (const path of override === undefined ? candidates(ours) : [override]) {
      const binding = tryLoad(path, attempts);
      if (binding === undefined) continue;
      const warden = join(dirname(path), 'holdfast-warden');
      return {
        binding,
        path,
        napi: NODE_API_VERSION,
        ...(ours === undefined ? {} : { libc: ours }),
        ...(process.platform === 'linux' && existsSync(warden) ? { wardenPath: warden } : {}),
        ...(wardenOverride === undefined ? {} : { wardenOverride }),
      };
    }
  }
  throw loadFailure({ attempts, libc: ours, root: packageRoot(), napi, needed: NODE_API_VERSION, override });
}

/** An absolute path out of the environment; undefined when the variable is unset or empty. */
function overridePath(name: 'HOLDFAST_BINDING' | 'HOLDFAST_WARDEN', mode: number): string | undefined {
  const path = process.env[name];
  if (path === undefined || path === '') return undefined;
  const refuse = (why: string): Error => Object.assign(
    new TypeError(`${name} is '${path}', ${why}. Set it to the absolute path of a file, or unset it.`),
    { code: 'ERR_INVALID_ARG_VALUE' },
  );
  if (!isAbsolute(path)) throw refuse('which is not an absolute path');
  try {
    if (!statSync(path).isFile()) throw refuse('which is not a regular file');
    accessSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_INVALID_ARG_VALUE') throw error;
    throw refuse(code === 'ENOENT' ? 'where there is no file' : `which cannot be used (${code})`);
  }
  return path;
}

/** The folder of this file; undefined where a bundler has left nothing of import.meta.url. */
function here(): string | undefined {
  const url = import.meta.url as string | undefined;
  return url?.startsWith('file:') ? dirname(fileURLToPath(url)) : undefined;
}

/** The folder with package.json: this file is in src/ or dist/. In a bundle it is the folder above the bundle. */
function packageRoot(): string | undefined {
  const folder = here();
  return folder === undefined ? undefined : dirname(folder);
}

function* candidates(ours: Libc | undefined): Generator<string> {
  const root = packageRoot();
  const built = root && join(root, 'build', 'Release', 'holdfast.node');
  // Only a checkout has src/: there, what a developer has just compiled comes first. In an installed package a stray
  // build must not shadow the tested binary.
  const checkout = root !== undefined && existsSync(join(root, 'src', 'native.ts'));
  if (built && checkout) yield built;
  const name = ours === undefined ? 'holdfast.node' : `holdfast.${ours}.node`;
  const seen = new Set<string>();
  for (const folder of [root, here(), process.argv[1] && dirname(process.argv[1]), dirname(process.execPath)]) {
    if (!folder || seen.has(folder)) continue;
    seen.add(folder);
    yield join(folder, 'prebuilds', `${process.platform}-${process.arch}`, name);
  }
  if (built && !checkout) yield built;
  const other = root && nodeGypBuild(root);
  if (other) yield other;
}

/** node-gyp-build's answer, for its naming schemes that we do not know. Only a file of our name: it takes any. */
function nodeGypBuild(root: string): string | undefined {
  try {
    const finder = createRequire(import.meta.url)('node-gyp-build') as { path(folder: string): string };
    const path = finder.path(root);
    return basename(path).startsWith('holdfast.') ? path : undefined;
  } catch {
    return undefined; // it found nothing, or was left out of a bundle; what we tried ourselves is reported
  }
}

function tryLoad(path: string, attempts: Attempt[]): Binding | undefined {
  if (attempts.some((attempt) => attempt.path === path)) return undefined;
  const module: { exports: Partial<Binding> } = { exports: {} };
  try {
    statSync(path);
    process.dlopen(module, path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    attempts.push({ path, missing: code === 'ENOENT', why: code === 'ENOENT' ? 'no such file' : message.split('\n')[0] ?? message });
    return undefined;
  }
  if (typeof module.exports.attach !== 'function' || typeof module.exports.Range !== 'function') {
    attempts.push({ path, missing: false, why: 'loaded, but it is not a binary of Holdfast' });
    return undefined;
  }
  return module.exports as Binding;
}
