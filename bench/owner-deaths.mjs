// Does anything survive a host that is killed at an instant that nobody has chosen?
//
// Each host has six handles in states drawn at random (test/fixtures/hosts/states.mjs: running, deaf, stopped, relaying,
// draining, left, terminating, spilling, feeding, piped) and goes on launching. It is killed by SIGKILL. Everything that it
// has started carries a mark in its environment; who has it a second later is a survivor. `--rounds` is the number of hosts
// for each owner.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledAs, root } from './lib/compile.mjs';
import { holdfastHosts, ownerOf } from './lib/contenders.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 40, quickRounds: 5 });
const [LONGEST_MS, LIMIT_MS] = [400, 1000];
const NAME = 'BENCH_HOST';
compiledAs(`${root}test/fixtures/dummy.c`, `${root}build/test/dummy`, ['-pthread']);

/** Living processes that were started with that entry in their environment. */
function marked(entry) {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false; // it has ended while it was looked at
    }
  });
}

async function killOne(owner, seed) {
  const value = randomBytes(8).toString('hex');
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-deaths-'));
  const host = spawn(process.execPath, [`${root}test/fixtures/hosts/states.mjs`, owner, 'wait', String(seed)], {
    env: { ...process.env, [NAME]: value, TMPDIR: directory }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(host, 'exit');
  await Promise.race([once(host.stdout, 'data'), gone.then(() => { throw new Error('a host ended by itself'); })]);
  await sleep((seed * 7919) % LONGEST_MS);
  host.kill('SIGKILL');
  await gone;
  const begin = performance.now();
  let left = marked(`${NAME}=${value}`);
  while (left.length > 0 && performance.now() - begin < LIMIT_MS) {
    await sleep(5);
    left = marked(`${NAME}=${value}`);
  }
  const ms = performance.now() - begin;
  const survivors = left.map((pid) => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`);
  for (const pid of left) process.kill(Number(pid), 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
  return { ms, survivors };
}

const owners = Object.entries(await holdfastHosts()).filter(([, { user }]) => user === undefined).map(([label]) => ownerOf(label));
console.log(`owner-deaths: ${rounds} hosts for each of ${owners.join(', ')}`);
const results = Object.fromEntries(owners.map((owner) => [owner, []]));
for (let i = 1; i <= rounds; i++) {
  for (const owner of owners) {
    const one = await killOne(owner, i);
    results[owner].push(one);
    if (one.survivors.length > 0) console.log(`  host ${i}, ${owner}: ${one.survivors.join('; ')}`);
  }
  if (i % 20 === 0) console.log(`  ${i} hosts: ${owners.map((owner) => `${owner} ${results[owner].flatMap((one) => one.survivors).length} survivors`).join(', ')}`);
}

const figures = Object.fromEntries(owners.map((owner) => [owner, { hosts: rounds, survivors: results[owner].flatMap((one) => one.survivors).length, msToEmpty: summary(results[owner].map((one) => one.ms)) }]));
const measured = (owner) => {
  if (!owners.includes(owner)) return { reason: `there is no ${owner} owner here` };
  const { survivors } = figures[owner];
  return { owner, estimate: survivors, low: survivors, high: survivors, n: rounds };
};
writeResult({
  question: 'owner-deaths',
  quick,
  title: 'Hosts that are killed at random instants',
  settings: { hosts: rounds, handles: 6, longestMs: LONGEST_MS, limitMs: LIMIT_MS },
  figures,
  panels: [{
    title: 'From the death of the host to the end of the last of its processes', unit: 'ms', better: 'less', log: true,
    bars: Object.entries(figures).map(([label, { msToEmpty: { p50, min, max } }]) => ({ label, value: p50, low: min, high: max, ours: true })),
  }],
  measured: { cgroup: measured('cgroup'), subreaper: measured('subreaper') },
  notes: ['Bars: median. Whiskers: fastest and slowest. Looking for survivors is part of it.'],
});
