// npm run test:native [-- --sanitize=address,undefined|thread] [--valgrind] [doctest arguments]: test/native, in a build folder
// per sanitizer; with --valgrind those of native/core under memcheck. Needs cmake, a C++ compiler and doctest (Debian: cmake g++ doctest-dev).
import { existsSync } from 'node:fs';
import { installPackages, requireNode } from './lib/prepare.mjs';
import { Failure, has, inRoot, main, must, run } from './lib/tools.mjs';

await main(() => {
  requireNode();
  installPackages();
  if (!has('cmake')) throw new Failure('the native tests need cmake (Debian: apt-get install cmake g++ doctest-dev)');
  const args = process.argv.slice(2);
  const sanitize = args.find((arg) => arg.startsWith('--sanitize='))?.slice('--sanitize='.length) ?? '';
  const folder = inRoot('build', `native-${sanitize.replace(',', '-') || 'plain'}`);
  if (!existsSync(folder)) {
    must('Configuring the native tests', 'cmake', ['-S', '.', '-B', folder, '-DHOLDFAST_NATIVE_TESTS=ON',
      '-DHOLDFAST_WERROR=ON', `-DHOLDFAST_SANITIZE=${sanitize}`]);
  }
  if (args.includes('--valgrind')) return valgrind(folder);
  must('Compiling the native tests', 'cmake', ['--build', folder, '--parallel', '2', '--target', 'holdfast-native-tests', 'holdfast-explore']);
  const program = `${folder}/holdfast-native-tests`;
  const rest = args.filter((arg) => !arg.startsWith('--sanitize='));
  // The sanitizers of g++ 12 and clang 14 refuse a kernel that randomises 32 bits of addresses: switch it off.
  const start = sanitize !== '' && has('setarch') ? ['setarch', '-R'] : [];
  const play = (...words) => {
    const [command, ...args] = [...start, ...words];
    return run(command, args, { env: { HOLDFAST_WARDEN_BINARY: `${folder}/Release/holdfast-warden` } });
  };
  const tested = play(program, ...rest);
  // Ten times as many orders of events a step: where each takes ten times as long, one step less.
  const explored = rest.length > 0 ? 0 : play(`${folder}/holdfast-explore`, sanitize === '' ? '8' : '6');
  process.exitCode = tested || explored;
});

/** The tests of native/core: the rest starts wardens, which are their own programs, and is slow there. */
function valgrind(folder) {
  if (!has('valgrind')) throw new Failure('valgrind was not found (Debian: apt-get install valgrind)');
  must('Compiling the tests of the core', 'cmake', ['--build', folder, '--parallel', '2', '--target', 'holdfast-core-tests']);
  process.exitCode = run('valgrind', ['--quiet', '--error-exitcode=9', '--leak-check=full', '--errors-for-leak-kinds=all', '--fair-sched=yes', `${folder}/holdfast-core-tests`]);
}
