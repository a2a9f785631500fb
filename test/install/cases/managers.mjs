// Each package manager installs the tarball in an empty folder as it does by itself, with scripts blocked where that is not
// its own choice, says nothing of scripts, and what it has installed works.
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSilent, assertWork, layConsumer } from '../consumer.mjs';
import { tool } from '../tools.mjs';

/** Installs, runs the work, and runs the command. */
async function check(context, { runner, install, env, work = ['esm.mjs'], command }) {
  const { call } = context;
  const { all } = await call(runner[0], [...runner.slice(1), ...install], { env });
  assertSilent(all);
  const [program, ...args] = command ?? [join('node_modules', '.bin', 'holdfast')];
  const { out } = await call(program, [...args, 'run', '--', 'echo', 'through the command'], { env });
  assert.match(out, /through the command/);
  const answer = command ? await call(program, [...args.slice(0, -1), 'node', ...work], { env }) : await call(process.execPath, work, { env });
  return assertWork(answer.out);
}

const npm = (version, { node, extra = [], important = false }) => ({
  name: `npm ${version}${extra.length ? ` ${extra.join(' ')}` : ''}`, seconds: 120, important,
  async run(context) {
    layConsumer(context.folder);
    const program = node ? await tool(node, context) : process.execPath;
    return check(context, {
      runner: [program, await tool(`npm-${version}`, context)],
      install: ['install', '--no-audit', '--no-fund', ...extra, context.tarball],
      env: { npm_config_update_notifier: 'false' },
    });
  },
});

const pnpm = (version, { node, important = false }) => ({
  name: `pnpm ${version}`, seconds: 120, important,
  async run(context) {
    layConsumer(context.folder);
    const file = await tool(`pnpm-${version}`, context);
    const runner = file.endsWith('.cjs') ? [node ? await tool(node, context) : process.execPath, file] : [file];
    return check(context, { runner, install: ['add', '--store-dir', join(context.folder, '.store'), context.tarball] });
  },
});

const yarn = (linker, important) => ({
  name: `yarn 4, ${linker}`, seconds: 120, important,
  async run(context) {
    layConsumer(context.folder);
    // A lockfile and a setting of its own: else it looks for a project in the folders above.
    writeFileSync(join(context.folder, 'yarn.lock'), '');
    writeFileSync(join(context.folder, '.yarnrc.yml'), `nodeLinker: ${linker}\nenableScripts: false\nenableTelemetry: false\nenableGlobalCache: false\n`);
    const runner = [process.execPath, await tool('yarn-4', context)];
    return check(context, {
      runner, install: ['add', `holdfast@file:${context.tarball}`],
      ...(linker === 'pnp' ? { command: [...runner, 'holdfast'] } : {}),
    });
  },
});

export default [
  {
    name: 'the tarball: no scripts, no build files, under 3 MB', seconds: 60, important: true,
    async run({ tarball, call }) {
      const { out } = await call('tar', ['-tzf', tarball]);
      const files = out.trim().split('\n').map((name) => name.replace('package/', ''));
      assert.ok(!files.some((name) => /(^|\/)(binding\.gyp|CMakeLists\.txt|.*\.(cc|h|ts))$/.test(name) && !name.endsWith('.d.ts')), 'it holds sources');
      assert.ok(files.some((name) => name.endsWith('.node')), 'it holds no binary');
      const { scripts, gypfile } = JSON.parse((await call('tar', ['-xOzf', tarball, 'package/package.json'])).out);
      assert.deepEqual(Object.keys(scripts).filter((name) => /install|prepare/.test(name)).filter((name) => !name.startsWith('test:')), []);
      assert.ok(!Object.values(scripts).some((text) => text.includes('node-gyp')), 'yarn would add node-gyp');
      assert.equal(gypfile, false);
      const { size } = statSync(tarball);
      assert.ok(size < 3_000_000, `${size} bytes`);
      return `${size} bytes`;
    },
  },
  npm(10, { extra: ['--ignore-scripts'] }),
  npm(11, { important: true }),
  npm(11, { extra: ['--ignore-scripts'] }),
  npm(12, { node: 'node-24', important: true }),
  pnpm(10, { important: true }),
  pnpm(12, { important: true }),
  {
    name: 'yarn 1', seconds: 120,
    async run(context) {
      layConsumer(context.folder);
      return check(context, { runner: [process.execPath, await tool('yarn-1', context)], install: ['add', '--ignore-scripts', '--silent', context.tarball] });
    },
  },
  yarn('node-modules', false),
  yarn('pnp', true),
  {
    name: 'bun', seconds: 120, important: true,
    async run(context) {
      layConsumer(context.folder);
      return check(context, { runner: [await tool('bun', context)], install: ['add', context.tarball] });
    },
  },
];
