import type { Socket } from 'node:net';
import type { NativeRange } from '../binding.js';
import { childEnvironment } from '../seam/environment.js';
import { SubprocessError } from '../seam/errors.js';
import type { SubprocessDiagnosis, TerminalEnvironment } from '../seam/facts.js';
import type { TypedSubprocessHandle } from '../seam/handle.js';
import type { SubprocessSpawnSpec, SubprocessStdio } from '../seam/spec.js';
import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from '../seam/terminal.js';
import { onAbort } from './abort.js';
import { checkSpec } from './check-spec.js';
import { closeControls, combined, endRanges } from './disposal.js';
import { isTraced, trace } from './diagnostics.js';
import type { Engine } from './engine.js';
import { mountExitHook } from './exit-hook.js';
import type { LaunchNames } from './failure.js';
import { createHandle, reportOf } from './handle.js';
import { resolveExecutable } from './lookup.js';
import type { Settings, WarningListener, WeakerOwner } from './options.js';
import type { RangeObserver } from './range.js';
import { Range } from './range.js';
import { requestLaunch } from './request.js';
import { reportSpillFailures, SpillLedger, sweepSpills } from './spills.js';
import { checkTerminalSpec } from './terminal/check-spec.js';
import type { NodePtyTerminals } from './terminal/node-pty/terminals.js';
import { spawnTerminal } from './terminal/spawn.js';
import { terminalEnvironment } from './terminal-environment.js';

/**
 * What a runtime does, apart from the class that a harness sees: {@link LocalSubprocessRuntime} wraps it, and so can a
 * class that has to extend somebody else's. Methods are called on this object itself, never through a proxy.
 */
export class RuntimeCore {
  private readonly engine: Engine;
  private readonly settings: Settings;
  private readonly unmount: () => void;
  private readonly live = new Set<Range>();
  private readonly controls = new Set<Socket>();
  private readonly spills = new SpillLedger();
  private readonly heard = new Set<string>();
  private readonly observer: RangeObserver;
  private readonly hear: WarningListener;
  private foreign: NodePtyTerminals | undefined;
  private hasSpawned = false;
  private disposed = false;
  private disposal: Promise<void> | undefined;

  constructor(settings: Settings, engine: Engine) {
    this.settings = settings;
    this.engine = engine;
    const forget = (range: Range): void => this.forget(range);
    this.observer = { settled: forget, over: forget };
    this.hear = (message, weaker) => this.warn(message, weaker);
    this.unmount = mountExitHook(engine);
  }

