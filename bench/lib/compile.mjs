import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Compiles bench/baseline/<name>.c into build/bench/<name> where needed, and returns the path. */
export function compiled(name) {
  const source = `${root}bench/baseline/${name}.c`;
  const program = `${root}build/bench/${name}`;
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return program;
  mkdirSync(`${root}build/bench`, { recursive: true });
  const compiler = process.env.CC ?? 'cc';
  try {
    execFileSync(compiler, ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-o', program, source], { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    throw new Error(`The benchmarks compare with C and need a compiler for ${source}: ${compiler} failed. Install one or name it in CC.`, { cause: error });
  }
  return program;
}
