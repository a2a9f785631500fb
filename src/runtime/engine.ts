import { tmpdir } from 'node:os';
import type { Binding, FactKind, FactValue, OwnerKind } from '../binding.js';
import type { LoadedBinding } from '../native.js';
import { loadBinding } from '../native.js';
import type { WarningListener, WeakerOwner } from './options.js';

/** Whoever facts about one native range are for. Must not throw. */
export interface FactSink {
  fact(kind: FactKind, a: FactValue, b: FactValue, c: FactValue, d: FactValue): void;
}

/** Values of one fact in the coalesced list: id, kind and four more. */
const FACT_WIDTH = 6;

/**
 * The addon as this environment (main thread or worker) uses it: loaded at the first need, attached once, its facts
 * handed to their ranges, its hold on the event loop counted. All runtimes of an environment share one.
 */
export class Engine {
  /** What was said of weaker owners so far, by message; the native side says each only once, and later runtimes are affected too. */
  readonly warnings: Map<string, WeakerOwner> = new Map();
  readonly warningListeners: Set<WarningListener> = new Set();
  private readonly load: () => LoadedBinding;
  private readonly sinks = new Map<number, FactSink>();
  private loaded: LoadedBinding | undefined;
  private holds = 0;

  constructor(load: () => LoadedBinding) {
    this.load = load;
  }

  /** The loaded binary. Throws, each time anew, when it cannot be loaded. */
  get native(): LoadedBinding {
    return this.loaded ?? this.attach();
  }

  get binding(): Binding {
    return this.native.binding;
  }

  /** Facts about `id` go to `sink` from now on, until its `ended`. Call it in the turn of the spawn: no fact comes earlier. */
  listen(id: number, sink: FactSink): void {
    this.sinks.set(id, sink);
  }

  /** Keeps the event loop alive until as many releases have come. */
  hold(): void {
    if (this.holds++ === 0) this.binding.keepAlive(true);
  }

  release(): void {
    if (--this.holds === 0) this.binding.keepAlive(false);
  }

  /** KILL for everything owned here; synchronous. Loads nothing. */
  killAll(): void {
    this.loaded?.binding.killAll();
  }

  private attach(): LoadedBinding {
    const loaded = this.load();
    const { wardenPath, wardenOverride } = loaded;
    const { DBUS_SESSION_BUS_ADDRESS: sessionBus, XDG_RUNTIME_DIR: runtimeDirectory } = process.env;
    loaded.binding.attach({
      ...(wardenPath === undefined ? {} : { wardenPath }),
      ...(wardenOverride === undefined ? {} : { wardenOverride }),
      temporaryDirectory: tmpdir(),
      ...(sessionBus === undefined ? {} : { sessionBus }),
      ...(runtimeDirectory === undefined ? {} : { runtimeDirectory }),
      onFacts: (facts) => this.dispatch(facts),
    });
    this.loaded = loaded;
    return loaded;
  }

  private dispatch(facts: readonly FactValue[]): void {
    for (let at = 0; at + FACT_WIDTH <= facts.length; at += FACT_WIDTH) {
      const id = facts[at] as number;
      const kind = facts[at + 1] as FactKind;
      const a = facts[at + 2] ?? null;
      if (kind === 'warning') this.warn(String(a), { owner: facts[at + 3] as OwnerKind, reason: String(facts[at + 4]) });
      else this.sinks.get(id)?.fact(kind, a, facts[at + 3] ?? null, facts[at + 4] ?? null, facts[at + 5] ?? null);
      if (kind === 'ended') this.sinks.delete(id);
    }
  }

  private warn(message: string, weaker: WeakerOwner): void {
    this.warnings.set(message, weaker);
    for (const listener of this.warningListeners) listener(message, weaker);
  }
}

let shared: Engine | undefined;

/** The engine of this environment. */
export function sharedEngine(): Engine {
  shared ??= new Engine(loadBinding);
  return shared;
}
