import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFailure } from '../../src/loader/failure.js';
import { libc } from '../../src/loader/libc.js';
import { loadBinding, NODE_API_VERSION } from '../../src/native.js';

// The loader decides once per process and by where its file lies: each case is a Node process of its own, over an
// installed package that the case lays out.
const repository = join(import.meta.dirname, '..', '..');
const tuple = `${process.platform}-${process.arch}`;
const shippedName = libc() === undefined ? 'holdfast.node' : `holdfast.${libc()}.node`;

let temp: string;
let root: string;

beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-native-test-')));
  root = join(temp, 'node_modules', 'holdfast');
  mkdirSync(root, { recursive: true });
  cpSync(join(repository, 'dist'), join(root, 'dist'), { recursive: true });
  copyFileSync(join(repository, 'package.json'), join(root, 'package.json'));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

const binary = (): string => loadBinding().path;
const place = (...to: string[]): string => {
  const file = join(...to);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(binary(), file);
  return file;
};

interface Answer {
  path?: string;
  napi?: number;
  libc?: string;
  wardenPath?: string;
  wardenOverride?: string;
  message?: string;
  code?: string;
}

function load(options: { env?: Record<string, string>; before?: string; entry?: string; args?: string[] } = {}): Answer {
  const script = `${options.before ?? ''}
    const { loadBinding } = await import(${JSON.stringify(options.entry ?? join(root, 'dist', 'native.js'))});
    try {
      const { binding, ...facts } = loadBinding();
      if (loadBinding().binding !== binding) throw new Error('loaded twice');
      console.log(JSON.stringify(facts));
    } catch ({ message, code }) {
      console.log(JSON.stringify({ message, code }));
    }`;
  const main = join(temp, 'main.mjs');
  writeFileSync(main, script);
  const env = { ...process.env, HOLDFAST_BINDING: '', HOLDFAST_WARDEN: '', ...options.env };
  const result = spawnSync(process.execPath, [...(options.args ?? []), main], { env, encoding: 'utf8', timeout: 90_000 });
  if (result.status !== 0) throw new Error(`node ended with ${result.status ?? result.signal}: ${result.stderr}`);
  return JSON.parse(result.stdout) as Answer;
}

describe('where the binary is found', () => {
  it('loads the prebuilt file of this platform and C library', () => {
    const file = place(root, 'prebuilds', tuple, shippedName);
    const answer = load();
    expect(answer).toMatchObject({ path: file, napi: NODE_API_VERSION });
    expect(answer.libc).toBe(libc());
  });

  it('names the warden beside the binary, and none where there is none', () => {
    const file = place(root, 'prebuilds', tuple, shippedName);
    expect(load()).not.toHaveProperty('wardenPath');
    const warden = join(dirname(file), 'holdfast-warden');
    writeFileSync(warden, '');
    expect(load().wardenPath).toBe(process.platform === 'linux' ? warden : undefined);
  });

  it('prefers build/Release in a checkout', () => {
    place(root, 'prebuilds', tuple, shippedName);
    const built = place(root, 'build', 'Release', 'holdfast.node');
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src', 'native.ts'), '');
    expect(load().path).toBe(built);
  });

  it('prefers the prebuilt file to a stray build in an installed package', () => {
    place(root, 'build', 'Release', 'holdfast.node');
    const shipped = place(root, 'prebuilds', tuple, shippedName);
    expect(load().path).toBe(shipped);
  });

  it('falls back to what was compiled in an installed package', () => {
    const built = place(root, 'build', 'Release', 'holdfast.node');
    expect(load().path).toBe(built);
  });

  it('finds prebuilds beside the main script, as a bundle has them', () => {
    rmSync(join(root, 'package.json'));
    const file = place(temp, 'prebuilds', tuple, shippedName);
    expect(load().path).toBe(file);
  });

  it('is not led to another platform by npm_config variables, nor to another build by a file of another name', () => {
    const file = place(root, 'prebuilds', tuple, shippedName);
    place(root, 'build', 'Release', 'aaa.node');
    const env = { npm_config_platform: 'darwin', npm_config_arch: 'ia32', LIBC: 'musl' };
    expect(load({ env }).path).toBe(file);
  });

  it('passes over a file that does not load', () => {
    const broken = join(root, 'prebuilds', tuple, shippedName);
    mkdirSync(dirname(broken), { recursive: true });
    writeFileSync(broken, 'not a binary');
    const built = place(root, 'build', 'Release', 'holdfast.node');
    expect(load().path).toBe(built);
  });
});

