// Which binary a checkout uses: a prebuilt one if it was made from these very sources, else one compiled here.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputHash } from './inputs.mjs';
import { readManifest } from './manifest.mjs';
import { fileName, findTarget } from './targets.mjs';
import { bin, Failure, has, inRoot, run } from './tools.mjs';

const BUILT = inRoot('build', 'Release', 'holdfast.node');
// Beside the compiled binary: the hash of the sources that it was made from. The loader prefers build/Release in a
// checkout, so an old file there would silently run instead of a fitting prebuilt one.
const STAMP = inRoot('build', 'Release', 'holdfast.inputs');

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);

/** 'glibc' or 'musl' for this process, by its ELF interpreter; undefined elsewhere. */
export function processLibc() {
  if (process.platform !== 'linux') return undefined;
  return readFileSync(process.execPath).subarray(0, 4096).includes('/ld-musl-') ? 'musl' : 'glibc';
}

/** The prebuilt binary for this process and the hash of the sources it was made from, both undefined when absent. */
function prebuilt() {
  const target = findTarget(process.platform, process.arch, processLibc());
  const file = target && inRoot('prebuilds', target.tuple, fileName(target));
  return {
    file: file && existsSync(file) ? file : undefined,
    inputs: readManifest()?.inputs,
  };
}

/**
 * Leaves a binary that fits the sources, compiled with cmake-js, or with node-gyp where there is no cmake. `force`
 * compiles in any case. Throws a Failure when that needs a compiler and there is none.
 */
export function ensureNative({ force = false } = {}) {
  const inputs = inputHash();
  if (!force && existsSync(BUILT) && read(STAMP) === inputs) return;
  const shipped = prebuilt();
  if (!force && shipped.file && shipped.inputs === inputs) {
    rmSync(BUILT, { force: true });
    rmSync(STAMP, { force: true });
    return;
  }
  const compilers = [process.env.CXX?.split(' ')[0], 'c++', 'g++', 'clang++'];
  if (process.platform !== 'win32' && !compilers.some((name) => name && has(name))) {
    const why = shipped.file
      ? `the prebuilt binary was made from other sources (inputs ${shipped.inputs}, here ${inputs})`
      : `there is no prebuilt binary for ${process.platform}-${process.arch} (inputs here ${inputs})`;
    throw new Failure(`${why}, and no C++ compiler was found.\n`
      + '  Install one (Debian: apt-get install g++ cmake; Alpine: apk add g++ cmake make), or check out a release.');
  }
  compile();
  mkdirSync(join(STAMP, '..'), { recursive: true });
  writeFileSync(STAMP, `${inputs}\n`);
}

function compile() {
  const withCmake = has('cmake');
  console.log(`Compiling the native binary with ${withCmake ? 'cmake-js' : 'node-gyp (no cmake found)'} …`);
  rmSync(STAMP, { force: true });
  const code = withCmake ? run(process.execPath, [bin('cmake-js'), 'compile', '--log-level', 'error']) : runGyp();
  if (code !== 0 || !existsSync(BUILT)) throw new Failure(`compiling the native binary failed (code ${code}); the compiler's messages are above`);
}

/** node-gyp rebuild, with the headers that came with this Node where there are any, so that nothing is downloaded. */
export function runGyp(options) {
  const prefix = join(process.execPath, '..', '..');
  const headers = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
  return run(process.execPath, [bin('node-gyp'), 'rebuild', '--loglevel=warn', ...headers], options);
}
