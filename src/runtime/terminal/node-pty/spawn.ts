import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { EnvironmentOverrides } from '../../../seam/environment.js';
import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from '../../../seam/terminal.js';
import { launchError } from '../../failure.js';
import { absoluteDirectory } from '../../request.js';
import { terminalVariables } from '../environment.js';
import { loadNodePty } from './load.js';
import { nodePtyHandle } from './handle.js';
import { NodePtySession } from './session.js';

/** The parts of the runtime that this backend needs. */
export interface NodePtyHost {
  /** The whole environment of a child that is given `env`. */
  environment(env: EnvironmentOverrides): Record<string, string>;
  resolve(command: string, env: Record<string, string>): Promise<string>;
  /** Told of a terminal that lives from now on, until `over` is called. */
  adopt(session: NodePtySession, terminate: () => Promise<void>): { over(): void };
}

/**
 * Starts a program on a terminal of node-pty. It reports a launch that fails on the terminal itself, so what can be known
 * about the program and the directory is found out before.
 */
export async function spawnOnNodePty(spec: SubprocessTerminalSpawnSpec, host: NodePtyHost): Promise<SubprocessTerminalHandle> {
  const pty = loadNodePty();
  const cwd = absoluteDirectory(spec.cwd);
  const env = host.environment(terminalVariables(spec, cwd));
  const [command = '', ...args] = spec.argv;
  const fail = (code: string, syscall: string): Error => launchError({ argv: spec.argv, cwd }, 'group', [code, 'launch', syscall, syscall === 'chdir' ? cwd : command]);
  await check(cwd, true).catch((error: NodeJS.ErrnoException) => Promise.reject(fail(error.code ?? 'UNKNOWN', 'chdir')));
  const file = await program(command, cwd, env, host).catch((error: NodeJS.ErrnoException) => Promise.reject(fail(error.code ?? 'UNKNOWN', 'spawn')));
  spec.signal?.throwIfAborted();
  const session = new NodePtySession(pty.spawn(file, args, { name: spec.terminalType, cols: spec.cols, rows: spec.rows, cwd, env }));
  return nodePtyHandle(session, spec, host);
}

async function program(command: string, cwd: string, env: Record<string, string>, host: NodePtyHost): Promise<string> {
  if (command.includes('/')) {
    await check(isAbsolute(command) ? command : join(cwd, command), false);
    return command;
  }
  return host.resolve(command, env).catch((error: Error) => {
    // By its name: the class may be the harness's.
    throw error.name === 'SubprocessExecutableNotFoundError' ? Object.assign(error, { code: 'ENOENT' }) : error;
  });
}

async function check(path: string, directory: boolean): Promise<void> {
  const found = await stat(path);
  if (found.isDirectory() !== directory) throw Object.assign(new Error(path), { code: directory ? 'ENOTDIR' : 'EACCES' });
  await access(path, constants.X_OK);
}
