// npm run test:windows [-- <part of a file's name> …]: compiles probe and addon for Windows with mingw-w64 and runs test/windows under
// Wine with a real node.exe, a process for each file. Exit code 77: Wine cannot be had here.
// On Windows itself: docs/windows.md says how.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputHash } from './lib/inputs.mjs';
import { readManifest } from './lib/manifest.mjs';
import { buildTypeScript, installPackages, requireNode } from './lib/prepare.mjs';
import { has, inRoot, main, must } from './lib/tools.mjs';

const NODE = '24.21.0';
const SKIPPED = 77;
/** What the tests of one file may take, in milliseconds. */
const FILE_MS = 600_000;

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
  if (setup.status !== 0) return unavailable('Wine could not be set up (it needs apt, patchelf and the network)');

  const build = inRoot('build', 'mingw');
  must('Configuring for Windows', 'cmake', ['-S', '.', '-B', build, '-DCMAKE_BUILD_TYPE=Release', '-DHOLDFAST_WINDOWS_TESTS=ON',
    `-DCMAKE_TOOLCHAIN_FILE=${inRoot('cmake', 'mingw-w64.cmake')}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  must('Compiling for Windows', 'cmake', ['--build', build, '--parallel', '2']);
  buildTypeScript();

  // The file that is shipped, where it is of these sources; else the one just compiled.
  const shipped = readManifest()?.inputs === inputHash();
  const binding = shipped ? inRoot('prebuilds', 'win32-x64', 'holdfast.node') : join(build, 'Release', 'holdfast.node');
  console.log(shipped ? 'Testing the file in prebuilds/win32-x64' : 'Testing the file compiled with mingw-w64');
  const wine = join(folder, 'wine', 'usr', 'lib', 'wine');
  const { DISPLAY: _x, WAYLAND_DISPLAY: _w, ...host } = process.env;
  const env = {
    ...host, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all', HOLDFAST_TEST_WINE: '1',
    HOLDFAST_BINDING: seen(binding),
    HOLDFAST_TEST_SUSPENDED: seen(join(build, 'Release', 'holdfast-suspended.exe')),
    HOLDFAST_TEST_PROBE: seen(join(build, 'Release', 'holdfast-probe.exe')),
  };
  const node = seen(join(folder, `node-${NODE}`, 'bin', 'node.exe'));
  const wanted = process.argv.slice(2);
  const files = readdirSync(inRoot('test', 'windows')).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))));
  const total = { tests: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0 };
  let failed = files.length === 0;
  for (const name of files.sort()) {
    // A file and not a pipe: node.exe cannot write to a pipe of Unix, and Wine's services would keep it open.
    const log = join(folder, `${name}.log`);
    const out = openSync(log, 'w');
    const args = [node, '--test', '--test-isolation=none', '--test-reporter=spec', seen(inRoot('test', 'windows', name))];
    const result = spawnSync(join(wine, 'wine64'), args, { env, stdio: ['ignore', out, out], timeout: FILE_MS, killSignal: 'SIGKILL' });
    closeSync(out);
    const text = readFileSync(log, 'utf8');
    process.stdout.write(`${name}\n${text}`);
    for (const count of Object.keys(total)) total[count] += Number(new RegExp(`^\\S+ ${count} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    if (result.status === 0) continue;
    failed = true;
    console.log(`${name} has ended with ${result.status ?? result.signal}`);
  }
  // Ends the processes of this prefix and no others.
  spawnSync(join(wine, 'wineserver64'), ['-k'], { env, stdio: 'ignore' });
  console.log(`Under Wine, not on Windows: ${total.pass} of ${total.tests} tests passed, ${total.fail + total.cancelled} failed, ${total.skipped} skipped for the reasons above.`);
  process.exitCode = failed ? 1 : 0;
});
