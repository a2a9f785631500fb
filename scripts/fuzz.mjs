// npm run fuzz [-- target… --seconds N]: test/fuzz with libFuzzer, each target for so long (10 s), from its corpus in
// test/fuzz/corpus; new inputs are kept in build/fuzz. Prints the executions of each; 1 and the input that did it when
// one fails. Needs clang with its runtime and cmake (Debian: apt-get install clang libclang-rt-14-dev cmake).
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { bin, Failure, has, inRoot, main, must } from './lib/tools.mjs';

const all = readdirSync(inRoot('test/fuzz')).flatMap((name) => /^(.*)\.(?:cc|mjs)$/.exec(name)?.slice(1) ?? []).sort();

await main(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '10' } } });
  const seconds = Number(values.seconds);
  if (!(seconds >= 1)) throw new Failure(`--seconds takes a number from 1 on, not "${values.seconds}"`);
  const unknown = positionals.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Failure(`there is no fuzz target "${unknown}"; there are ${all.join(', ')}`);
  for (const program of ['clang++', 'cmake']) if (!has(program)) throw new Failure(`fuzzing needs ${program} (Debian: apt-get install clang libclang-rt-14-dev cmake)`);

  const folder = inRoot('build/native-fuzz');
  if (!existsSync(`${folder}/CMakeCache.txt`)) {
    must('Configuring the fuzz targets', 'cmake', ['-S', '.', '-B', folder, '-DHOLDFAST_FUZZ=ON', '-DCMAKE_CXX_COMPILER=clang++', '-DCMAKE_C_COMPILER=clang']);
  }
  must('Compiling the fuzz targets', 'cmake', ['--build', folder, '--parallel', '2', '--target', 'holdfast-fuzz']);
  must('Compiling TypeScript', process.execPath, [bin('typescript', 'tsc'), '-p', 'tsconfig.json', '--outDir', 'build/beside/dist']);
  const queue = positionals.length > 0 ? positionals : all;
  const results = [];
  // As many at once as there are processors, two at most: a target has threads or processes of its own.
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) results.push(await fuzz(name, folder, seconds));
  }));
  for (const { name, executions, failed } of results) console.log(`fuzz ${name}: ${executions} executions in ${seconds} s${failed ? ', FAILED' : ''}`);
  console.log(`fuzz: ${results.length} targets, ${results.reduce((sum, one) => sum + one.executions, 0)} executions, ${results.filter((one) => one.failed).length} failed`);
  process.exitCode = results.some((one) => one.failed) ? 1 : 0;
});

/** Runs one target; a target of TypeScript is a script that says its executions as libFuzzer does. */
async function fuzz(name, folder, seconds) {
  const script = inRoot('test/fuzz', `${name}.mjs`);
  const [command, ...args] = existsSync(script) ? [process.execPath, script, inRoot('build/beside/dist'), String(seconds)] : native(name, folder, seconds);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'], timeout: (seconds + 60) * 1000, killSignal: 'SIGKILL', env: { ...process.env, HOLDFAST_WARDEN_BINARY: `${folder}/Release/holdfast-warden` },
  });
  let said = '';
  child.stderr.on('data', (text) => { said = (said + text).slice(-20_000); });
  const status = await new Promise((resolve) => { child.on('close', (code, signal) => resolve(signal ?? code)); });
  const failed = status !== 0;
  if (failed) console.error(`fuzz ${name} ended with ${status}\n${said.slice(-6000)}`);
  return { name, executions: Number(/number_of_executed_units:\s*(\d+)/.exec(said)?.[1] ?? 0), failed };
}

function native(name, folder, seconds) {
  const found = inRoot('build/fuzz', name);
  mkdirSync(found, { recursive: true });
  const corpus = inRoot('test/fuzz/corpus', name);
  const program = [`${folder}/fuzz-${name}`, found, ...(existsSync(corpus) ? [corpus] : []),
    `-max_total_time=${seconds}`, '-timeout=10', '-rss_limit_mb=1024', '-print_final_stats=1', '-verbosity=0', `-artifact_prefix=${found}/`];
  // The sanitizers of clang 14 refuse a kernel that randomises 32 bits of addresses: switch it off.
  return has('setarch') ? ['setarch', '-R', ...program] : program;
}
