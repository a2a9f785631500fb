import { isAbsolute } from 'node:path';
import type { Binding, NativeRange, RequestExtras } from '../binding.js';
import { OUTPUT_CODE, REQUEST_NUMBER, REQUEST_NUMBERS } from '../binding.js';
import type { EnvironmentOverrides } from '../seam/environment.js';
import type { OutputSpec, SubprocessLimits, SubprocessSpawnSpec, SubprocessStdio } from '../seam/spec.js';
import { environmentTexts, inheritsEnvironment } from './environment-request.js';
import type { Settings } from './options.js';

/** What every launch has. */
interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: EnvironmentOverrides | undefined;
  readonly graceMs: number;
}

/** Read by the addon during the call, and never after: one serves all spawns of a thread. */
const numbers = new Float64Array(REQUEST_NUMBERS);

/**
 * Hands a checked specification to the addon: as one string, one array of numbers, and an object only where there is
 * something unusual, because each property that the addon asks for by name costs as much as joining all strings.
 */
export function requestLaunch(binding: Binding, spec: SubprocessSpawnSpec, settings: Settings): NativeRange {
  const { stdin, stdout, stderr, control } = spec.stdio;
  numbers[REQUEST_NUMBER.stdinPipe] = stdin === 'pipe' ? 1 : 0;
  numbers[REQUEST_NUMBER.stdout] = capacity(stdout);
  numbers[REQUEST_NUMBER.stderr] = capacity(stderr);
  numbers[REQUEST_NUMBER.stdoutSpill] = spillCapacity(stdout);
  numbers[REQUEST_NUMBER.stderrSpill] = spillCapacity(stderr);
  return request(binding, spec, settings, control === 'pipe' ? `${settings.controlMarker}=pipe\0` : '', extras(spec.stdio, spec.limits, settings));
}

/** The same for a launch on a terminal, which is all the streams that there are. */
export function requestTerminal(binding: Binding, spec: Launch, terminal: { rows: number; cols: number }, settings: Settings): NativeRange {
  return request(binding, spec, settings, '', { terminal });
}

function request(binding: Binding, spec: Launch, settings: Settings, marker: string, more: RequestExtras | undefined): NativeRange {
  const { prefix, parentEnv, owners } = settings;
  const absolute = isAbsolute(spec.cwd);
  const hostCwd = hostDirectory(absolute);
  // Not normalised: `link/..` is where the link leads to, which only the kernel knows.
  const cwd = absolute ? spec.cwd : `${hostCwd}/${spec.cwd}`;
  const inherits = inheritsEnvironment(parentEnv);
  const environment = environmentTexts(inherits, prefix, spec.env, parentEnv, marker);
  numbers[REQUEST_NUMBER.grace] = spec.graceMs;
  numbers[REQUEST_NUMBER.named] = settings.named;
  numbers[REQUEST_NUMBER.mayWeaken] = settings.mayWeaken ? 1 : 0;
  numbers[REQUEST_NUMBER.inherits] = inherits ? 1 : 0;
  return new binding.Range(`${cwd}\0${hostCwd}\0${owners.join()}\0${environment}${spec.argv.join('\0')}\0`, numbers, more);
}

function capacity(spec: OutputSpec): number {
  if (spec === 'inherit') return OUTPUT_CODE.inherit;
  return spec === 'pipe' ? OUTPUT_CODE.pipe : spec.maxBytes;
}

function spillCapacity(spec: OutputSpec): number {
  return typeof spec === 'object' && spec.spill !== undefined ? spec.spill.maxBytes : -1;
}

function extras({ stdin, stdout, stderr, control }: SubprocessStdio, limited: SubprocessLimits | undefined, settings: Settings): RequestExtras | undefined {
  const data = typeof stdin === 'object' ? stdin.data : undefined;
  const spills = spillCapacity(stdout) >= 0 || spillCapacity(stderr) >= 0;
  if (data === undefined && control === undefined && limited === undefined && !spills) return undefined;
  return {
    data,
    control: control === 'pipe',
    ...(limited === undefined ? {} : { limits: limits(limited) }),
    ...(spills ? { spillDirectory: settings.spillDirectory, spillPrefix: settings.spillName } : {}),
  };
}

/** Microseconds of the period over which the kernel counts processor time. */
const CPU_PERIOD = 100_000;

function limits({ memoryBytes, processes, cpus }: SubprocessLimits): NonNullable<RequestExtras['limits']> {
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
