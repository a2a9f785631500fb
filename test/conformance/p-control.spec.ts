import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leakFence } from '../support/fence.ts';
import { LocalSubprocessRuntime } from '../support/holdfast.ts';
import { within } from '../support/until.ts';

const fence = leakFence();
const runtime = new LocalSubprocessRuntime();

describe('the control channel', () => {
  it('works beside piped streams as beside collected ones (214)', async () => {
    const handle = runtime.spawn({
      argv: ['/bin/sh', '-c', 'read -r control <&7; read -r in; echo "out $in"; echo "err" >&2; echo "back $control" >&7'],
      cwd: fence.directory, graceMs: 5000, stdio: { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', control: 'pipe' },
    });
    const read = async (stream: NodeJS.ReadableStream): Promise<string> => {
      let text = '';
      for await (const part of stream) text += String(part);
      return text;
    };
    handle.control.write('c\n');
    handle.stdin.end('i\n');
    const texts = await within(30_000, 'three streams', Promise.all([read(handle.stdout), read(handle.stderr), read(handle.control)]));
    expect(texts).toEqual(['out i\n', 'err\n', 'back c\n']);
    expect((await handle.done).exitCode).toBe(0);
    await handle.waitForExit();
  });

  it('carries bytes and no messages: how they are cut means nothing (216)', async () => {
    const output = { maxBytes: 1000 };
    const handle = runtime.spawn({
      argv: ['/bin/sh', '-c', 'head -c 600 <&7 | od -An -v -tu1 | tr -s " \\n" "\\n\\n" | awk "NF { sum += \\$1; count++ } END { print count, sum }"'],
      cwd: fence.directory, graceMs: 5000, stdio: { stdin: 'ignore', stdout: output, stderr: output, control: 'pipe' },
    });
    const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => at % 256));
    for (let at = 0; at < bytes.length; at += 7) {
      handle.control.write(bytes.subarray(at, at + 7));
      if (at % 70 === 0) await new Promise(setImmediate);
    }
    await handle.done;
    expect(handle.collected.stdout.readFrom(0).text).toBe(`600 ${bytes.reduce((sum, one) => sum + one, 0)}\n`);
    handle.control.destroy();
    await once(handle.control, 'close');
    await handle.waitForExit();
  });
});
