// The package.json of a host that has Holdfast under the name of the harness's provider, from two packed packages. What a
// published pair would need is only the alias; the override stands for the registry that does not have `holdfast` yet.
import { readFileSync } from 'node:fs';

const [holdfast, compat] = process.argv.slice(2).map((path) => `file:${path}`);
const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const harness = ['cordis', 'cordis-plugin-include', 'cordis-plugin-loader', 'dsh-bash-local', 'dsh-subprocess', 'dsh-timeout'].map((name) => `@deepseek-ai/${name}`);
console.log(JSON.stringify({
  name: 'host', private: true, type: 'module',
  dependencies: {
    ...Object.fromEntries(harness.map((name) => [name, devDependencies[name]])),
    // A peer of the harness's own packages; their range takes none of the pre-releases that there are.
    '@deepseek-ai/dsh-invariants': devDependencies['@deepseek-ai/dsh-subprocess'],
    '@deepseek-ai/dsh-subprocess-local': compat,
    holdfast,
  },
  overrides: { holdfast: '$holdfast' },
  pnpm: { overrides: { holdfast } },
}, null, 2));
