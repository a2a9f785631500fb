// A heavy real producer that ends when the host has enough: tar, over this system's own files.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LARGE_FILE = 256 * 1024;
const GROUP_BYTES = 64e6;
/** When so much has been archived, or for so long, the same files come again: from the page cache, at memory's speed. */
const FRESH_BYTES = 1.2e9;
const FRESH_MS = 5000;

/**
 * A line of names, separated by tabs, comes in by standard input for each archive; tar's result goes out by the control
 * channel. So the host decides when it is enough, and the command ends by itself.
 */
export const PRODUCER = ['sh', '-c', `set -f; IFS='\t'; while read -r names; do tar -C / -cvf - -- $names; echo "$?" >&7; done`];

/** Gives work until it is enough, one archive at a time, so that the decision is never far behind. Returns tar's results. */
export async function feed(handle, work, bytes, enough) {
  const started = performance.now();
  const codes = [];
  // No channel means no launch: the loop ends at once and done rejects with the reason.
  const answers = lines(handle.control ?? []);
  let known = work.length;
  for (let next = 0; !enough(); next += 1) {
    if (known === work.length && next > 0 && (bytes() >= FRESH_BYTES || performance.now() - started >= FRESH_MS)) known = Math.min(next, known);
    handle.stdin?.write(`${work[next % known]}\n`);
    const answer = await answers.next();
    if (answer.done) break;
    codes.push(answer.value);
  }
  handle.stdin?.end();
  return codes;
}

async function* lines(stream) {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}

/**
 * Pieces of this system, small enough that one of them takes seconds at most: large files in groups, and directories.
 * Each is a list of names relative to the root, separated by tabs.
 */
export async function archives() {
  const split = ['usr/bin', 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu', 'usr/lib', 'usr/libexec', 'usr/share', 'usr/local', 'usr/local/lib', 'usr', 'opt'];
  const groups = [];
  const directories = [];
  let size = Infinity;
  for (const parent of split) {
    const entries = await readdir(join('/', parent), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${parent}/${entry.name}`;
      if (split.includes(name) || /[\t\n]/.test(name)) continue;
      if (entry.isDirectory()) directories.push(name);
      if (!entry.isFile()) continue;
      const bytes = (await stat(join('/', name))).size;
      if (bytes < LARGE_FILE) continue;
      if (size >= GROUP_BYTES) {
        groups.push([]);
        size = 0;
      }
      groups.at(-1).push(name);
      size += bytes;
    }
  }
  const all = [...groups.map((names) => names.join('\t')), ...directories];
  if (all.length === 0) throw new Error('the demo archives files below /usr and /opt, and there are none to be read');
  return all;
}
