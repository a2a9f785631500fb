import type { EnvironmentOverrides } from '../seam/environment.js';
import { checkEntry, mergedEnvironment, pathOf, scrubbedParentEnv } from '../seam/environment.js';
import type { HarnessParts } from './harness-parts.js';

/**
 * Where `process.env` is the environment of the process, the addon scrubs and merges that in one pass: reading sixty
 * variables through `process.env` costs more than all the rest of a spawn's JavaScript. Elsewhere (a worker's copy, an
 * object that a test runner has put there) the environment is what JavaScript sees, and where a harness has a scrub of its
 * own, what that returns.
 */
export function inheritsEnvironment(parentEnv: HarnessParts['parentEnv']): boolean {
  return parentEnv === undefined && isProcessEnvironment(process.env);
}

/**
 * Three of the texts of a `RangeConstructor`: prefix or PATH, names that are taken out, entries. `marker`: an entry of ours,
 * or ''. A marker of the host is never inherited and a caller may not set one, so it cannot be the second.
 */
export function environmentTexts(inherits: boolean, prefix: string, env: EnvironmentOverrides | undefined, parentEnv: HarnessParts['parentEnv'], marker: string): string {
  if (!inherits) {
    const merged = mergedEnvironment(parentEnv === undefined ? scrubbedParentEnv(prefix) : parentEnv(), env);
    const entries = joined(merged);
    return `${pathOf(merged)}\0\0${entries}${marker}\0`;
  }
  let set = '';
  let unset = '';
  if (env !== undefined) {
    for (const name of Object.keys(env)) {
      const value = env[name];
      if (value === undefined) unset += `${name}\0`;
      else set += `${name}=${value}\0`;
    }
  }
  return `${prefix}\0${unset}\0${set}${marker}\0`;
}

let examined: NodeJS.ProcessEnv | undefined;
let genuine = false;

/**
 * Node's own `process.env` of the main thread. It is the only object that refuses a symbol as a name (the rest of it can
 * be imitated), and this changes nothing in it; in an imitation the symbol is taken away again.
 */
function isProcessEnvironment(env: NodeJS.ProcessEnv): boolean {
  if (env === examined) return genuine;
  examined = env;
  genuine = process.platform !== 'win32' && process.getBuiltinModule('node:worker_threads').isMainThread && !acceptsSymbol(env);
  return genuine;
}

function acceptsSymbol(env: object): boolean {
  const probe = Symbol('probe');
  try {
    return Reflect.set(env, probe, '');
  } catch {
    return false;
  } finally {
    Reflect.deleteProperty(env, probe);
  }
}

function joined(env: Readonly<Record<string, string>>): string {
  let block = '';
  for (const name in env) {
    checkEntry(name, env[name]);
    block += `${name}=${env[name]}\0`;
  }
  return block;
}
