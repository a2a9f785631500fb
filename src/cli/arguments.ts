import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_TIMER_DELAY_MS } from '../seam/limits.js';
import type { SubprocessLimits } from '../index.js';
import { parseSmallVerb, type SmallInvocation } from './small-verbs.js';
import { parseCount, parseSize, parseTime } from './units.js';
import { UsageError } from './usage-error.js';

/** The owners that `--owner` accepts. */
export const OWNERS = ['auto', 'cgroup', 'scope', 'subreaper', 'group'] as const;

/** What `holdfast run` was asked to do; every default is filled in. */
export interface RunOptions {
  /** Program and arguments; never empty. */
  readonly command: readonly [string, ...string[]];
  /** Bytes of each stream that stay in memory. */
  readonly tailBytes: number;
  /** Most bytes of a spill file, undefined for none. */
  readonly spillBytes: number | undefined;
  /** Milliseconds. */
  readonly graceMs: number;
  /** Milliseconds, undefined for no limit. */
  readonly timeoutMs: number | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly owner: (typeof OWNERS)[number];
  /** What the range may use; undefined for no limits. */
  readonly limits: SubprocessLimits | undefined;
  readonly json: boolean;
  /** No progress, and a report only of what went wrong with holdfast itself. */
  readonly quiet: boolean;
}

/** What `holdfast terminal` was asked to do. */
export type TerminalOptions = Pick<RunOptions, 'command' | 'graceMs' | 'cwd' | 'env' | 'owner'>;

type Verb = 'run' | 'terminal';

/** What `--help` can be asked about; each is a verb. */
export const TOPICS = ['run', 'terminal', 'tree', 'doctor', 'bench', 'completion'] as const;
export type Topic = (typeof TOPICS)[number];

export type Invocation =
  | { readonly kind: 'help'; readonly topic: 'general' | Topic }
  | { readonly kind: 'version' }
  | SmallInvocation
  | { readonly kind: 'run'; readonly options: RunOptions }
  | { readonly kind: 'terminal'; readonly options: TerminalOptions };

