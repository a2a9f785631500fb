// The tarball as a registry would have it. Between two refreshes of prebuilds/, with what was built here in its place: the
// release binaries of build/prebuild where they are of these sources, else the one of build/Release.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT, isBuilt } from './binaries.mjs';
import { fits } from './manifest.mjs';
import { processLibc } from './native.mjs';
import { fileName, findTarget, targetFiles, targetName, TARGETS } from './targets.mjs';
import { Failure, inRoot, must, npm } from './tools.mjs';

/** Packs the checkout into `folder` and returns the path of the tarball. Says so when the binary is not the committed one. */
export function packPackage(folder) {
  if (fits()) return pack(inRoot(), folder);
  const laid = join(folder, 'package');
  rmSync(laid, { recursive: true, force: true });
  const plain = pack(inRoot(), folder);
  must('Unpacking', 'tar', ['-xzf', plain, '-C', folder]);
  rmSync(plain);
  rmSync(join(laid, 'prebuilds'), { recursive: true, force: true });
  layBinaries(join(laid, 'prebuilds'));
  const tarball = pack(laid, folder);
  rmSync(laid, { recursive: true });
  return tarball;
}

function pack(source, folder) {
  const [program, ...args] = npm();
  mkdirSync(folder, { recursive: true });
  must('Packing', program, [...args, 'pack', '--silent', '--pack-destination', folder, source], { stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')));
}

function layBinaries(folder) {
  const fresh = TARGETS.filter((target) => isBuilt(target));
  for (const name of fresh.flatMap(targetFiles)) cpSync(join(BUILT, name), join(folder, name));
  const own = findTarget(process.platform, process.arch, processLibc());
  if (fresh.includes(own)) return console.log(`prebuilds/ is of other sources: packed with ${fresh.map(targetName).join(', ')} of build/prebuild`);
  const built = inRoot('build', 'Release', 'holdfast.node');
  if (!existsSync(built)) throw new Failure('there is no binary to pack: npm run build makes one');
  console.log('prebuilds/ is of other sources: packed with the binary of build/Release');
  cpSync(built, join(folder, own.tuple, fileName(own)));
  if (own.warden) cpSync(inRoot('build', 'Release', 'holdfast-warden'), join(folder, own.tuple, 'holdfast-warden'));
}
