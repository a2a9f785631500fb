import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Binding } from '../binding.js';
import { childEnvironment, pathOf, variableOf } from '../seam/environment.js';
import { wrongType, wrongValue } from '../seam/errors.js';
import { onAbort } from './abort.js';
import { systemError } from './failure.js';
import type { HarnessParts } from './harness-parts.js';
import { hostDirectory } from './request.js';

/** Ways in which a path can fail to lead to a file that can be run; anything else (EIO, EMFILE) is a failing lookup. */
const MISSES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG']);

/** What of a runtime's settings a lookup depends on. */
type Lookup = Pick<HarnessParts, 'parentEnv' | 'notFound'> & { readonly prefix: string };

/** See `SubprocessRuntime.resolveExecutable`. `binding` is only asked for when PATH has to be searched. */
export async function resolveExecutable(
  binding: () => Binding,
  { prefix, parentEnv, notFound }: Lookup,
  command: string,
  env: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (typeof command !== 'string') throw wrongType('command', 'a string', command);
  if (command === '') throw wrongValue('The command must be non-empty');
  signal?.throwIfAborted();
  if (command.includes('\0')) throw wrongValue("The property 'command' must be a string without null bytes");
  if (isAbsolute(command)) return unlessAborted(checkAbsolute(command, notFound), signal);
  if (command.includes('/') || (process.platform === 'win32' && command.includes('\\'))) {
    throw wrongValue(`${JSON.stringify(command)} is a relative path; use an absolute path or a bare PATH name`);
  }
  return unlessAborted(search(binding(), command, childEnvironment(prefix, env, parentEnv), notFound), signal);
}

async function checkAbsolute(command: string, notFound: HarnessParts['notFound']): Promise<string> {
  const miss = `${JSON.stringify(command)} is not an executable file`;
  try {
    // access and not the mode bits: root needs one x bit, and a mount may forbid execution.
    await access(command, constants.X_OK);
    if ((await stat(command)).isFile()) return command;
  } catch (error) {
    const { code = 'UNKNOWN', syscall = 'access' } = error as NodeJS.ErrnoException;
    if (!MISSES.has(code)) throw systemError(code, syscall, command, 'resolve');
    throw notFound(miss, error);
  }
  throw notFound(miss);
}

async function search(binding: Binding, command: string, env: Readonly<Record<string, string>>, notFound: HarnessParts['notFound']): Promise<string> {
  const answer = await binding.lookup(command, pathOf(env), hostDirectory(true), variableOf(env, 'PATHEXT'));
  if ('failure' in answer) throw systemError(answer.failure, answer.syscall, answer.path, 'resolve');
  if ('path' in answer) return answer.path;
  const hint = answer.code === 'EACCES' ? ': what was found there cannot be run' : '';
  throw notFound(`${JSON.stringify(command)} was not found on PATH${hint}`);
}

/** The exact reason wins over a hit and over a miss, and does not wait for a file system that hangs. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, reject);
    void work.then(resolve, reject).finally(unfollow);
  });
}
