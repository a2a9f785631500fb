// npm run prebuild [-- target…] [-- --compare]: the release binaries, cross-compiled with zig and audited. A target is
// `linux-x64.musl` or `linux-x64`. What is built lies in build/prebuild/prebuilds, and is not built again while the sources
// stay the same; an interrupted build goes on where it was. A build of all targets is then installed in prebuilds/, with its
// manifest. --compare builds everything anew, and installs nothing: it says whether the result is what the manifest
// records, byte for byte. Each target takes a few minutes, the first time more: zig then compiles its libc++.
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditFiles } from './lib/audit.mjs';
import { BUILT, isBuilt, OUT, stampOf } from './lib/binaries.mjs';
import { inputHash } from './lib/inputs.mjs';
import { describe, readManifest, writeManifest } from './lib/manifest.mjs';
import { installPackages, requireNode } from './lib/prepare.mjs';
import { targetFiles, targetName, TARGETS } from './lib/targets.mjs';
import { bin, Failure, has, inRoot, main, must } from './lib/tools.mjs';
import { zig } from './lib/zig.mjs';

/** One target into build/prebuild/prebuilds, unless it lies there, made from these very sources. */
function build(target, inputs, anyway) {
  const name = targetName(target);
  const stamp = stampOf(target);
  if (isBuilt(target, inputs) && !anyway) return console.log(`${name}: built already`);
  console.log(`${name}: building for ${target.zig} …`);
  rmSync(stamp, { force: true });
  const [platform, arch] = target.tuple.split('-');
  const staging = join(OUT, 'staging', name);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const cache = inRoot('build', 'zig-cache');
  must(`Building ${name}`, process.execPath, [bin('prebuildify'), '--napi', '--name', 'holdfast', '--cwd', staging,
    '--out', OUT, '--platform', platform, '--arch', arch, '--node-gyp', inRoot('scripts', 'zig-node-gyp.mjs'),
    ...(target.libc ? ['--libc', target.libc, '--tag-libc'] : [])], {
    env: { ZIG: zig(), ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache, ...process.env, HOLDFAST_BUILD_ANEW: anyway ? '1' : '' },
  });
  if (target.warden) takeWarden(target, join(staging, 'build', 'Release', 'holdfast-warden'), inputs);
  if (target.interrupt) copyFileSync(join(staging, 'build', 'Release', 'holdfast-interrupt.exe'), join(BUILT, target.tuple, 'holdfast-interrupt.exe'));
  writeFileSync(stamp, inputs);
}

/** One warden a processor: it uses no libc, so the builds for glibc and musl must agree to the byte. */
function takeWarden(target, built, inputs) {
  const shipped = join(BUILT, target.tuple, 'holdfast-warden');
  const other = TARGETS.find((row) => row.tuple === target.tuple && row !== target);
  if (other && isBuilt(other, inputs) && !readFileSync(shipped).equals(readFileSync(built))) {
    throw new Failure(`the warden of ${targetName(target)} differs from the one of ${targetName(other)}`);
  }
  copyFileSync(built, shipped);
  chmodSync(shipped, 0o755);
}

function compare(files) {
  const recorded = readManifest()?.files;
  if (!recorded) throw new Failure('there is no prebuilds/manifest.json to compare with');
  const differing = Object.keys(files).filter((name) => files[name].sha256 !== recorded[name]?.sha256);
  if (differing.length > 0) throw new Failure(`not what the manifest records: ${differing.join(', ')}`);
  console.log(`Byte for byte what the manifest records: ${Object.keys(files).join(', ')}`);
}

function install(files) {
  rmSync(inRoot('prebuilds'), { recursive: true, force: true });
  for (const name of Object.keys(files)) cpSync(join(BUILT, name), inRoot('prebuilds', name));
  writeManifest(files);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  console.log(`${Object.keys(files).length} files, ${bytes} bytes, are in prebuilds/.`);
}

await main(() => {
  requireNode();
  installPackages();
  if (!has('cmake')) throw new Failure('cross builds need cmake and make (Debian: apt-get install cmake make)');
  const comparing = process.argv.includes('--compare');
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const unknown = wanted.filter((name) => !TARGETS.some((row) => name === row.tuple || name === targetName(row)));
  if (unknown.length > 0) throw new Failure(`no such target: ${unknown.join(', ')}; there are ${TARGETS.map(targetName).join(', ')}`);
  const targets = wanted.length === 0 ? TARGETS : TARGETS.filter((row) => wanted.includes(row.tuple) || wanted.includes(targetName(row)));

  const inputs = inputHash();
  for (const target of targets) build(target, inputs, comparing);
  const faults = auditFiles(BUILT, targets);
  if (faults.length > 0) throw new Failure(`the binaries have faults:\n  ${faults.join('\n  ')}`);
  const files = describe(BUILT, targets.flatMap(targetFiles));
  if (comparing) compare(files);
  else if (targets.length === TARGETS.length) install(files);
  else console.log(`Built and audited in build/prebuild: ${Object.keys(files).join(', ')}. prebuilds/ is written by a build of all.`);
});
