#!/usr/bin/env node
// Stands in for node-gyp under prebuildify (--node-gyp): prebuildify says the target in its environment and expects the
// result in build/Release of the working directory, which is a staging folder, so that nobody's own build is touched.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { inputHash } from './lib/inputs.mjs';
import { findTarget } from './lib/targets.mjs';
import { Failure, inRoot, main, must } from './lib/tools.mjs';

await main(() => {
  const { PREBUILD_PLATFORM: platform, PREBUILD_ARCH: arch, PREBUILD_LIBC: libc, ZIG: zig } = process.env;
  const target = findTarget(platform, arch, libc);
  if (!target || !zig) throw new Failure(`no target ${platform}-${arch} ${libc ?? ''}, or ZIG is not set; call scripts/prebuild.mjs`);
  const folder = inRoot('build', `zig-${target.zig}`);
  // What an interrupted build of the same sources has left is used, unless everything is to be built anew.
  const inputs = inputHash();
  const stamp = `${folder}/holdfast.inputs`;
  const resumed = !process.env.HOLDFAST_BUILD_ANEW && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs;
  if (!resumed) rmSync(folder, { recursive: true, force: true });
  // Always with make: the generator decides the order of objects, and so the bytes of the result.
  must('Configuring', 'cmake', ['-S', '.', '-B', folder, '-G', 'Unix Makefiles', `-DCMAKE_TOOLCHAIN_FILE=${inRoot('cmake', 'zig.cmake')}`,
    `-DZIG=${zig}`, `-DZIG_TARGET=${target.zig}`, '-DCMAKE_BUILD_TYPE=Release'], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(stamp, inputs);
  must('Compiling', 'cmake', ['--build', folder, '--parallel', '2'], { stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync('build/Release', { recursive: true });
  copyFileSync(`${folder}/Release/holdfast.node`, 'build/Release/holdfast.node');
  if (target.warden) copyFileSync(`${folder}/Release/holdfast-warden`, 'build/Release/holdfast-warden');
  if (target.interrupt) copyFileSync(`${folder}/Release/holdfast-interrupt.exe`, 'build/Release/holdfast-interrupt.exe');
});
