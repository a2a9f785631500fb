import { isAbsolute } from 'node:path';
import type { NativeOutput, SpawnRequest } from '../binding.js';
import type { EnvironmentOverrides } from '../seam/environment.js';
import type { OutputSpec, SubprocessLimits, SubprocessSpawnSpec } from '../seam/spec.js';
import { environmentRequest } from './environment-request.js';
import type { Settings } from './options.js';

/** What every launch has. */
interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: EnvironmentOverrides | undefined;
  readonly graceMs: number;
}

/**
 * A checked specification as the addon takes it. Strings that belong together cross the boundary joined, because each
 * one that crosses alone costs more than joining all of them.
 */
export function buildRequest(spec: SubprocessSpawnSpec, settings: Settings): SpawnRequest {
  const control = spec.stdio.control === 'pipe';
  const request = {
    ...launchRequest(spec, settings),
    stdin: spec.stdio.stdin,
    stdout: output(spec.stdio.stdout),
    stderr: output(spec.stdio.stderr),
    control,
    ...limitsRequest(spec.limits),
    ...spillPlace(spec, settings),
  };
  // A marker of the host is never inherited and a caller may not set one, so this cannot be the second.
  if (control) request.env += `${settings.controlMarker}=pipe\0`;
  return request;
}

/** The same for a launch on a terminal, which is all the streams that there are. */
export function buildTerminalRequest(spec: Launch & { readonly terminal: { rows: number; cols: number } }, settings: Settings): SpawnRequest {
  return { ...launchRequest(spec, settings), stdin: 'ignore', stdout: 'inherit', stderr: 'inherit', control: false, terminal: spec.terminal };
}

function launchRequest(spec: Launch, settings: Settings): Omit<SpawnRequest, 'stdin' | 'stdout' | 'stderr' | 'control'> {
  const absolute = isAbsolute(spec.cwd);
  const hostCwd = hostDirectory(absolute);
  return {
    argv: `${spec.argv.join('\0')}\0`,
    ...environmentRequest(settings.prefix, spec.env, settings.parentEnv),
    // Not normalised: `link/..` is where the link leads to, which only the kernel knows.
    cwd: absolute ? spec.cwd : `${hostCwd}/${spec.cwd}`,
    hostCwd,
    graceMs: spec.graceMs,
    owners: [...settings.owners],
    named: settings.named,
    mayWeaken: settings.mayWeaken,
  };
}

/** Microseconds of the period over which the kernel counts processor time. */
const CPU_PERIOD = 100_000;

function limitsRequest(limits: SubprocessLimits | undefined): Pick<SpawnRequest, 'memoryBytes' | 'processes' | 'cpuMicroseconds'> {
  const { memoryBytes, processes, cpus } = limits ?? {};
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpus === undefined ? {} : { cpuMicroseconds: Math.round(cpus * CPU_PERIOD) }),
  };
}

/** A relative directory starts at the host's, as it is at this moment. Not normalised. */
export function absoluteDirectory(cwd: string): string {
  return isAbsolute(cwd) ? cwd : `${hostDirectory(false)}/${cwd}`;
}

/**
 * The host's working directory at this moment. It may have been removed; a command with an absolute directory does not
 * need it, and nothing can be found through it: a path below a file says that.
 */
export function hostDirectory(mayBeGone: boolean): string {
  try {
    return process.cwd();
  } catch (error) {
    if (mayBeGone) return '/dev/null';
    throw error;
  }
}

/** Only where something can spill: the default directory is asked for anew each time, and that costs as much as all else here. */
function spillPlace({ stdio }: SubprocessSpawnSpec, settings: Settings): Pick<SpawnRequest, 'spillDirectory' | 'spillPrefix'> {
  const spills = [stdio.stdout, stdio.stderr].some((spec) => typeof spec === 'object' && spec.spill !== undefined);
  return spills ? { spillDirectory: settings.spillDirectory, spillPrefix: settings.spillName } : {};
}

function output(spec: OutputSpec): NativeOutput {
  return typeof spec === 'string' ? spec : { maxBytes: spec.maxBytes, spillMaxBytes: spec.spill?.maxBytes };
}
