// npm run test:faults [-- --sample N --seed S] [--part I/N] [--owner KIND] [--case NAME] [--all]: every system call of native code
// fails once at each index with each errno of test/faults/table.mjs (of a call made more than 60 times in a scenario the first 60
// and 60 of the rest; --all: each). Prints the size of the matrix, and each case that did not end well by a name; --case plays
// those whose name contains its value. Linux on x64; needs cmake and a C++ compiler.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { casesOf, missing } from '../test/faults/matrix.mjs';
import { Random } from '../test/soak/random.mjs';
import { Failure, inRoot, main, must } from './lib/tools.mjs';

const ALL = ['collects', 'spills', 'reads', 'pipes', 'terminates', 'misses', 'terminal', 'looks'];
// How a warden starts: the one of the test build, or, with nothing beside the addon, the embedded one from memory.
const SCENARIOS = [
  ...['subreaper', 'cgroup', 'group'].map((owner) => ({ owner, start: 'file', steps: ALL })),
  { owner: 'subreaper', start: 'memory', steps: ['collects'] },
];
const FOLDER = inRoot('build/native-faults');
const DUMMY = inRoot('build/test/dummy');

/** A process of test/faults/host.mjs with plan, warden and temp directory of its own; begun again after a crash. */
class Player {
  constructor(start) {
    this.start = start;
    this.folder = mkdtempSync(join(tmpdir(), 'holdfast-faults-'));
    const warden = join(this.folder, 'holdfast-warden');
    copyFileSync(join(FOLDER, 'Release/faults-warden'), warden);
    const binding = join(this.folder, 'holdfast.node');
    copyFileSync(join(FOLDER, 'Release/holdfast.node'), binding);
    const plan = `${warden}.plan`;
    writeFileSync(plan, '');
    truncateSync(plan, 16_384);
    this.env = {
      ...process.env, HOLDFAST_BINDING: binding, FAULT_PLAN: plan, FAULT_DUMMY: DUMMY, TMPDIR: this.folder, LD_PRELOAD: join(FOLDER, 'Release/faults-shim.so'),
      ...(start === 'file' ? { HOLDFAST_WARDEN: warden } : {}),
    };
    if (start === 'memory') rmSync(warden);
  }

  begin() {
    this.child = spawn(process.execPath, [inRoot('test/faults/host.mjs')], { env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.said = '';
    this.child.stderr.on('data', (text) => { this.said += text; });
    this.child.stdin.on('error', () => {}); // it has crashed: its exit says so
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => { this.child.on('close', (code, signal) => resolve(signal ?? code)); });
  }

  /** What test/faults/host.mjs says of one case. */
  async play(one) {
    if (this.child === undefined) this.begin();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 240_000);
    this.child.stdin.write(`${JSON.stringify(one)}\n`);
    const { value, done } = await this.lines.next();
    clearTimeout(timer);
    if (!done) {
      const answer = JSON.parse(value);
      // What it has left would be laid at the next one's door.
      if (answer.problems.some((problem) => problem.startsWith('left: '))) await this.end();
      return answer;
    }
    const how = await this.ended;
    this.child = undefined;
    return { fired: 1, problems: [`the host ended with ${how}: ${this.said.slice(-2000)}`] };
  }

  async end() {
    this.child?.stdin.end();
    const timer = setTimeout(() => this.child?.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(timer);
    this.child = undefined;
  }

  async close() {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Plays cases by two players of each start. */
async function playAll(cases, jobs, report) {
  const queues = Map.groupBy?.(cases, ({ start }) => start) ?? new Map([['file', cases.filter(({ start }) => start === 'file')], ['memory', cases.filter(({ start }) => start === 'memory')]]);
  for (const [start, queue] of queues) {
    await Promise.all(Array.from({ length: Math.min(jobs, queue.length) }, async () => {
      const player = new Player(start);
      try {
        for (let one = queue.shift(); one !== undefined; one = queue.shift()) report(one, await player.play(one));
      } finally {
        await player.close();
      }
    }));
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { sample: { type: 'string' }, seed: { type: 'string' }, part: { type: 'string' }, owner: { type: 'string' }, case: { type: 'string' }, jobs: { type: 'string', default: '2' }, all: { type: 'boolean' }, verbose: { type: 'boolean' } } });
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Failure('the faults are injected on Linux on x64 only');
  if (!existsSync(join(FOLDER, 'CMakeCache.txt'))) must('Configuring', 'cmake', ['-S', '.', '-B', FOLDER, '-DHOLDFAST_FAULTS=ON', '-DHOLDFAST_WERROR=ON', '--log-level=ERROR']);
  must('Compiling', 'cmake', ['--build', FOLDER, '--parallel', '2', '--target', 'holdfast', 'holdfast-faults']);
  if (!existsSync(DUMMY)) {
    mkdirSync(inRoot('build/test'), { recursive: true });
    must('Compiling the dummy', process.env.CC ?? 'cc', ['-O1', '-pthread', '-o', DUMMY, inRoot('test/fixtures/dummy.c')]);
  }
  const gaps = missing(join(FOLDER, 'Release/holdfast.node'), inRoot('native/warden'));
  if (gaps.length > 0) throw new Failure(`test/faults/table.mjs: ${gaps.join('; ')}`);

  const matrix = [];
  await playAll(SCENARIOS.filter(({ owner }) => values.owner === undefined || owner === values.owner), 1, (scenario, { counts, problems }) => {
    if (problems.length > 0) throw new Failure(`without any fault, ${scenario.owner}: ${problems.join('; ')}`);
    const cases = casesOf({ ...scenario, counts }, values.all ? Infinity : 60);
    console.log(`faults ${scenario.owner}, warden from ${scenario.start}: ${cases.length} cases`);
    matrix.push(...cases);
  });

  const seed = values.seed === undefined ? Date.now() % 1e9 : Number(values.seed);
  let chosen = matrix;
  if (values.case !== undefined) chosen = matrix.filter(({ name }) => name.includes(values.case));
  else if (values.part !== undefined) {
    const [part, of] = values.part.split('/').map(Number);
    chosen = matrix.filter((_, at) => at % of === part - 1);
  } else if (values.sample !== undefined) {
    const random = new Random(seed);
    chosen = Array.from({ length: Math.min(Number(values.sample), matrix.length) }, () => random.one(matrix));
  }
  const total = { played: 0, fired: 0, failed: 0 };
  await playAll([...chosen], Number(values.jobs), (one, { fired, problems, outcomes }) => {
    total.played++;
    if (fired > 0) total.fired++;
    if (values.verbose) console.log(`${one.name}: ${fired} failed, ${JSON.stringify(outcomes)}`);
    if (problems.length === 0) return;
    total.failed++;
    console.log(`FAILED ${one.name} (${fired} failed): ${problems.join('\n  ')} ${JSON.stringify(outcomes)}`);
  });
  console.log(`faults: a matrix of ${matrix.length} cases, ${total.played} played (seed ${seed}), ${total.fired} met their call, ${total.failed} failed`);
  process.exitCode = total.failed > 0 || total.played === 0 ? 1 : 0;
});
