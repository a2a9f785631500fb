// node facts.mjs CONTENDER FACT: prints what one library does in one situation. A process for each: nobody inherits what another left.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CONTENDERS } from './contenders.mjs';

const [name, fact, given] = process.argv.slice(2);
const { start, all } = CONTENDERS[name];
/** Seconds that no other `sleep` of this machine has, so that ours are found; they end by themselves. */
const mark = given ?? `40.${process.pid}`;
/** A shell that leaves a daemon in a session of its own and goes on as `sleep 1…`. */
const FAMILY = ['sh', '-c', `setsid sleep ${mark} < /dev/null > /dev/null 2>&1 & exec sleep 1${mark}`];
const SETTLE_MS = 1500;

/** Process ids of `sleep SECONDS`. */
function sleepers(seconds) {
  const command = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return ''; // it has ended
    }
  };
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && command(pid) === `sleep\0${seconds}\0`).map(Number);
}

async function untilFamily() {
  while (sleepers(mark).length === 0 || sleepers(`1${mark}`).length === 0) await delay(10);
}

/** Who of the family lives on, once everybody had time to end; then they are ended. */
async function survivors() {
  await delay(SETTLE_MS);
  const [daemon, command] = [sleepers(mark), sleepers(`1${mark}`)];
  for (const pid of [...daemon, ...command]) process.kill(pid, 'SIGKILL');
  return command.length > 0 ? 'all goes on' : daemon.length > 0 ? 'the daemon goes on' : 'all ended';
}

const FACTS = {
  async stop() {
    const { stop, done } = await start(FAMILY);
    Promise.resolve(done).catch(() => {});
    await untilFamily();
    stop();
    return survivors();
  },
  async crash() {
    const victim = spawn(process.execPath, [fileURLToPath(import.meta.url), name, 'victim', mark], { stdio: 'ignore' });
    await untilFamily();
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    return survivors();
  },
  async victim() {
    const { done } = await start(FAMILY);
    await done;
  },
  async held() {
    const started = performance.now();
    const { done } = await start(['sh', '-c', `sleep ${mark} & echo started`]);
    const first = await Promise.race([done.then(() => 'done'), delay(3000)]);
    const after = Math.round((performance.now() - started) / 100) / 10;
    for (const pid of sleepers(mark)) process.kill(pid, 'SIGKILL');
    return first === 'done' ? `after ${after} s` : 'not within 3 s';
  },
  async output() {
    if (all === undefined) return '–';
    const before = process.resourceUsage().maxRSS;
    const bytes = await all(['head', '-c', '200000000', '/dev/zero']).catch((error) => error);
    const grown = Math.round((process.resourceUsage().maxRSS - before) / 1000);
    return `${typeof bytes === 'number' ? `all ${bytes / 1e6} MB counted` : 'killed at its limit'}, ${grown} MB of memory`;
  },
  async directory() {
    const error = await start(['true'], '/no/such/directory').then(({ done }) => done).then(() => undefined, (reason) => reason);
    if (error === undefined) return 'no error';
    return error.message.includes('/no/such/directory') ? 'named' : /true/.test(error.message) ? 'the program is blamed' : error.message;
  },
};

console.log(JSON.stringify(await FACTS[fact]()));
process.exit(0);
