// Writes docs/performance.md from bench/floors.json and bench/results/*.json: node scripts/performance-doc.mjs [--check]
import { readFileSync } from 'node:fs';
import { resultOf, writeOrCheck } from './lib/generated.mjs';

const root = new URL('../', import.meta.url);
const floors = JSON.parse(readFileSync(new URL('bench/floors.json', root), 'utf8'));

const METHOD = `# Performance

What Holdfast promises of its speed and its costs, how that is measured, and what came out. \`node scripts/performance-doc.mjs\` makes this page from \`bench/floors.json\` and \`bench/results/\`.

## Repeat it

\`\`\`sh not run: takes minutes, alone on the machine
npm run bench                     # every question, in under 25 minutes; alone on the machine, please
npm run bench -- collect lines    # some of them
npm run bench -- --quick          # a look in two minutes; its figures go into build/ and are not kept
node bench/check.mjs [--quick]    # compares the results with the floors
\`\`\`

It needs a C compiler, and valgrind for the row about instructions. The rows against other libraries and runtimes install them (\`tools/peers\`, \`tools/dsh\`, with a Node 24) into \`build/\`; without a registry they are reported as not measured. \`--rounds\`, \`--bytes\` and \`--spill-directory\` change the amount of work.

## Method

- **Pairs.** Contenders run in turn within a round, each round in the opposite order of the one before, after a round that does not count. Ratios are of the two figures of one round, so that what the machine did meanwhile hits both.
- **The end of the interval that is worse for us counts.** Given are the median of the pairs and its 95 % interval by bootstrap (5000 resamples). A target is met when that whole interval is on its right side.
- **Contenders in Node have a process each**, with nothing else in it; the process that measures only waits.
- **C is -O2**, on a pipe of the size that Holdfast uses, with the best of 64 KiB, 256 KiB and 1 MiB buffers; for the spill the best of read + write, tee + splice and io_uring, on the same file system; for launches a small server that starts children by vfork, and its client.
- **Other libraries and runtimes** are asked three things only (\`peers\`). All of them keep a tail of the same size, by the same code; \`child_process\` is there a second time and only counts.
- **CPU time** stands beside wall time in the JSON: of the whole process that reads, and of its JavaScript thread. Instructions are counted by callgrind, in user code.
- **"90 % busy"** is a JavaScript thread that computes for 9 ms and is free for 1 ms.
- **The event loop's delay** is the 99th percentile of Node's own histogram beyond the interval of its timer, 5 ms. That timer's CPU time is part of what is given as CPU of the JavaScript thread.
- **Memory** is PSS, of the host, the warden and its supervisors together.
- **Owners** are named in each row. Where root measures, a host without privileges is measured beside it.
- **"C itself"** stands beside a ratio to another provider where the target may be beyond what C reaches on this machine.
- **The floor** that automation checks leaves a tenth of room below the target; automation runs the short form and fails where the whole interval is below the floor. It is a constant in \`bench/floors.json\` that changes only with a reason, which then stands beside it (\`because\`). What was tried, what won and what lost: [speed](design/speed.md).
`;

const withUnit = (value, unit) => (unit === undefined ? `${value}` : `${value} ${unit}`);
const limit = ({ at, target, unit }) => `at ${at} ${withUnit(target, unit)}`;

function rows(question) {
  const result = resultOf(question);
  return Object.entries(floors[question]).map(([id, floor]) => {
    const found = result?.targets.find((one) => one.id === id);
    if (found === undefined) return [floor.is, limit(floor), '', 'not measured yet'];
    if (found.reason !== undefined) return [floor.is, limit(floor), '', `not measured: ${found.reason}`];
    return [floor.is, limit(floor), found.owner ?? '', `${withUnit(found.estimate, floor.unit)} (${found.low} to ${found.high})${found.met ? '' : ' **missed**'}${found.limit === undefined ? '' : `; C itself: ${found.limit}`}`];
  });
}

function section(question) {
  const result = resultOf(question);
  const table = [['what', 'target', 'owner', 'measured'], ['---', '---', '---', '---'], ...rows(question)].map((row) => `| ${row.join(' | ')} |`);
  const lines = [`### ${result?.title ?? question}`, '', `\`npm run bench -- ${question}\``, '', ...table];
  const reasons = Object.values(floors[question]).filter(({ because }) => because !== undefined).map(({ is, because }) => `- ${is}: ${because}`);
  if (reasons.length > 0) lines.push('', ...reasons);
  if (result !== undefined) lines.push('', `![${result.title}](../bench/results/${question}.svg)`);
  return lines.join('\n');
}

/** One line for each machine or state of one that results come from; usually the same for all. */
function machines() {
  const seen = new Map();
  for (const question of Object.keys(floors)) {
    const machine = resultOf(question)?.machine;
    if (machine === undefined) continue;
    const { cpu, cores, memoryGiB, virtual, kernel, node, libuv, user, date } = machine;
    const line = `${cpu}, ${cores} cores${virtual ? ' (virtual)' : ''}, ${memoryGiB} GiB, Linux ${kernel}, Node ${node} (libuv ${libuv}), as ${user}, ${date}`;
    seen.set(line, [...(seen.get(line) ?? []), question]);
  }
  if (seen.size === 0) return 'There are no results in this checkout yet.';
  if (seen.size === 1) return `${[...seen.keys()][0]}.`;
  return [...seen].map(([line, questions]) => `- ${questions.join(', ')}: ${line}.`).join('\n');
}

const page = [METHOD, '## Results\n', `${machines()}\n`, Object.keys(floors).map(section).join('\n\n'), ''].join('\n');
writeOrCheck(new URL('docs/performance.md', root), page, 'scripts/performance-doc.mjs');
