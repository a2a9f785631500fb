import type { TetherRuntimeOptions } from './runtime.js';
import { SubprocessRuntime } from './runtime.js';

/** What the plugin needs of a scope: a place to put the runtime, and a way to be told of the scope's end. */
export interface TetherScope {
  provide(name: 'subprocess', runtime: SubprocessRuntime): void;
  /** `end` is called once, when the scope ends, and waited for; a rejection is the scope's to report. */
  onDispose(end: () => Promise<void>): void;
}

/** Provides a runtime to a scope and ends it with that scope. Returns the runtime. */
export function subprocessPlugin(scope: TetherScope, options: TetherRuntimeOptions = {}): SubprocessRuntime {
  const runtime = new SubprocessRuntime(options);
  // First: a scope that refuses the name must still end what was made for it.
  scope.onDispose(() => runtime.dispose());
  scope.provide('subprocess', runtime);
  return runtime;
}
