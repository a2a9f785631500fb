import { readFileSync } from 'node:fs';
import { startHost } from './host.mjs';

/** A user without privileges, for rows `as an ordinary user`. */
const NOBODY = 65534;

/**
 * How Holdfast can own here, as label → options of a host: each owner that this user has, and, where we are root, the
 * owner that an ordinary user gets.
 */
export async function holdfastHosts() {
  const kinds = (await availableOwners()).filter((kind) => kind === 'cgroup' || kind === 'subreaper');
  const hosts = Object.fromEntries(kinds.map((kind) => [`holdfast ${kind}`, { provider: 'holdfast', owner: kind }]));
  if (process.getuid() === 0) hosts['holdfast subreaper, ordinary user'] = { provider: 'holdfast', owner: 'subreaper', user: NOBODY };
  return hosts;
}

/** The label of the strongest owner here. */
export const strongest = (hosts) => Object.keys(hosts)[0];

async function availableOwners() {
  const host = await startHost({ provider: 'holdfast', owner: 'auto' });
  try {
    const { owners } = await host.do('diagnose');
    return owners.filter(({ available }) => available).map(({ kind }) => kind);
  } finally {
    await host.end();
  }
}

export const ownerOf = (label) => /^holdfast (.*)$/.exec(label)?.[1];

/** Type of the file system that holds `path`, such as `tmpfs`. */
export function fileSystemOf(path) {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').trim().split('\n').map((line) => line.split(' '));
  const holding = mounts.filter(([, at]) => path === at || path.startsWith(at.endsWith('/') ? at : `${at}/`));
  return holding.reduce((best, one) => (one[1].length >= best[1].length ? one : best))[2];
}
