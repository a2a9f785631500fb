/** Commands that run a host with fewer, or its own, rights (`wrap` of support/host.ts); util-linux has them. */
const isRoot = process.getuid?.() === 0;

/** Root without the right to pass over permissions; anybody else is without it anyway. */
export const withoutOverride = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-dac_override,-dac_read_search'] : [];

/** A user as whom nobody else runs anything, a file of tests that runs at the same time included. */
export const nobodyElse = 61_000 + (process.pid % 2000);

/**
 * That user, so that the number of his processes is known; root is exempt from the limit. He may read whatever directory
 * the checkout lies in.
 */
export const asNobodyElse = isRoot ? ['setpriv', `--reuid=${nobodyElse}`, `--regid=${nobodyElse}`, '--clear-groups', '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'] : [];

/** A mount namespace in which file systems can be mounted, for an ordinary user by way of a user namespace. */
export const ownMounts = isRoot ? ['unshare', '--mount'] : ['unshare', '--user', '--map-root-user', '--mount'];

/** A pid namespace in which the host is process 1, with a /proc of its own; all of it ends with the test. */
export const ownPids = isRoot ? ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] : ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
