// Libraries and runtimes besides Node's own, as contenders in the sense of providers.mjs. Each keeps a tail, as ours does.
// They come from tools/peers; bench/lib/peers.mjs has installed them.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { keepTail } from './tail.mjs';

const TAIL = 65536;
const installed = createRequire(new URL('../../build/bench/peers/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);

/** A child of child_process, and what is built on it, with a tail for stdout. */
function followed(child, tail, done) {
  const kept = keepTail(tail);
  let stderr = '';
  child.stdout.on('data', (part) => { kept.push(part); });
  child.stderr.on('data', (part) => { stderr += part; });
  return { done, output: () => ({ bytes: kept.bytes, stderr }) };
}

const closed = (child) => new Promise((resolve, reject) => { child.once('error', reject).once('close', resolve); });

export async function childProcessTail() {
  const start = ({ argv, cwd = '/', tail = TAIL }) => {
    const child = spawn(argv[0], argv.slice(1), { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    return followed(child, tail, closed(child));
  };
  return { start, end() {} };
}

export async function execa() {
  const { execa: run } = await load('execa');
  const start = ({ argv, cwd = '/', tail = TAIL }) => {
    const child = run(argv[0], argv.slice(1), { cwd, stdin: 'ignore', buffer: false, reject: false });
    return followed(child, tail, child.then(({ exitCode }) => exitCode));
  };
  return { start, end() {} };
}

export async function tinyexec() {
  const { exec } = await load('tinyexec');
  const start = ({ argv, cwd = '/', tail = TAIL }) => {
    const { process: child } = exec(argv[0], argv.slice(1), { nodeOptions: { cwd, stdio: ['ignore', 'pipe', 'pipe'] } });
    return followed(child, tail, closed(child));
  };
  return { start, end() {} };
}

async function drain(stream, take) {
  for await (const piece of stream) take(piece);
}

/** Streams of the web, as Bun and Deno have them. `code`: a promise of the exit code. */
function drained({ stdout, stderr }, tail, code) {
  const kept = keepTail(tail);
  const decoder = new TextDecoder();
  let text = '';
  const read = Promise.all([drain(stdout, (piece) => { kept.push(piece); }), drain(stderr, (piece) => { text += decoder.decode(piece, { stream: true }); })]);
  return { done: Promise.all([code, read]).then(([value]) => value), output: () => ({ bytes: kept.bytes, stderr: text }) };
}

export async function bun() {
  const start = ({ argv, cwd = '/', tail = TAIL }) => {
    const child = globalThis.Bun.spawn(argv, { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    return drained(child, tail, child.exited);
  };
  return { start, end() {} };
}

export async function deno() {
  const start = ({ argv, cwd = '/', tail = TAIL }) => {
    const command = new globalThis.Deno.Command(argv[0], { args: argv.slice(1), cwd, stdin: 'null', stdout: 'piped', stderr: 'piped' });
    const child = command.spawn();
    return drained(child, tail, child.status.then(({ code }) => code));
  };
  return { start, end() {} };
}
