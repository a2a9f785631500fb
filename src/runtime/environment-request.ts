import { isMainThread } from 'node:worker_threads';
import type { SpawnRequest } from '../binding.js';
import type { EnvironmentOverrides } from '../seam/environment.js';
import { mergedEnvironment, pathOf, scrubbedParentEnv } from '../seam/environment.js';
import type { HarnessParts } from './harness-parts.js';

/** The environment of a child, as the addon takes it. */
export type EnvironmentRequest = Pick<SpawnRequest, 'inherit' | 'env' | 'unset' | 'path'>;

/**
 * Where `process.env` is the environment of the process, the addon scrubs and merges that in one pass: reading sixty
 * variables through `process.env` costs more than all the rest of a spawn's JavaScript. Elsewhere (a worker's copy, an
 * object that a test runner has put there) the environment is what JavaScript sees, and where a harness has a scrub of its
 * own, what that returns.
 */
export function environmentRequest(prefix: string, env: EnvironmentOverrides | undefined, parentEnv?: HarnessParts['parentEnv']): EnvironmentRequest {
  if (parentEnv !== undefined || !isProcessEnvironment(process.env)) {
    const merged = mergedEnvironment(parentEnv === undefined ? scrubbedParentEnv(prefix) : parentEnv(), env);
    return { env: joined(merged), path: pathOf(merged) };
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
  return { inherit: prefix, env: set, unset };
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
  genuine = process.platform !== 'win32' && isMainThread && !acceptsSymbol(env);
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
  for (const name in env) block += `${name}=${env[name]}\0`;
  return block;
}
