// A program that uses the package by its name: what is checked are the declarations of dist/, as strictly as a user may.
// `npm run check` does so with each compiler.
import { collect, LocalSubprocessRuntime, type SubprocessReader } from 'holdfast';
import { openInheritedControlChannel } from 'holdfast/control';
import type * as dsh from 'holdfast/dsh';
import type * as qilin from 'holdfast/qilin';
import * as tether from 'holdfast/tether';
import { leakFence } from 'holdfast/testing';
import type { Readable } from 'node:stream';

const runtime: LocalSubprocessRuntime = new LocalSubprocessRuntime();
const handle = runtime.spawn({ argv: ['true'], cwd: '/', graceMs: 1, stdio: { stdin: 'ignore', stdout: 'pipe', stderr: { maxBytes: 1 } } });
export const stdout: Readable = handle.stdout;
export const stderr: SubprocessReader = handle.collected.stderr;
// @ts-expect-error What is collected is no stream: the types of the package are there, and not any.
export const wrong: Readable = handle.stderr;

export type Harnesses = [dsh.LocalSubprocessRuntime, qilin.LocalSubprocessRuntime];
export const values = [collect, openInheritedControlChannel, tether.SubprocessRuntime, leakFence];