  resolveExecutable(command: string, env?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string> {
    return resolveExecutable(() => this.engine.binding, this.settings, command, env, signal);
  }

  terminalEnvironment(signal?: AbortSignal): Promise<TerminalEnvironment> {
    return terminalEnvironment(signal);
  }

  spawn<Stdio extends SubprocessStdio>(spec: SubprocessSpawnSpec<Stdio>): TypedSubprocessHandle<Stdio> {
    this.checkAlive();
    checkSpec(spec, this.settings.controlMarker);
    checkPermission();
    const range = this.own(requestLaunch(this.engine.binding, spec, this.settings), spec);
    const handle = createHandle(range, spec.stdio);
    range.observers.push(this.observer);
    if (isTraced()) trace(range, spec, this.settings.diagnostics, reportOf);
    if (spec.stdio.control === 'pipe') this.track(handle.control as Socket);
    if (spec.signal !== undefined) followSignal(range, spec.signal);
    const { onSpillFailure } = this.settings;
    if (onSpillFailure !== undefined) range.observers.push({ settled: () => reportSpillFailures(range, onSpillFailure) });
    return handle;
  }

  async spawnTerminal(spec: SubprocessTerminalSpawnSpec): Promise<SubprocessTerminalHandle> {
    this.checkAlive();
    checkTerminalSpec(spec, this.settings.controlMarker);
    spec.signal?.throwIfAborted();
    checkPermission();
    if (this.settings.terminalBackend === 'node-pty') return (await this.nodePty()).spawn(spec);
    return spawnTerminal(spec, this.settings, (request) => {
      this.checkAlive();
      const range = this.own(request(this.engine.binding), spec);
      range.observers.push(this.observer);
      if (isTraced()) trace(range, spec, this.settings.diagnostics, reportOf, spec);
      return range;
    });
  }

  async diagnose(): Promise<SubprocessDiagnosis> {
    const { binding, path, napi, libc } = this.engine.native;
    return { ...(await binding.diagnose()), binary: libc === undefined ? { path, napi } : { path, napi, libc } };
  }

  /** The same promise for everybody, until an attempt fails: then the next call tries again. */
  dispose(): Promise<void> {
    this.disposed = true;
    this.disposal ??= this.end().catch((error: unknown) => {
      this.disposal = undefined;
      throw error;
    });
    return this.disposal;
  }

  private async end(): Promise<void> {
    const [failures, others = []] = await Promise.all([endRanges([...this.live]), this.foreign?.end()]);
    failures.push(...others);
    await closeControls([...this.controls]);
    if (this.settings.removeSpillOnDispose) await this.removeSpills();
    // What failed stays in the live set and under the exit hook: that is its last chance.
    if (failures.length > 0) throw combined(failures);
    this.engine.warningListeners.delete(this.hear);
    this.unmount();
  }

  private async removeSpills(): Promise<void> {
    for (const error of await this.spills.remove()) this.warn(`a spill file could not be removed: ${String(error)}`);
  }

  /** Loaded at the first need, and never where terminals are our own. */
  private async nodePty(): Promise<NodePtyTerminals> {
    const { NodePtyTerminals } = await import('./terminal/node-pty/terminals.js');
    this.checkAlive();
    const { prefix, parentEnv } = this.settings;
    this.foreign ??= new NodePtyTerminals((env) => childEnvironment(prefix, env, parentEnv), (command, env) => this.resolveExecutable(command, env));
    return this.foreign;
  }

  private checkAlive(): void {
    if (this.disposed) throw new SubprocessError('the runtime has been disposed; create a new one to spawn', { code: 'DISPOSED' });
  }

  private own(native: NativeRange, names: LaunchNames): Range {
    if (!this.hasSpawned) this.onFirstSpawn();
    // A copy, and not the specification: that may hold megabytes of stdin, and be changed by the caller.
    const range = new Range(this.engine, native, { argv: [...names.argv], cwd: names.cwd, env: names.env });
    this.live.add(range);
    return range;
  }

  private onFirstSpawn(): void {
    this.hasSpawned = true;
    const { mayWeaken, spillDirectory, spillName, spillMaxAgeMs } = this.settings;
    if (mayWeaken) {
      this.engine.warningListeners.add(this.hear);
      for (const [message, weaker] of this.engine.warnings) this.hear(message, weaker);
    }
    if (spillMaxAgeMs !== undefined) void sweepSpills(spillDirectory, spillName, spillMaxAgeMs);
  }

  private warn(message: string, weaker?: WeakerOwner): void {
    if (this.heard.has(message)) return;
    this.heard.add(message);
    try {
      this.settings.onWarning(message, weaker);
    } catch {
      // Called among facts of other ranges, which must all arrive whatever a logger does.
    }
  }

  private forget(range: Range): void {
    if (!range.empty || !range.settled || !this.live.delete(range)) return;
    if (this.settings.removeSpillOnDispose) this.spills.note(range);
  }

  private track(control: Socket): void {
    this.controls.add(control);
    control.once('close', () => this.controls.delete(control));
  }
}

/** The abort does what terminate() does, as long as there is something to terminate; then the listener goes. */
function followSignal(range: Range, signal: AbortSignal): void {
  const unfollow = onAbort(signal, () => range.terminate());
  range.observers.push({ over: unfollow });
}

function checkPermission(): void {
  const permission = process.permission as NodeJS.Process['permission'] | undefined;
  if (permission === undefined || permission.has('child')) return;
  throw new SubprocessError("child processes are not permitted here; start node with --allow-child-process and --allow-addons", {
    code: 'ERR_ACCESS_DENIED',
  });
}
