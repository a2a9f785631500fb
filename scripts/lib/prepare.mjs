// Makes a checkout runnable: Node new enough, packages installed, TypeScript compiled, a binary that fits.
import { existsSync, rmSync, statSync } from 'node:fs';
import { bin, Failure, inRoot, must, npm, packageJson } from './tools.mjs';
import { ensureNative } from './native.mjs';

export function requireNode() {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(packageJson.engines.node).map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor < major || (haveMajor === major && haveMinor < minor)) {
    throw new Failure(`Node ${process.versions.node} is too old: Holdfast needs Node ${major}.${minor} or newer`);
  }
}

/** npm ci, unless what is installed is at least as new as the lockfile. */
export function installPackages() {
  const installed = inRoot('node_modules', '.package-lock.json');
  const lockfile = inRoot('package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  console.log('Installing the development packages (npm ci) …');
  const [program, ...args] = npm();
  must('Installing the packages', program, [...args, 'ci', '--no-audit', '--no-fund']);
}

export function buildTypeScript() {
  // Emptied first: a file whose source is gone must not be shipped or tested.
  rmSync(inRoot('dist'), { recursive: true, force: true });
  must('Compiling TypeScript', process.execPath, [bin('typescript', 'tsc'), '-p', 'tsconfig.json']);
  must('Joining the modules', process.execPath, [inRoot('scripts', 'bundle.mjs')]);
}

export function prepare() {
  requireNode();
  installPackages();
  buildTypeScript();
  ensureNative();
}
