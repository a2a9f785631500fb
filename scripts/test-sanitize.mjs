// npm run test:sanitize [-- address|thread] [vitest filter…]: the specification in Node on an addon that was compiled with
// AddressSanitizer and UBSan, or with ThreadSanitizer, whose library is preloaded. A finding ends the process that has it.
// Without a filter: the files of SPECS. Needs g++ with its sanitizers and cmake.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildTypeScript, installPackages, requireNode } from './lib/prepare.mjs';
import { bin, has, inRoot, main, must, run } from './lib/tools.mjs';

const KINDS = {
  address: {
    sanitize: 'address,undefined', library: 'libasan.so',
    // Node does not give its memory back at its end: leaks are the business of the specification, which counts memory.
    env: { ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=1', UBSAN_OPTIONS: 'print_stacktrace=1' },
  },
  thread: {
    sanitize: 'thread', library: 'libtsan.so',
    // No suppression is needed: what Node's own code does is left out by the first of these.
    env: { TSAN_OPTIONS: 'ignore_noninstrumented_modules=1 halt_on_error=1' },
  },
};
/**
 * What runs so. Left out: files whose tests start hosts with a limit of memory or descriptors (a sanitizer maps terabytes and has
 * descriptors of its own), compare the environment or the mapped files of a command with what was asked for (the preloaded
 * library is seen there), use a shell's or another program's own allocator checks, or have nothing to do with the addon.
 */
const SPECS = ['01', '02', '04', '05', '06', '07', '08', '09', '11', '12', '13', '15', '16', '80', '81', '82'];

await main(() => {
  requireNode();
  installPackages();
  const args = process.argv.slice(2);
  const kinds = args.filter((arg) => KINDS[arg] !== undefined);
  const filter = args.filter((arg) => KINDS[arg] === undefined);
  buildTypeScript();
  for (const kind of kinds.length > 0 ? kinds : Object.keys(KINDS)) {
    const { sanitize, library, env } = KINDS[kind];
    const folder = inRoot('build', `native-${sanitize.replace(',', '-')}`);
    if (!existsSync(`${folder}/CMakeCache.txt`)) {
      must('Configuring', 'cmake', ['-S', '.', '-B', folder, '-DHOLDFAST_NATIVE_TESTS=ON', '-DHOLDFAST_WERROR=ON', `-DHOLDFAST_SANITIZE=${sanitize}`, '--log-level=ERROR']);
    }
    must(`Compiling the addon for ${kind}`, 'cmake', ['--build', folder, '--parallel', '2', '--target', 'holdfast']);
    const preload = execFileSync('g++', [`-print-file-name=${library}`], { encoding: 'utf8' }).trim();
    // The sanitizers of g++ 12 refuse a kernel that randomises 32 bits of addresses: switch it off.
    const start = has('setarch') ? ['setarch', '-R', process.execPath] : [process.execPath];
    const [command, ...rest] = [...start, bin('vitest'), 'run', ...(filter.length > 0 ? filter : SPECS.map((number) => `test/spec/${number}`))];
    const code = run(command, rest, { env: { ...env, LD_PRELOAD: preload, HOLDFAST_BINDING: `${folder}/Release/holdfast.node` } });
    console.log(`sanitize: ${kind}: ${code === 0 ? 'no finding' : `vitest ended with ${code}`}`);
    if (code !== 0) process.exitCode = 1;
  }
});
