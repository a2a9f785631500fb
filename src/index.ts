/** The public surface of `holdfast`. */
export type { CollectedOutput, CollectOptions, CollectResult } from './collect.js';
export { collect, CommandFailedError } from './collect.js';
export type { DiagnosticsDetail, HoldfastEvents } from './runtime/diagnostics.js';
export { HOLDFAST_EVENTS } from './runtime/diagnostics.js';
export { LocalSubprocessRuntime } from './runtime/local.js';
export type { LocalSubprocessRuntimeOptions, OwnershipSpec, TerminalBackend, WarningListener, WeakerOwner } from './runtime/options.js';
export type { EnvironmentOverrides } from './seam/environment.js';
export { childEnvironment, scrubbedParentEnv, SENSITIVE_ENV_PATTERN } from './seam/environment.js';
export type { ErrnoCode, HoldfastErrorCode, SubprocessErrorCode, SubprocessErrorDetails, SubprocessErrorStage } from './seam/errors.js';
export { SubprocessError, SubprocessExecutableNotFoundError } from './seam/errors.js';
export type {
  OwnerKind,
  SpillState,
  SubprocessDiagnosis,
  SubprocessInspection,
  SubprocessMember,
  SubprocessOutcome,
  SubprocessReport,
  SubprocessStreamReport,
  TerminalEnvironment,
} from './seam/facts.js';
export type { CollectedName, CollectedReaders, SubprocessBytesRead, SubprocessHandle, SubprocessReader, SubprocessTextRead, TypedSubprocessHandle } from './seam/handle.js';
export type { LinesOptions, SubprocessLine } from './seam/lines.js';
export { MAX_TIMER_DELAY_MS } from './seam/limits.js';
export type { CollectSpec, OutputSpec, StdinSpec, SubprocessLimits, SubprocessSpawnSpec, SubprocessStdio } from './seam/spec.js';
export type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec, TerminalActivity, TerminalForeground, TerminalSignal } from './seam/terminal.js';
