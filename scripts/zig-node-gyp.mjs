#!/usr/bin/env node
// Stands in for node-gyp under prebuildify (--node-gyp): prebuildify says the target in its environment and expects the
// result in build/Release of the working directory, which is a staging folder, so that nobody's own build is touched.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { findTarget } from './lib/targets.mjs';
import { Failure, inRoot, main, must } from './lib/tools.mjs';

await main(() => {
  const { PREBUILD_PLATFORM: platform, PREBUILD_ARCH: arch, PREBUILD_LIBC: libc, ZIG: zig } = process.env;
  const target = findTarget(platform, arch, libc);
  if (!target || !zig) throw new Failure(`no target ${platform}-${arch} ${libc ?? ''}, or ZIG is not set; call scripts/prebuild.mjs`);
  const folder = inRoot('build', `zig-${target.zig}`);
  // Always from nothing and always with make: the generator decides the order of objects, and so the bytes of the result.
  rmSync(folder, { recursive: true, force: true });
  must('Configuring', 'cmake', ['-S', '.', '-B', folder, '-G', 'Unix Makefiles', `-DCMAKE_TOOLCHAIN_FILE=${inRoot('cmake', 'zig.cmake')}`,
    `-DZIG=${zig}`, `-DZIG_TARGET=${target.zig}`, '-DCMAKE_BUILD_TYPE=Release'], { stdio: ['ignore', 'ignore', 'inherit'] });
  must('Compiling', 'cmake', ['--build', folder, '--parallel', '2'], { stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync('build/Release', { recursive: true });
  copyFileSync(`${folder}/Release/holdfast.node`, 'build/Release/holdfast.node');
  if (target.warden) copyFileSync(`${folder}/Release/holdfast-warden`, 'build/Release/holdfast-warden');
  if (target.interrupt) copyFileSync(`${folder}/Release/holdfast-interrupt.exe`, 'build/Release/holdfast-interrupt.exe');
});
