// Composes one provider, asks it everything of cases.mjs, and prints what was to be seen from outside, as one line of JSON.
// Arguments: the folder whose node_modules the harness comes from, the provider (a package of it, or a file), seed, count.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { listed, random } from './cases.mjs';

/** What the published form of the seam declares of a handle. */
const MEMBERS = ['pid', 'stdin', 'stdout', 'stderr', 'collected', 'done', 'terminate', 'waitForExit'];
const [home, provider, seed, count] = process.argv.slice(2);
const require = createRequire(`${home}/package.json`);
const load = (name) => import(pathToFileURL(name.startsWith('/') ? name : require.resolve(name)).href);
Object.assign(process.env, { AMBIENT: 'yes', MY_API_KEY: 'x', KEYBOARD_LAYOUT: 'x', DSH_HOME: 'x', dsh_other: 'x' });

const { Context } = await load('@deepseek-ai/cordis');
const { default: Provider } = await load(provider);
const ctx = new Context();
const logged = [];
ctx.logger.exporter({ levels: { default: 3 }, export: ({ type, args }) => logged.push(`${type}: ${String(args[0])}`) });
const fiber = await ctx.plugin(Provider);
const runtime = ctx.get('subprocess');

const results = {};
for (const one of [...listed(), ...random(Number(seed), Number(count))]) {
  results[one.name] = one.kind === 'resolve' ? await resolve(one) : await spawn(one);
  const lines = logged.splice(0);
  if (lines.length > 0) results[one.name].logged = lines;
}
await fiber.dispose();
console.log(JSON.stringify({ results, afterDisposal: { logged, service: ctx.get('subprocess') === undefined } }));

async function resolve({ command, env }) {
  return runtime.resolveExecutable(command, env).then((path) => ({ path }), (error) => ({ rejected: { name: error.name, message: error.message } }));
}

async function spawn({ spec, act, survivor }) {
  const controller = new AbortController();
  let handle;
  try {
    handle = runtime.spawn(act === 'abort' ? { ...spec, signal: controller.signal } : spec);
  } catch (error) {
    return { thrown: shape(error) };
  }
  const piped = Object.fromEntries(['stdout', 'stderr'].filter((name) => handle[name] != null).map((name) => [name, digestOf(handle[name])]));
  if (act !== undefined) {
    while (handle.collected.stdout.readFrom(0).text === '') await delay(5);
    if (act === 'await-then-terminate') await handle.done;
    if (act === 'abort') controller.abort();
    else handle.terminate();
  }
  const settled = await handle.done.then((outcome) => ({ outcome }), (error) => ({ rejected: shape(error) }));
  handle.terminate();
  const empty = await handle.waitForExit(AbortSignal.timeout(30_000));
  const members = Object.fromEntries(MEMBERS.map((name) => [name, typeof handle[name]]));
  const result = { members, ...settled, empty, collected: collected(handle) };
  for (const [name, digest] of Object.entries(piped)) result[name] = await digest;
  if (survivor) {
    // What it printed is the number of a process, and differs.
    const { stdout } = result.collected;
    result.survivor = await outlives(Number(stdout.text));
    result.collected.stdout = { lossy: stdout.lossy };
  }
  return result;
}

/** What a consumer can see of an error. */
function shape({ name, code, message, errno, syscall, path, spawnargs }) {
  return { name, code, message, errno, syscall, path, spawnargs };
}

async function digestOf(stream) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of stream) {
    hash.update(part);
    bytes += part.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

function collected(handle) {
  return Object.fromEntries(Object.entries(handle.collected).map(([name, reader]) => {
    const { text, nextOffset, lossy, spillPath, ...rest } = reader.readFrom(0);
    const spill = spillPath === undefined ? undefined : {
      sha256: createHash('sha256').update(readFileSync(spillPath)).digest('hex'), bytes: statSync(spillPath).size, mode: statSync(spillPath).mode & 0o777,
    };
    // Names have a random part.
    const { spillPath: again, ...beyond } = reader.readFrom(nextOffset + 10);
    return [name, { text, nextOffset, lossy, spill, rest, beyond, samePath: again === spillPath }];
  }));
}

/** Whether a process of the range is alive after the range is said to be empty; ends it then. */
async function outlives(pid) {
  await delay(50);
  if (!existsSync(`/proc/${pid}`)) return false;
  process.kill(pid, 'SIGKILL');
  return true;
}
