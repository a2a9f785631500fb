import { LocalSubprocessRuntime } from '../index.js';
import { drawBars, type Question } from './bench/bars.js';
import { measure } from './bench/measure.js';
import { green } from './color.js';
import { flushed } from './sink.js';

/** Measures, and draws each answer as soon as it is there; resolves with the exit code. */
export async function bench(json: boolean): Promise<number> {
  const { stdout } = process;
  const runtime = new LocalSubprocessRuntime({ onWarning: () => {} });
  const questions: Question[] = [];
  try {
    for await (const question of measure(runtime)) {
      questions.push(question);
      if (!json) stdout.write(`${questions.length === 1 ? '' : '\n'}${drawBars(question, Math.min(stdout.columns || 80, 100), green(stdout))}`);
    }
  } finally {
    await runtime.dispose();
  }
  if (json) stdout.write(`${JSON.stringify(questions, null, 2)}\n`);
  await flushed(stdout);
  return 0;
}