describe('HOLDFAST_BINDING and HOLDFAST_WARDEN', () => {
  it('load exactly the named file', () => {
    place(root, 'prebuilds', tuple, shippedName);
    const file = place(temp, 'elsewhere', 'own.node');
    expect(load({ env: { HOLDFAST_BINDING: file } }).path).toBe(file);
  });

  it('do not fall back when the named file does not load', () => {
    place(root, 'prebuilds', tuple, shippedName);
    const file = join(temp, 'broken.node');
    writeFileSync(file, 'not a binary');
    const { code, message } = load({ env: { HOLDFAST_BINDING: file } });
    expect(code).toBe('BINARY_UNAVAILABLE');
    expect(message).toContain(file);
    expect(message).toContain('correct HOLDFAST_BINDING');
  });

  it.each([
    ['a relative path', 'own.node', 'not an absolute path'],
    ['a missing file', '/nowhere/own.node', 'no file'],
    ['a folder', tmpdir(), 'not a regular file'],
  ])('refuse %s', (_name, path, reason) => {
    const { code, message } = load({ env: { HOLDFAST_BINDING: path } });
    expect(code).toBe('ERR_INVALID_ARG_VALUE');
    expect(message).toContain(`HOLDFAST_BINDING is '${path}'`);
    expect(message).toContain(reason);
  });

  it.runIf(process.platform === 'linux')('hand the warden on, and refuse one that cannot be executed', () => {
    place(root, 'prebuilds', tuple, shippedName);
    const warden = join(temp, 'warden');
    writeFileSync(warden, '');
    expect(load({ env: { HOLDFAST_WARDEN: warden } })).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
    chmodSync(warden, 0o755);
    expect(load({ env: { HOLDFAST_WARDEN: warden } }).wardenOverride).toBe(warden);
  });
});

describe('when nothing loads', () => {
  it('lists each file with its reason', () => {
    const broken = join(root, 'prebuilds', tuple, shippedName);
    mkdirSync(dirname(broken), { recursive: true });
    writeFileSync(broken, 'not a binary');
    const { code, message } = load();
    expect(code).toBe('BINARY_UNAVAILABLE');
    expect(message).toContain(tuple);
    expect(message).toMatch(new RegExp(`${shippedName}: .*(too short|invalid ELF)`));
    expect(message).toContain(`${join(root, 'build', 'Release', 'holdfast.node')}: no such file`);
  });

  it.each([['pnpm-lock.yaml', 'pnpm install'], ['yarn.lock', 'yarn install'], ['package-lock.json', 'npm install']])(
    'with %s beside it says "%s"', (lockfile, command) => {
      writeFileSync(join(temp, lockfile), '');
      expect(load().message).toContain(command);
    });

  it('says which platforms the package has, when this is none of them, and how to build', () => {
    mkdirSync(join(root, 'prebuilds', 'plan9-mips'), { recursive: true });
    const { message } = load();
    expect(message).toContain('use a platform that the package has a binary for: plan9-mips');
    expect(message).toContain('clone the repository at this version, run npm ci && npm run build there, and set HOLDFAST_BINDING');
    expect(message).not.toContain('install it again');
  });

  it('says how to build in a checkout', () => {
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src', 'native.ts'), '');
    expect(load().message).toContain('compile it: npm run build');
  });

  it('fails at the first use of a feature, not at the import nor at the making of a runtime', () => {
    const main = join(temp, 'use.mjs');
    writeFileSync(main, `import { LocalSubprocessRuntime } from ${JSON.stringify(join(root, 'dist', 'index.js'))};
      const runtime = new LocalSubprocessRuntime();
      const spec = { argv: ['true'], cwd: '/', stdio: { stdin: 'ignore', stdout: { maxBytes: 1 }, stderr: { maxBytes: 1 } }, graceMs: 1 };
      const codes = [];
      for (const use of [() => runtime.spawn(spec), () => runtime.resolveExecutable('true'), () => runtime.diagnose()]) {
        try { await use(); codes.push('none'); } catch ({ code }) { codes.push(code); }
      }
      await runtime.dispose();
      console.log(codes.join());`);
    const env = { ...process.env, HOLDFAST_BINDING: '' };
    const { stdout, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8', timeout: 90_000 });
    expect(stdout, stderr).toBe('BINARY_UNAVAILABLE,BINARY_UNAVAILABLE,BINARY_UNAVAILABLE\n');
  });

  it('refuses a process whose Node-API is too old, without touching a file', () => {
    place(root, 'prebuilds', tuple, shippedName);
    const before = "Object.defineProperty(process, 'versions', { value: { ...process.versions, napi: '7' } });";
    const { message } = load({ before });
    expect(message).toContain('use Node 20.19 or newer: the binary needs Node-API 8');
    expect(message).not.toContain('Tried');
  });

  it('tells a glibc that is too old, noexec and forbidden addons apart', () => {
    const say = (why: string): string => loadFailure({
      attempts: [{ path: '/x.node', missing: false, why }], libc: 'glibc', root, napi: 9, needed: 8, override: undefined,
    }).message;
    expect(say("version `GLIBC_2.28' not found (required by /x.node)")).toContain('glibc 2.28 or newer');
    expect(say('/x.node: failed to map segment from shared object')).toContain('noexec');
    expect(say('Cannot load native addon because loading addons is disabled.')).toContain('--allow-addons');
  });

  it('refuses an addon that is not ours', () => {
    const foreign = join(temp, 'foreign.node');
    copyFileSync(binary(), foreign);
    const before = 'const dlopen = process.dlopen; process.dlopen = (module) => { module.exports = {}; };';
    expect(load({ before, env: { HOLDFAST_BINDING: foreign } }).message).toContain('not a binary of Holdfast');
  });
});
