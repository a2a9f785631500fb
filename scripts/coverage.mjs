// npm run coverage [-- native|typescript …filter]: branches and lines of native/core by the native tests, and of src/ by the
// unit tests and the specification (or the files that fit the filter). Prints a table and what is not covered. Needs clang with
// llvm (Debian: apt-get install clang llvm doctest-dev).
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Failure, has, bin, inRoot, main, must } from './lib/tools.mjs';

const percent = ({ covered, count }) => `${count === 0 ? '100.0' : (100 * covered / count).toFixed(1)} % (${covered} of ${count})`;

/** A tool of LLVM: Debian has some of them only with their version in the name. */
function llvm(name) {
  const found = [name, `${name}-14`, `${name}-15`, `${name}-16`].find((one) => has(one));
  if (found === undefined) throw new Failure(`${name} was not found (Debian: apt-get install llvm)`);
  return found;
}

function native() {
  const folder = inRoot('build/native-coverage');
  const profile = `${folder}/core.profraw`;
  must('Configuring', 'cmake', ['-S', '.', '-B', folder, '-DHOLDFAST_NATIVE_TESTS=ON', '-DHOLDFAST_COVERAGE=ON', '-DCMAKE_CXX_COMPILER=clang++', '-DCMAKE_C_COMPILER=clang', '--log-level=ERROR']);
  must('Compiling', 'cmake', ['--build', folder, '--parallel', '2', '--target', 'holdfast-core-tests']);
  must('Testing', `${folder}/holdfast-core-tests`, [], { env: { LLVM_PROFILE_FILE: profile } });
  execFileSync(llvm('llvm-profdata'), ['merge', '-sparse', profile, '-o', `${folder}/core.profdata`]);
  const program = [`${folder}/holdfast-core-tests`, `-instr-profile=${folder}/core.profdata`];
  const sources = readdirSync(inRoot('native/core')).map((name) => inRoot('native/core', name));
  const { data: [{ files, totals }] } = JSON.parse(execFileSync(llvm('llvm-cov'), ['export', '-summary-only', ...program, ...sources], { encoding: 'utf8', maxBuffer: 1 << 26 }));
  for (const { filename, summary } of files) console.log(`${filename.slice(inRoot().length + 1).padEnd(36)} branches ${percent(summary.branches)}, lines ${percent(summary.lines)}`);
  console.log(`native/core: branches ${percent(totals.branches)}, lines ${percent(totals.lines)}`);
}

function typescript(filter) {
  // A failing test is the suite's business: what it has run counts all the same.
  try {
    must('Testing', process.execPath, [bin('vitest'), 'run', '--config', 'test/coverage.config.ts', ...filter]);
  } finally {
    const { total, ...files } = JSON.parse(readFileSync(inRoot('build/coverage/coverage-summary.json'), 'utf8'));
    const of = ({ branches, lines }) => `branches ${percent({ covered: branches.covered, count: branches.total })}, lines ${percent({ covered: lines.covered, count: lines.total })}`;
    const rows = Object.entries(files).sort(([, a], [, b]) => a.branches.pct - b.branches.pct);
    for (const [name, summary] of rows.slice(0, 15)) console.log(`${name.slice(inRoot().length + 1).padEnd(44)} ${of(summary)}`);
    console.log(`src: ${of(total)}, the ${Math.min(15, rows.length)} files of ${rows.length} with least above`);
  }
}

await main(() => {
  const [what, ...filter] = process.argv.slice(2);
  if (what !== undefined && what !== 'native' && what !== 'typescript') throw new Failure(`there is native and typescript, not "${what}"`);
  if (what !== 'typescript') native();
  if (what !== 'native') typescript(filter);
});
