import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { OwnerKind } from '../binding.js';
import { outOfRange, wrongType, wrongValue } from '../seam/errors.js';
import { DEFAULT_PREFIX } from '../seam/limits.js';
import type { DiagnosticsDetail } from './diagnostics.js';
import type { HarnessParts } from './harness-parts.js';
import { ownParts } from './harness-parts.js';

/**
 * Which owner a command must have. A kind, or a list of which the first available wins, is a requirement: where none is
 * available `done` rejects with `OWNER_UNAVAILABLE`. `'auto'`, alone or last in a list, goes on to what works here; when
 * that is `'group'`, which proves nothing, it says so in one warning.
 */
export type OwnershipSpec = 'auto' | OwnerKind | readonly ('auto' | OwnerKind)[];

/** Which owner holds commands although a stronger one was asked for first. */
export interface WeakerOwner {
  readonly owner: OwnerKind;
  /** Why each stronger one cannot be used, in one line. */
  readonly reason: string;
}

/** `weaker`: absent when the message is about something else. */
export type WarningListener = (message: string, weaker?: WeakerOwner) => void;

export type TerminalBackend = 'native' | 'node-pty';

export interface LocalSubprocessRuntimeOptions {
  /**
   * Start of the names of variables that belong to the harness and are not passed on to children, in any case. Letters,
   * digits and '_'. Default `HOLDFAST_`.
   */
  readonly prefix?: string | undefined;
  /** Default `'auto'`. */
  readonly ownership?: OwnershipSpec | undefined;
  /** Where the private directory for spill files is made when the first one is needed. Default: `os.tmpdir()` at the spawn. */
  readonly spillDirectory?: string | undefined;
  /** Remove this runtime's spill files when it is disposed. Default false: whoever got a path may read it later. */
  readonly removeSpillOnDispose?: boolean | undefined;
  /**
   * At the first spawn, remove spill files in `spillDirectory` that ended hosts have left and that were last written
   * more than this many milliseconds ago. A non-negative finite number. Default: keep them.
   */
  readonly spillMaxAgeMs?: number | undefined;
  /**
   * What terminals are made of. `native`: our own, held like any command. `node-pty`: the optional dependency of that
   * name, which sees no process that has left its session, gives bytes that are no UTF-8 as U+FFFD, and can lose the end of
   * output that nobody reads for 200 ms.
   * Default `native`; on macOS `node-pty`.
   */
  readonly terminalBackend?: TerminalBackend | undefined;
  /** What the `holdfast:*` events of `node:diagnostics_channel` say beside plain facts. Default: no argument, no environment. */
  readonly diagnostics?: DiagnosticsDetail | undefined;
  /** Told once when `'auto'` has to take an owner that proves nothing, before the first such command. Default: `process.emitWarning`. */
  readonly onWarning?: WarningListener | undefined;
}

/** Checked options with their defaults, and what the harness puts in the place of ours. */
export interface Settings extends HarnessParts {
  readonly prefix: string;
  readonly owners: readonly OwnerKind[];
  /** How many of the owners were named; the rest are those of `'auto'`. */
  readonly named: number;
  readonly mayWeaken: boolean;
  readonly spillDirectory: string;
  readonly removeSpillOnDispose: boolean;
  readonly spillMaxAgeMs: number | undefined;
  readonly terminalBackend: TerminalBackend;
  readonly diagnostics: DiagnosticsDetail;
  readonly onWarning: WarningListener;
}

/** What `'auto'` stands for, strongest first. A Job is all that there is on Windows, and always there; macOS has groups only. */
function auto(): readonly OwnerKind[] {
  if (process.platform === 'win32') return ['job'];
  return process.platform === 'darwin' ? ['group'] : ['cgroup', 'scope', 'subreaper', 'group'];
}
const KINDS: readonly string[] = ['cgroup', 'scope', 'subreaper', 'job', 'group'] satisfies OwnerKind[];

