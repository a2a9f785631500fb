// Adds up what the steps have left in a folder. Last line: "N passed, N failed, N skipped"; code 1 when anything failed.
// A step counts as one check beside its tests, so that a step that dies before its first test is not lost. Before the last
// line stands again what failed: its place in the log is far above, and a log is often kept from its end.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const total = { passed: 0, failed: 0, skipped: 0 };

function add(name, passed, failed, skipped) {
  console.log(`${name.padEnd(28)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

const failures = [];
const tell = (file, { fullName, failureMessages }) => failures.push(`FAILED ${file}: ${fullName}\n${failureMessages.join('\n').split('\n').slice(0, 12).join('\n')}`);

console.log('\n=== summary');
for (const file of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, file), 'utf8');
  if (file.endsWith('.step')) {
    const code = Number(text);
    add(file, Number(code === 0), Number(code !== 0 && code !== 77), Number(code === 77));
    if (code !== 0 && code !== 77) {
      const said = readFileSync(join(folder, file.replace(/step$/, 'log')), 'utf8').trimEnd().split('\n').slice(-12);
      failures.push(`FAILED ${file} with ${code}, after:\n${said.map((line) => line.slice(0, 300)).join('\n')}`);
    }
  } else if (file.endsWith('.json')) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(text);
    // A file that fails to load has no tests of its own.
    const unloaded = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0).length;
    for (const { assertionResults } of testResults) for (const test of assertionResults) if (test.status === 'failed') tell(file, test);
    add(file, numPassedTests, numFailedTests + unloaded, numPendingTests + numTodoTests);
  } else if (file.endsWith('.doctest')) {
    const line = /test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed \|\s*(\d+) skipped/.exec(text);
    // Without its last line it has crashed.
    if (line) add(file, Number(line[1]), Number(line[2]), Number(line[3]));
    else add(file, 0, 1, 0);
  }
}
for (const failure of failures) console.log(failure);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
