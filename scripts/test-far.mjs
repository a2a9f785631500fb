// npm run test:far [-- --quick] [-- words…]: the release binaries on systems that are not this one: another processor, another
// kernel, another C library. A case is a script of test/far that prints "=== far NAME: passed" as its last line, or
// "=== far NAME: skipped: WHY". --quick leaves out what takes more than a minute.
import { buildTypeScript, installPackages, requireNode } from './lib/prepare.mjs';
import { runCases, Skip } from './lib/cases.mjs';
import { Failure, inRoot, main } from './lib/tools.mjs';

const CASES = [
  { name: 'glibc-2.31', quick: true, what: "Debian 11's C library, this kernel" },
  { name: 'musl-core', quick: false, what: 'the native tests compiled for musl, this kernel' },
  { name: 'musl-bun', quick: true, what: 'Bun with musl, this kernel' },
  { name: 'arm64-user', quick: true, what: 'Node for arm64 in user emulation, this kernel' },
  { name: 'kernel-5.10', quick: false, what: "Debian 11's kernel and C library in a virtual machine" },
  { name: 'arm64-system', quick: false, what: "Debian 12's kernel for arm64 in an emulated machine" },
];

const asCase = ({ name, quick, what }) => ({
  name: `${name}: ${what}`, seconds: quick ? 285 : 1800,
  async run({ call, folder }) {
    const { out, all } = await call('bash', [inRoot('test', 'far', `${name}.sh`)], { cwd: inRoot(), env: { FAR_WORK: folder } });
    const [, verdict, why] = /^=== far \S+: (passed|skipped)(?:: (.*))?$/.exec(out.trim().split('\n').at(-1)) ?? [];
    if (verdict === 'skipped') throw new Skip(why);
    if (verdict !== 'passed') throw new Error(`no final line:\n${all.slice(-2000)}`);
    return out.trim().split('\n').slice(-3, -1).join('; ');
  },
});

await main(async () => {
  const words = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const cases = CASES.filter(({ name, quick }) =>
    (words.length > 0 ? words.some((word) => name.includes(word)) : quick || !process.argv.includes('--quick')));
  if (cases.length === 0) throw new Failure(`no such case; there are ${CASES.map(({ name }) => name).join(', ')}`);
  requireNode();
  installPackages();
  buildTypeScript();
  if (!await runCases('far', cases.map(asCase))) process.exitCode = 1;
});
