import { installed } from './install.mjs';
import { root } from './compile.mjs';

const modules = `${root}build/bench/peers/node_modules/`;

/** The runtimes of tools/peers, as options of a host. */
const RUNTIMES = {
  bun: { execPath: `${modules}@oven/bun-linux-x64/bin/bun`, execArgv: [] },
  deno: { execPath: `${modules}@deno/linux-x64-glibc/deno`, execArgv: ['run', '-A', '--no-config'] },
};

/**
 * The contenders that tools/peers installs into build/: `{ hosts, versions }`, label → options of a host and label → version,
 * or `{ reason }`. `node` runs those that are libraries: some of them need a newer one than the package does.
 */
export function peerHosts(node) {
  const found = installed('peers');
  if (found.reason !== undefined) return found;
  const { dependencies } = found;
  return {
    hosts: {
      execa: { provider: 'execa', node },
      tinyexec: { provider: 'tinyexec', node },
      'Bun.spawn': { provider: 'bun', runtime: RUNTIMES.bun },
      'Deno.Command': { provider: 'deno', runtime: RUNTIMES.deno },
    },
    versions: { execa: dependencies.execa, tinyexec: dependencies.tinyexec, 'Bun.spawn': dependencies['@oven/bun-linux-x64'], 'Deno.Command': dependencies['@deno/linux-x64-glibc'] },
  };
}
