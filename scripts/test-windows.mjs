// npm run test:windows: compiles the addon for Windows with mingw-w64 and runs test/windows under Wine with a real node.exe.
// On Windows itself the tests are run by `node --test test/windows/windows.test.mjs`. Exit code 77: Wine cannot be had here.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, requireNode } from './lib/prepare.mjs';
import { has, inRoot, main, must } from './lib/tools.mjs';

const NODE = '24.21.0';
const SKIPPED = 77;

function unavailable(reason) {
  console.log(`skipped: ${reason}`);
  process.exitCode = SKIPPED;
}

/** A path of this system as programs under Wine see it. */
const seen = (path) => `Z:${path.replaceAll('/', '\\')}`;

await main(() => {
  requireNode();
  installPackages();
  if (process.platform !== 'linux' || process.arch !== 'x64') return unavailable('Wine is set up on linux-x64 only');
  if (!has('x86_64-w64-mingw32-g++-posix')) return unavailable('no compiler for Windows (Debian: apt-get install g++-mingw-w64-x86-64-posix)');
  const folder = inRoot('build', 'windows');
  const setup = spawnSync('bash', [inRoot('scripts', 'windows', 'setup-wine.sh'), folder, NODE], { stdio: 'inherit' });
  if (setup.status !== 0) return unavailable('Wine could not be set up (it needs root, apt and the network)');

  const build = inRoot('build', 'mingw');
  if (!existsSync(join(build, 'CMakeCache.txt'))) {
    must('Configuring for Windows', 'cmake', ['-S', '.', '-B', build, '-DCMAKE_BUILD_TYPE=Release', `-DCMAKE_TOOLCHAIN_FILE=${inRoot('cmake', 'mingw-w64.cmake')}`]);
  }
  must('Compiling for Windows', 'cmake', ['--build', build, '--parallel', '2']);
  must('Compiling TypeScript', process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']);

  const wine = join(folder, 'wine', 'usr', 'lib', 'wine');
  const { DISPLAY: _x, WAYLAND_DISPLAY: _w, ...host } = process.env;
  const env = {
    ...host, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all', HOLDFAST_TEST_WINE: '1',
    HOLDFAST_BINDING: seen(join(build, 'Release', 'holdfast.node')),
  };
  // Files and not pipes: node.exe cannot write to a pipe of Unix, and Wine's services would keep it open.
  const log = join(folder, 'test.log');
  const out = openSync(log, 'w');
  const args = [seen(join(folder, `node-${NODE}`, 'bin', 'node.exe')), '--test', '--test-isolation=none', '--test-reporter=spec', ...process.argv.slice(2), seen(inRoot('test', 'windows', 'windows.test.mjs'))];
  const result = spawnSync(join(wine, 'wine64'), args, { env, stdio: ['ignore', out, out], timeout: 900_000, killSignal: 'SIGKILL' });
  // Ends the processes of this prefix and no others.
  spawnSync(join(wine, 'wineserver64'), ['-k'], { env, stdio: 'ignore' });
  closeSync(out);
  process.stdout.write(readFileSync(log, 'utf8'));
  console.log(`Under Wine, not on Windows; skipped tests say why. Log: ${log}`);
  process.exitCode = result.status ?? 1;
});
