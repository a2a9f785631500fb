import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../host/main.mjs', import.meta.url));

/**
 * A Node process of its own in which one provider does its jobs (bench/host), so that contenders share neither heap nor
 * event loop, and so that the process that measures is not measured.
 *
 * `provider`: one of bench/host/providers.mjs. `owner` and `spillDirectory`: for holdfast. `node`: another Node than this one. `runtime`: `{ execPath, execArgv }` of something that is no Node. `user`: a
 * user id to run as. `heapMiB`: live JavaScript heap to hold. `env`: the whole environment.
 */
export async function startHost({ provider, owner, spillDirectory, node = process.execPath, runtime, user, heapMiB = 0, env = process.env }) {
  const child = fork(main, [JSON.stringify({ provider, owner, spillDirectory, heapMiB })], {
    ...(runtime ?? { execPath: node, execArgv: ['--expose-gc', `--max-old-space-size=${heapMiB + 2048}`] }),
    env,
    cwd: '/',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const broken = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the host of ${provider} ended: ${signal ?? code}`)));
  });
  broken.catch(() => {});
  const answer = async () => {
    const [message] = await Promise.race([once(child, 'message'), broken]);
    if (message.error !== undefined) throw new Error(`${provider}: ${message.error}`);
    return message.result;
  };
  await answer();
  return {
    pid: child.pid,
    /** Runs a job of bench/host/jobs.mjs there, and returns what it returned. One at a time. */
    do(job, options = {}) {
      child.send({ job, options });
      return answer();
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.send({ job: 'end', options: {} });
      await gone;
    },
  };
}

/** Starts hosts, gives them to `use`, and ends them whatever happens. `wanted`: label → options of {@link startHost}. */
export async function withHosts(wanted, use) {
  const hosts = {};
  try {
    for (const [label, options] of Object.entries(wanted)) hosts[label] = await startHost(options);
    return await use(hosts);
  } finally {
    await Promise.all(Object.values(hosts).map((host) => host.end()));
  }
}
