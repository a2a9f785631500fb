// imported.mjs [MODULE]: imports a module in a fresh process and prints JSON: milliseconds of it, and how many threads and
// descriptors there are more than before.
import { readdirSync } from 'node:fs';

const state = () => ({ threads: readdirSync('/proc/self/task').length, descriptors: readdirSync('/proc/self/fd').length });
const before = state();
const begin = performance.now();
await import(process.argv[2]);
const ms = performance.now() - begin;
const after = state();
console.log(JSON.stringify({ ms, threads: after.threads - before.threads, descriptors: after.descriptors - before.descriptors }));
