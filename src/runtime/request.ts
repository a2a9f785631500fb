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
 * one that crosses alone costs more than joining all of them. Properties are set one by one: spreading parts into a whole
 * would cost more than the parts.
 */
export function buildRequest(spec: SubprocessSpawnSpec, settings: Settings): SpawnRequest {
  const { stdin, stdout, stderr, control } = spec.stdio;
  const request = launchRequest(spec, settings);
  request.stdin = stdin;
  request.stdout = output(stdout);
  request.stderr = output(stderr);
  if (control === 'pipe') {
    request.control = true;
    // A marker of the host is never inherited and a caller may not set one, so this cannot be the second.
    request.env += `${settings.controlMarker}=pipe\0`;
  }
  if (spec.limits !== undefined) request.limits = limits(spec.limits);
  if (spills(stdout) || spills(stderr)) {
    request.spillDirectory = settings.spillDirectory;
    request.spillPrefix = settings.spillName;
  }
  return request;
}

/** The same for a launch on a terminal, which is all the streams that there are. */
export function buildTerminalRequest(spec: Launch & { readonly terminal: { rows: number; cols: number } }, settings: Settings): SpawnRequest {
  const request = launchRequest(spec, settings);
  request.terminal = spec.terminal;
  return request;
}

function launchRequest(spec: Launch, settings: Settings): SpawnRequest {
  const absolute = isAbsolute(spec.cwd);
  const hostCwd = hostDirectory(absolute);
  const { env, inherit, unset, path } = environmentRequest(settings.prefix, spec.env, settings.parentEnv);
  return {
    argv: `${spec.argv.join('\0')}\0`,
    env,
    inherit,
    unset,
    path,
    // Not normalised: `link/..` is where the link leads to, which only the kernel knows.
    cwd: absolute ? spec.cwd : `${hostCwd}/${spec.cwd}`,
    hostCwd,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    control: false,
    graceMs: spec.graceMs,
    owners: settings.owners.join(),
    named: settings.named,
    mayWeaken: settings.mayWeaken,
  };
}

/** Microseconds of the period over which the kernel counts processor time. */
const CPU_PERIOD = 100_000;

function limits({ memoryBytes, processes, cpus }: SubprocessLimits): NonNullable<SpawnRequest['limits']> {
  return { memoryBytes, processes, cpuMicroseconds: cpus === undefined ? undefined : Math.round(cpus * CPU_PERIOD) };
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

function spills(spec: OutputSpec): boolean {
  return typeof spec === 'object' && spec.spill !== undefined;
}

function output(spec: OutputSpec): NativeOutput {
  return typeof spec === 'string' ? spec : { maxBytes: spec.maxBytes, spillMaxBytes: spec.spill?.maxBytes };
}
