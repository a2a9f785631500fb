import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = `${root}bench/baseline/`;

/** Compiles bench/baseline/<name>.c into build/bench/<name> where needed, and returns the path. */
export function compiled(name) {
  return compiledAs(`${sources}${name}.c`, `${root}build/bench/${name}`);
}

/** The same for a source and a program that lie anywhere. */
export function compiledAs(source, program, flags = []) {
  const newest = Math.max(...[source, ...headers()].map((path) => statSync(path).mtimeMs));
  if (existsSync(program) && statSync(program).mtimeMs > newest) return program;
  mkdirSync(dirname(program), { recursive: true });
  const compiler = process.env.CC ?? 'cc';
  try {
    execFileSync(compiler, ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-o', program, source, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    throw new Error(`The benchmarks compare with C and need a compiler for ${source}: ${compiler} failed. Install one or name it in CC.`, { cause: error });
  }
  return program;
}

function headers() {
  return readdirSync(sources).filter((name) => name.endsWith('.h')).map((name) => `${sources}${name}`);
}
