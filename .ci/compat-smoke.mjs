// Runs in a folder where Holdfast is installed under the name of the harness's own provider.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Context } from '@deepseek-ai/cordis';
import Loader from '@deepseek-ai/cordis-plugin-loader';
import { SubprocessRuntime } from '@deepseek-ai/dsh-subprocess';
import Provider, { LocalSubprocessRuntime } from '@deepseek-ai/dsh-subprocess-local';
import * as invariant from '@deepseek-ai/dsh-subprocess-local/invariant';
import * as output from '@deepseek-ai/dsh-subprocess-local/output';
import manifest from '@deepseek-ai/dsh-subprocess-local/package.json' with { type: 'json' };
import * as runner from '@deepseek-ai/dsh-subprocess-local/runner';
import Holdfast from 'holdfast/dsh';

assert.equal(Provider, Holdfast);
assert.equal(LocalSubprocessRuntime, Holdfast);
assert.equal(output.default, Holdfast);
assert.equal(runner.default, Holdfast);
assert.equal(typeof invariant.apply, 'function');
assert.equal(manifest.name, 'holdfast-dsh-subprocess-local');

// The real loader, with the rows of a harness and nothing changed in them.
writeFileSync('cordis.yml', "- id: subprocess\n  name: '@deepseek-ai/dsh-subprocess-local'\n- id: bash\n  name: '@deepseek-ai/dsh-bash-local'\n");
const context = new Context();
context.baseUrl = pathToFileURL(`${process.cwd()}/`).href;
await context.plugin(Loader);
await context.loader.create({ name: '@deepseek-ai/cordis-plugin-include', config: { path: './cordis.yml' } });
await context.loader.await();
const [subprocess, shell] = [context.get('subprocess'), context.get('shell')];
// One copy of the seam: the host's.
assert.ok(subprocess instanceof SubprocessRuntime);
assert.ok(subprocess instanceof Holdfast);
const result = await shell.run(shell.resolve({ command: 'echo through the shell; exit 3' }));
assert.equal(result.exitCode, 3);
assert.equal(result.stdout.text, 'through the shell\n');

// And by composition, under our own name.
writeFileSync('other.yml', "- id: subprocess\n  name: 'holdfast/dsh'\n");
const other = new Context();
other.baseUrl = context.baseUrl;
await other.plugin(Loader);
await other.loader.create({ name: '@deepseek-ai/cordis-plugin-include', config: { path: './other.yml' } });
await other.loader.await();
assert.ok(other.get('subprocess') instanceof Holdfast);
console.log('composed, and run');
process.exit(0);
