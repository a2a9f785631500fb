// The first command of a host process by the owner scope, or that by systemd-run: milliseconds of each of N fresh starts.
// Runs beside a systemd user manager: node bench/host/first-scope.mjs N
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [word] = process.argv.slice(2);
if (word === 'one') {
  const { LocalSubprocessRuntime } = await import('../../dist/index.js');
  const runtime = new LocalSubprocessRuntime({ ownership: 'scope' });
  const collect = { maxBytes: 65536 };
  const begin = performance.now();
  await runtime.spawn({ argv: ['/bin/true'], cwd: '/', graceMs: 1000, stdio: { stdin: 'ignore', stdout: collect, stderr: collect } }).done;
  console.log(performance.now() - begin);
  await runtime.dispose();
} else {
  const seen = { holdfast: [], 'systemd-run': [] };
  for (let i = 0; i < Number(word); i++) {
    seen.holdfast.push(Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'one'], { encoding: 'utf8' })));
    const begin = performance.now();
    const { status, stderr } = spawnSync('systemd-run', ['--user', '--scope', '--quiet', '/bin/true'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`systemd-run: ${stderr}`);
    seen['systemd-run'].push(performance.now() - begin);
  }
  console.log(JSON.stringify(seen));
}
