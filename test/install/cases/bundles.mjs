// A bundle with prebuilds/ beside it, run in a folder where there is no node_modules.
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertWork, CANNOT, installed } from '../consumer.mjs';
import { tool } from '../tools.mjs';

const ENTRY = "import * as holdfast from 'holdfast';\nimport { work } from './work.mjs';\nwork(holdfast).then((answer) => console.log(answer));\n";

/** Bundles the entry into out/<file> by `bundle(context, paths)`, and runs the file there by `run`, else by Node. */
const bundled = (name, file, bundle, { run, expected, important = false, seconds = 120 } = {}) => ({
  name, seconds, important,
  async run(context) {
    await installed(context);
    const { folder, call } = context;
    const out = join(folder, 'elsewhere');
    mkdirSync(out);
    writeFileSync(join(folder, 'entry.mjs'), ENTRY);
    await bundle(context, { entry: join(folder, 'entry.mjs'), out, file: join(out, file) });
    cpSync(join(folder, 'node_modules', 'holdfast', 'prebuilds'), join(out, 'prebuilds'), { recursive: true });
    // Nothing of the build may be needed.
    renameSync(join(folder, 'node_modules'), join(folder, 'gone'));
    const [program, ...args] = run ? await run(context, join(out, file)) : [process.execPath, join(out, file)];
    return assertWork((await call(program, args, { cwd: '/' })).out, { below: out, expected });
  },
});

const esbuild = (format) => async (context, { entry, file }) => {
  await context.call(await tool('esbuild', context), [entry, '--bundle', '--platform=node', `--format=${format}`, '--external:node-pty', `--outfile=${file}`]);
};

async function rollup(context, { entry, file }) {
  const program = await tool('rollup', context);
  const home = join(program, '..', '..', '..', '..');
  writeFileSync(join(context.folder, 'rollup.config.mjs'), `
    import resolve from ${JSON.stringify(join(home, '@rollup', 'plugin-node-resolve', 'dist', 'es', 'index.js'))};
    export default { input: ${JSON.stringify(entry)}, output: { file: ${JSON.stringify(file)}, format: 'es', inlineDynamicImports: true }, external: ['node-pty'], plugins: [resolve({ preferBuiltins: true })] };\n`);
  await context.call(process.execPath, [program, '-c', 'rollup.config.mjs']);
}

async function webpack(context, { entry, out }) {
  const home = await tool('webpack', context);
  writeFileSync(join(context.folder, 'build.cjs'), `
    require(${JSON.stringify(home)})({
      mode: 'production', target: 'node20', entry: ${JSON.stringify(entry)}, externals: { 'node-pty': 'commonjs node-pty' },
      output: { path: ${JSON.stringify(out)}, filename: 'bundle.cjs' },
    }, (error, stats) => {
      if (error || stats.hasErrors()) { console.error(error ?? stats.toString()); process.exit(1); }
    });\n`);
  await context.call(process.execPath, ['build.cjs']);
}

/** Node's own way since 26: one call makes the executable. */
async function singleExecutable(context, { entry, out, file }) {
  const bundle = join(context.folder, 'bundle.cjs');
  await esbuild('cjs')(context, { entry, file: bundle });
  const config = join(context.folder, 'sea.json');
  writeFileSync(config, JSON.stringify({ main: bundle, output: file, disableExperimentalSEAWarning: true }));
  await context.call(await tool('node-26', context), ['--build-sea', config], { cwd: out });
}

const compiledByBun = async (context, { entry, file }) => {
  await context.call(await tool('bun', context), ['build', '--compile', '--external', 'node-pty', entry, '--outfile', file]);
};

export default [
  bundled('esbuild, esm', 'bundle.mjs', esbuild('esm'), { important: true }),
  bundled('esbuild, cjs', 'bundle.cjs', esbuild('cjs'), { important: true }),
  bundled('rollup', 'bundle.mjs', rollup, { important: true }),
  bundled('webpack', 'bundle.cjs', webpack, { important: true }),
  bundled('a single executable by Node 26', 'a-program-of-another-name', singleExecutable, { run: (_context, file) => [file], important: true, seconds: 180 }),
  bundled('a single executable by Bun', 'another-program', compiledByBun, { run: (_context, file) => [file], expected: CANNOT.bun }),
];
