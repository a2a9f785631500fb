import type { FactValue, OwnerKind } from '../binding.js';
import { ERROR_TABLE } from '../seam/error-table.js';
import type { SubprocessErrorCode, SubprocessErrorStage } from '../seam/errors.js';
import { errnoOf, SubprocessError } from '../seam/errors.js';
import { tooLong } from './too-long.js';

/** What a launch was asked to do, as far as its errors need it. */
export interface LaunchNames {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What the caller wants changed of the environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** System calls that are the launch itself, about which nothing more needs to be said. */
const PLAIN = new Set(['', 'spawn', 'execve', 'execveat', 'posix_spawn']);

/**
 * The error of a `failed` fact. A missing working directory is told apart from a missing program: `syscall` is `chdir`
 * and `path` the directory, where `child_process` blames the program for both.
 */
export function launchError(names: LaunchNames, owner: OwnerKind | undefined, fact: readonly [FactValue, FactValue, FactValue, FactValue]): SubprocessError {
  const code = knownCode(String(fact[0]));
  const stage = String(fact[1]) as SubprocessErrorStage;
  const syscall = String(fact[2] ?? '');
  const subject = String(fact[3] ?? '');
  const spawnargs = names.argv.slice(1);
  if (errnoOf(code) === undefined) {
    return new SubprocessError(subject === '' ? `the launch failed: ${String(fact[0])}` : subject, { code, stage, owner, spawnargs });
  }
  if (syscall === 'chdir') {
    return new SubprocessError(`chdir ${names.cwd} ${code}`, { code, syscall, path: names.cwd, spawnargs, stage, owner });
  }
  const program = names.argv[0] ?? '';
  const cause = PLAIN.has(syscall) ? {} : { cause: systemError(code, syscall, subject, stage) };
  const why = code === 'E2BIG' ? `: ${tooLong(names.argv, { ...process.env, ...names.env })}` : '';
  return new SubprocessError(`spawn ${program} ${code}${why}`, { code, syscall: `spawn ${program}`, path: program, spawnargs, stage, owner, ...cause });
}

/** The error of a `lost` fact. */
export function lostError(code: FactValue, message: FactValue, owner: OwnerKind | undefined): SubprocessError {
  return new SubprocessError(String(message), { code: knownCode(String(code)), stage: 'wait', owner });
}

/** A failing system call that stands for itself. */
export function systemError(rawCode: string, syscall: string, path: string, stage: SubprocessErrorStage): SubprocessError {
  const code = knownCode(rawCode);
  const message = [syscall, path, code === 'UNKNOWN' ? rawCode : code].filter((part) => part !== '').join(' ');
  return new SubprocessError(message, { code, syscall, path: path === '' ? undefined : path, stage });
}

/** Codes come from native code as text; what is in neither list must not pass for one that is. */
function knownCode(code: string): SubprocessErrorCode {
  const known = errnoOf(code) !== undefined || ERROR_TABLE.some((row) => row.code === code);
  return known ? (code as SubprocessErrorCode) : 'UNKNOWN';
}
