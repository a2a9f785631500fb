/** Tether's shapes over the same engine. The names of C# are mapped one to one in docs/tether.md. */
export { SubprocessError, SubprocessExecutableNotFoundError } from '../seam/errors.js';
export type { SubprocessReader, SubprocessTextRead } from '../seam/handle.js';
export type { TetherScope } from './tether/plugin.js';
export { subprocessPlugin } from './tether/plugin.js';
export type { TetherSubprocess } from './tether/process.js';
export { SubprocessOutcome } from './tether/process.js';
export type { TetherRuntimeOptions } from './tether/runtime.js';
export { SubprocessRuntime } from './tether/runtime.js';
export type { TetherSpawnSpec } from './tether/spec.js';
export { SubprocessStdio } from './tether/stdio.js';
