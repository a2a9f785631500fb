// collector.mjs COMMAND…: collects the output of one command into a tail of 1 MiB, and nothing else; for bench/instructions.
import { LocalSubprocessRuntime } from '../../dist/index.js';

const runtime = new LocalSubprocessRuntime({ ownership: ['cgroup', 'auto'] });
const stdio = { stdin: 'ignore', stdout: { maxBytes: 1 << 20 }, stderr: { maxBytes: 4096 } };
const { exitCode } = await runtime.spawn({ argv: process.argv.slice(2), cwd: '/', graceMs: 60_000, stdio }).done;
await runtime.dispose();
process.exitCode = exitCode ?? 1;