/** Throws a TypeError or RangeError that names the option. */
export function checkOptions(options: LocalSubprocessRuntimeOptions, parts?: HarnessParts): Settings {
  if (typeof options !== 'object' || options === null) throw wrongType('options', 'an object', options);
  const { prefix = DEFAULT_PREFIX, spillDirectory, removeSpillOnDispose = false, spillMaxAgeMs, terminalBackend, diagnostics = {}, onWarning = warnOnce } = options;
  if (typeof prefix !== 'string') throw wrongType('options.prefix', 'a string', prefix);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) {
    throw wrongValue(`The property 'options.prefix' must be the start of a variable name, such as '${DEFAULT_PREFIX}'. Received ${JSON.stringify(prefix)}`);
  }
  if (typeof removeSpillOnDispose !== 'boolean') throw wrongType('options.removeSpillOnDispose', 'a boolean', removeSpillOnDispose);
  if (typeof onWarning !== 'function') throw wrongType('options.onWarning', 'a function', onWarning);
  if (typeof diagnostics !== 'object' || diagnostics === null) throw wrongType('options.diagnostics', 'an object with argv or env', diagnostics);
  checkAge(spillMaxAgeMs);
  const directory = spillDirectory === undefined ? undefined : checkDirectory(spillDirectory);
  const all = parts ?? ownParts(prefix);
  return {
    ...all,
    prefix,
    ...checkOwnership(options.ownership ?? 'auto'),
    // A host may change TMPDIR while it runs; what is named by an option stays where it was meant.
    get spillDirectory() {
      return directory ?? resolve(tmpdir(), all.spillFolder);
    },
    removeSpillOnDispose,
    spillMaxAgeMs,
    terminalBackend: checkBackend(terminalBackend),
    diagnostics: { argv: diagnostics.argv, env: diagnostics.env },
    onWarning,
  };
}

function checkOwnership(ownership: OwnershipSpec): Pick<Settings, 'owners' | 'named' | 'mayWeaken'> {
  const asked = typeof ownership === 'string' ? [ownership] : ownership;
  if (!Array.isArray(asked)) throw wrongType('options.ownership', `'auto', an owner kind or a list of them`, ownership);
  const owners = new Set<OwnerKind>();
  let named: number | undefined;
  for (const [at, kind] of (asked as readonly unknown[]).entries()) {
    if (kind === 'auto') {
      if (at !== asked.length - 1) throw wrongValue("The property 'options.ownership' may have 'auto' only as its last item");
      named = owners.size;
      for (const each of auto()) owners.add(each);
    } else if (KINDS.includes(kind as string)) {
      owners.add(kind as OwnerKind);
    } else {
      throw wrongValue(`The property 'options.ownership' must name 'auto' or one of ${KINDS.join(', ')}. Received ${JSON.stringify(kind)}`);
    }
  }
  if (owners.size === 0) throw wrongValue("The property 'options.ownership' must name at least one owner; an empty list allows none");
  return { owners: [...owners], named: named ?? owners.size, mayWeaken: named !== undefined };
}

function checkBackend(backend: unknown): TerminalBackend {
  if (backend === undefined) return process.platform === 'darwin' ? 'node-pty' : 'native';
  if (backend === 'native' || backend === 'node-pty') return backend;
  throw wrongValue("The property 'options.terminalBackend' must be 'native' or 'node-pty'");
}

function checkDirectory(directory: unknown): string {
  if (typeof directory !== 'string') throw wrongType('options.spillDirectory', 'a string', directory);
  if (directory !== '' && !directory.includes('\0')) return resolve(directory);
  throw wrongValue("The property 'options.spillDirectory' must be a path that is not empty and has no null bytes");
}

function checkAge(age: number | undefined): void {
  if (age === undefined) return;
  if (typeof age !== 'number') throw wrongType('options.spillMaxAgeMs', 'a number of milliseconds', age);
  if (!Number.isFinite(age) || age < 0) throw outOfRange(`The property 'options.spillMaxAgeMs' must be a non-negative finite number of milliseconds. Received ${age}`);
}

const said = new Set<string>();

/** The default: each message once in this environment, however many runtimes it concerns. */
function warnOnce(message: string): void {
  if (said.has(message)) return;
  said.add(message);
  process.emitWarning(message, { type: 'HoldfastWarning', code: 'HOLDFAST_WEAKER_OWNER' });
}
