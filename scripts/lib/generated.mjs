// Pages that are made from data: written, or compared with --check.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes `text` to the file `path`, or with --check complains when it is not what the file holds. */
export function writeOrCheck(path, text, script) {
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
    return;
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  console.error(`${path.pathname} is not what its data say. Run: node ${script}`);
  process.exitCode = 1;
}

/** The result of a benchmark, or undefined before its first run. */
export function resultOf(question) {
  const path = new URL(`../../bench/results/${question}.json`, import.meta.url);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
