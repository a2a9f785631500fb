// An agent that speaks ndjson on its stdin and stdout, with a control channel beside it that its output cannot disturb.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LocalSubprocessRuntime } from 'holdfast';
import { openInheritedControlChannel } from 'holdfast/control';

/** The host: asks one question by ndjson, tells the agent to stop by the control channel. */
export async function converse(question) {
  await using runtime = new LocalSubprocessRuntime();
  const handle = runtime.spawn({
    argv: [process.execPath, fileURLToPath(import.meta.url), 'agent'], cwd: process.cwd(), graceMs: 2000,
    stdio: { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit', control: 'pipe' },
  });
  const answers = createInterface({ input: handle.stdout });
  const first = once(answers, 'line');
  handle.stdin.write(`${JSON.stringify({ id: 1, question })}\n`);
  const answer = JSON.parse((await first)[0]);
  handle.control.end('stop\n');
  const farewell = (await once(handle.control, 'data')).toString().trim();
  return { answer, farewell, outcome: await handle.done };
}

async function agent() {
  const control = openInheritedControlChannel();
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    const { id, question } = JSON.parse(line);
    process.stdout.write(`${JSON.stringify({ id, answer: question.toUpperCase() })}\n`);
  });
  await once(control, 'data');
  control.end('bye\n', () => process.exit(0));
}

if (process.argv[2] === 'agent') await agent();
