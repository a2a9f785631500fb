// How long does the first command of a host process take when it is held by a scope, which has to be made for it?
//
// Beside `systemd-run --user --scope`, which makes one for each command. Both ask a user manager of their own, started as
// the tests start theirs (test/support/systemd).
import { spawnSync } from 'node:child_process';
import { root } from './lib/compile.mjs';
import { writeResult } from './lib/result.mjs';
import { settings } from './lib/settings.mjs';
import { ratio, summary } from './lib/stats.mjs';

const { rounds, quick } = settings({ rounds: 15, quickRounds: 5 });
const box = `${root}test/support/systemd/user-manager.sh`;

console.log(`owner-scope: ${rounds} fresh hosts`);
const { status, stdout, stderr } = spawnSync(box, ['nobody', process.execPath, `${root}bench/host/first-scope.mjs`, String(rounds)], { encoding: 'utf8', timeout: 120_000 });
if (status !== 0 && status !== 77) throw new Error(`${stdout}${stderr}`);
const seen = status === 0 ? JSON.parse(stdout) : undefined;
const figures = seen === undefined ? {} : Object.fromEntries(Object.entries(seen).map(([name, list]) => [name, summary(list)]));

writeResult({
  question: 'owner-scope',
  quick,
  title: "A host's first command in a scope",
  settings: { rounds },
  figures: { milliseconds: figures },
  panels: [{
    title: 'From spawn() to done of true', unit: 'ms', better: 'less',
    bars: Object.entries(figures).map(([label, { p50, min, p99 }]) => ({ label, value: p50, low: min, high: p99, ours: label === 'holdfast' })),
  }],
  measured: { ofSystemdRun: seen === undefined ? { reason: stdout.trim() } : { owner: 'scope', ...ratio(seen.holdfast, seen['systemd-run']) } },
  notes: ['Bars: median. Whiskers: fastest to 99th percentile. Each host is new: binary, threads, warden and scope are made within the time.'],
});
