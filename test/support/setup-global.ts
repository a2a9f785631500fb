import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs once before all files: compiles the programs in C and checks that what is tested is what was written. */
export default function setup(): void {
  compile(join(root, 'test/fixtures/dummy.c'), join(root, 'build/test/dummy'), ['-pthread']);
  compile(join(root, 'test/fixtures/spill-faults.c'), join(root, 'build/test/spill-faults.so'), ['-shared', '-fPIC', '-ldl']);
  refuseStaleBuild();
}

function compile(source: string, program: string, flags: string[] = []): void {
  const compiler = process.env['CC'] ?? 'cc';
  mkdirSync(dirname(program), { recursive: true });
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return;
  try {
    execFileSync(compiler, ['-std=gnu11', '-O1', '-Wall', '-Wextra', '-o', program, source, ...flags], { stdio: 'pipe' });
  } catch (error) {
    const failure = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (failure.code === 'ENOENT') {
      throw new Error(`The specification tests need a C compiler for ${source}, and "${compiler}" was not found. Install one (Debian: apt-get install gcc libc6-dev) or name it in CC.`);
    }
    throw new Error(`${compiler} could not compile ${source}:\n${failure.stderr?.toString() ?? failure.message}`);
  }
}

/** The tests load dist/, as users do. A forgotten build would test yesterday's code and say that it is fine. */
function refuseStaleBuild(): void {
  const built = join(root, 'dist/index.js');
  const newest = Math.max(...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => statSync(join(root, 'src', name)).mtimeMs));
  if (!existsSync(built) || statSync(built).mtimeMs < newest) {
    throw new Error('dist/ is missing or older than src/. Run "npm run build" first ("npm test" does).');
  }
}
