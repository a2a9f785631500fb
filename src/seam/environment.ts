import { wrongType, wrongValue } from './errors.js';
import { DEFAULT_PREFIX } from './limits.js';

/** Names of variables that usually hold a credential. A heuristic on names: it also drops `KEYBOARD_LAYOUT`, and keeps `PGPASSFILE`. */
export const SENSITIVE_ENV_PATTERN: RegExp = /KEY|PASSWORD|SECRET|TOKEN/i;

/** Paths to another binary or warden: a child that uses this package must use the same ones. */
const PASSED_ON = new Set(['HOLDFAST_BINDING', 'HOLDFAST_WARDEN']);

/** Entries for a child: a string is set as it is, `undefined` removes what would be inherited. */
export type EnvironmentOverrides = Readonly<Record<string, string | undefined>>;

/** What has been decided about a name, a prefix: asking each time would be a third of the cost of a spawn. */
const decisions = new Map<string, Map<string, boolean>>();
/** A host that keeps making up names must not make us remember them all. */
const MOST_NAMES = 4096;

function decisionsFor(prefix: string): Map<string, boolean> {
  let known = decisions.get(prefix);
  if (known === undefined || known.size > MOST_NAMES) decisions.set(prefix, (known = new Map()));
  return known;
}

function isInherited(name: string, prefix: string): boolean {
  if (SENSITIVE_ENV_PATTERN.test(name)) return false;
  return !name.toUpperCase().startsWith(prefix.toUpperCase()) || PASSED_ON.has(name);
}

/** Calls `use` for each variable of the host that children inherit. Read at the call. */
function forEachInherited(prefix: string, use: (name: string, value: string) => void): void {
  const known = decisionsFor(prefix);
  const { env } = process;
  // getOwnPropertyNames: Object.keys and for-in ask for each name a second time, which is half the cost of a spawn.
  for (const name of Object.getOwnPropertyNames(env)) {
    let inherited = known.get(name);
    if (inherited === undefined) known.set(name, (inherited = isInherited(name, prefix)));
    if (!inherited) continue;
    const value = env[name];
    if (value !== undefined) use(name, value);
  }
}

/**
 * The host's environment as children get it by default: without names that match {@link SENSITIVE_ENV_PATTERN} and
 * without names that begin with the managed prefix, in any case. Read at the call. The object is the caller's.
 */
export function scrubbedParentEnv(prefix: string = DEFAULT_PREFIX): Record<string, string> {
  const env: Record<string, string> = {};
  forEachInherited(prefix, (name, value) => define(env, name, value));
  return env;
}

/**
 * {@link scrubbedParentEnv}, or what `parentEnv` returns in its place, with `env` merged over it. On Windows, names match in any case and the caller's spelling
 * stays. Throws a TypeError for a name that is empty or has '=' or NUL in it, and for a value that is not a string or
 * has NUL in it.
 */
export function childEnvironment(prefix: string = DEFAULT_PREFIX, env?: EnvironmentOverrides, parentEnv?: () => Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env ?? {})) checkEntry(name, value);
  return mergedEnvironment(parentEnv === undefined ? scrubbedParentEnv(prefix) : parentEnv(), env);
}

/** `merged`, which is changed, with entries over it that have been checked. */
export function mergedEnvironment(merged: Record<string, string>, env: EnvironmentOverrides | undefined): Record<string, string> {
  if (env === undefined) return merged;
  const anyCase = process.platform === 'win32';
  for (const [name, value] of Object.entries(env)) {
    if (anyCase) removeAnyCase(merged, name);
    if (value === undefined) delete merged[name];
    else define(merged, name, value);
  }
  return merged;
}

/** Value of PATH in a child's environment; '' when there is none. The exact spelling wins over other ones on Windows. */
export function pathOf(env: Readonly<Record<string, string>>): string {
  return variableOf(env, 'PATH');
}

/** The same for any variable whose name is written in upper case. */
export function variableOf(env: Readonly<Record<string, string>>, name: string): string {
  const exact = env[name];
  if (exact !== undefined || process.platform !== 'win32') return exact ?? '';
  const spelt = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return spelt === undefined ? '' : (env[spelt] ?? '');
}

/** Throws when an entry cannot become part of an environment. The value stays out of the message: it may be a credential. */
export function checkEntry(name: string, value: unknown): void {
  if (name !== '' && !name.includes('=') && !name.includes('\0') && (value === undefined || (typeof value === 'string' && !value.includes('\0')))) return;
  const property = `options.env['${name}']`;
  if (name === '' || name.includes('=')) throw wrongValue(`The property '${property}' needs a name that is not empty and has no '=' in it`);
  if (value === undefined) throw wrongValue(`The property '${property}' must have a name without null bytes`);
  if (typeof value !== 'string') throw wrongType(property, 'a string, or undefined to remove the variable', value);
  throw wrongValue(`The property '${property}' must be a string without null bytes`);
}

function removeAnyCase(env: Record<string, string>, name: string): void {
  const wanted = name.toUpperCase();
  for (const present of Object.keys(env)) if (present.toUpperCase() === wanted) delete env[present];
}

/** Plain assignment of `__proto__` would change the object's prototype and lose the variable. */
function define(env: Record<string, string>, name: string, value: string): void {
  if (name !== '__proto__') env[name] = value;
  else Object.defineProperty(env, name, { value, enumerable: true, configurable: true, writable: true });
}