const RUN_OPTIONS = {
  tail: { type: 'string' },
  spill: { type: 'string' },
  grace: { type: 'string' },
  timeout: { type: 'string' },
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  owner: { type: 'string' },
  'limit-memory': { type: 'string' },
  'limit-processes': { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
type RunOptionName = keyof typeof RUN_OPTIONS;

/** The options of each verb, by their names in {@link RUN_OPTIONS}. */
export const OPTIONS_OF: Readonly<Record<Verb, readonly RunOptionName[]>> = {
  run: Object.keys(RUN_OPTIONS) as RunOptionName[],
  terminal: ['grace', 'cwd', 'env', 'owner', 'help'],
};

const EXAMPLES: Readonly<Record<Verb, string>> = { run: 'make -j2', terminal: 'bash' };

/**
 * Reads the words after the program's name. Nothing is looked up or started.
 * @throws UsageError
 */
export function parseInvocation(words: readonly string[]): Invocation {
  const [verb, ...rest] = words;
  if (verb === 'run' || verb === 'terminal') return parseCommand(verb, rest);
  if (verb === 'tree' || verb === 'doctor' || verb === 'bench' || verb === 'completion') {
    return rest.includes('--help') || rest.includes('-h') ? { kind: 'help', topic: verb } : parseSmallVerb(verb, rest);
  }
  if (verb === '--help' || verb === '-h' || verb === 'help') return { kind: 'help', topic: topicOf(rest[0]) };
  if (verb === '--version' || verb === '-V') return { kind: 'version' };
  if (verb === undefined) throw new UsageError('nothing to do; write holdfast run -- command');
  if (verb.startsWith('-')) throw new UsageError(`unknown option ${verb}; options of a run stand after the word run`);
  throw new UsageError(`unknown word ${JSON.stringify(verb)}; write holdfast run -- ${words.join(' ')}`);
}

function topicOf(word: string | undefined): 'general' | Topic {
  return TOPICS.find((topic) => topic === word) ?? 'general';
}

function parseCommand(verb: Verb, words: readonly string[]): Invocation {
  // The strict mode of parseArgs would also judge the command's own options. So its tokens are read here, and the command
  // starts behind `--` or, as with env(1) and timeout(1), at the first word that is no option.
  const { tokens } = parseArgs({ args: [...words], options: RUN_OPTIONS, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<RunOptionName, string>();
  const env: Record<string, string> = Object.create(null) as Record<string, string>;
  let command: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') {
      command = words.slice(token.kind === 'positional' ? token.index : token.index + 1);
      break;
    }
    if (!isOption(verb, token.name)) throw new UsageError(`unknown option ${token.rawName}${suggestion(verb, token.name)}`);
    if (token.name === 'help') return { kind: 'help', topic: verb };
    const value = optionValue(token.name, token.value, token.inlineValue === true);
    if (token.name === 'env') setVariable(env, value);
    else values.set(token.name, value);
  }
  const [program, ...args] = command;
  if (program === undefined) throw new UsageError(`no command given; write it after --, for example holdfast ${verb} -- ${EXAMPLES[verb]}`);
  if (program === '') throw new UsageError('the command is an empty word; give the name or path of a program');
  const options = runOptions(values, env, [program, ...args]);
  if (verb === 'run') return { kind: 'run', options };
  return { kind: 'terminal', options: { command: options.command, graceMs: options.graceMs, cwd: options.cwd, env, owner: options.owner } };
}

function runOptions(values: ReadonlyMap<RunOptionName, string>, env: Record<string, string>, command: readonly [string, ...string[]]): RunOptions {
  const read = <T>(name: RunOptionName, parse: (text: string) => T): T | undefined => {
    const text = values.get(name);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      throw new UsageError(`--${name} ${text}: ${(error as Error).message}`);
    }
  };
  const time = (text: string): number => parseTime(text, MAX_TIMER_DELAY_MS);
  return {
    command,
    tailBytes: read('tail', parseSize) ?? 64 * 1024,
    spillBytes: read('spill', parseSize),
    graceMs: read('grace', time) ?? 5000,
    timeoutMs: read('timeout', time),
    cwd: resolve(read('cwd', nonEmpty) ?? '.'),
    env,
    owner: read('owner', ownerKind) ?? 'auto',
    limits: limitsOf(read('limit-memory', parseSize), read('limit-processes', parseCount)),
    json: values.has('json'),
    quiet: values.has('quiet'),
  };
}

function limitsOf(memoryBytes: number | undefined, processes: number | undefined): SubprocessLimits | undefined {
  return memoryBytes === undefined && processes === undefined ? undefined : { memoryBytes, processes };
}

function optionValue(name: RunOptionName, value: string | undefined, inline: boolean): string {
  if (RUN_OPTIONS[name].type === 'boolean') {
    if (value !== undefined) throw new UsageError(`--${name} takes no value`);
    return '';
  }
  // parseArgs would take the next option for a forgotten value.
  if (value === undefined || (!inline && value.startsWith('-'))) throw new UsageError(`--${name} needs a value`);
  return value;
}

function setVariable(env: Record<string, string>, text: string): void {
  const split = text.indexOf('=');
  if (split < 1) throw new UsageError(`--env ${text}: write NAME=VALUE`);
  env[text.slice(0, split)] = text.slice(split + 1);
}

function nonEmpty(text: string): string {
  if (text === '') throw new RangeError('is empty; give a directory');
  return text;
}

function ownerKind(text: string): RunOptions['owner'] {
  const kind = OWNERS.find((known) => known === text);
  if (kind === undefined) throw new RangeError(`is no owner; choose ${OWNERS.join(', ')}`);
  return kind;
}

function isOption(verb: Verb, name: string): name is RunOptionName {
  return OPTIONS_OF[verb].some((known) => known === name);
}

/** The option that was probably meant: the same letters in another order, or one the other's beginning. */
function suggestion(verb: Verb, name: string): string {
  const letters = (word: string): string => [...word].sort().join('');
  const near = OPTIONS_OF[verb].find(
    (known) => name.length > 1 && (letters(known) === letters(name) || known.startsWith(name) || name.startsWith(known)),
  );
  return near === undefined ? `; holdfast ${verb} --help lists them` : `; did you mean --${near}?`;
}
