import type { FactKind, FactValue, NativeMember, NativeRange, OwnerKind } from '../binding.js';
import type { SubprocessError } from '../seam/errors.js';
import type { SubprocessOutcome } from '../seam/facts.js';
import type { Engine, FactSink } from './engine.js';
import type { LaunchNames } from './failure.js';
import { launchError, lostError } from './failure.js';
import { outcomeOf } from './outcome.js';
import { WaitList } from './wait-list.js';

/** Parts of a handle that have to know about facts. */
export interface RangeObserver {
  /** The launch failed: nothing has run and nothing was written. */
  launchFailed?(range: Range): void;
  /** The program runs. */
  launched?(range: Range): void;
  /** `done` has settled after a launch that did not fail. */
  settled?(range: Range): void;
  /** terminate() was called for the first time, with something to end. */
  terminating?(range: Range): void;
  /** A collected stream may have grown, ended or been sealed. */
  grew?(range: Range): void;
  /** The terminal has taken `total` bytes of input so far. With `code`, what was still waiting has failed. */
  wrote?(range: Range, total: number, code: string | null): void;
  /** The range is over for good: nothing of it is left, or nobody can tell any more. It may not have settled yet. */
  over?(range: Range): void;
}

/**
 * One range as its facts tell it: launch, exit, emptiness and loss are separate facts that come in any order, and each
 * promise hangs on exactly one of them.
 */
export class Range implements FactSink {
  readonly native: NativeRange;
  readonly done: Promise<SubprocessOutcome>;
  readonly observers: RangeObserver[] = [];
  launch: 'pending' | 'started' | 'failed' = 'pending';
  pid = -1;
  empty = false;
  settled = false;
  lost: SubprocessError | undefined;
  /** How the command ended; undefined until it has settled, and when that cannot be known. */
  outcome: SubprocessOutcome | undefined;
  /** What `done` has rejected with. */
  failure: SubprocessError | undefined;
  private readonly engine: Engine;
  private names: LaunchNames;
  private readonly waits = new WaitList<boolean>();
  private resolveDone: (outcome: SubprocessOutcome) => void = () => {};
  private rejectDone: (error: unknown) => void = () => {};
  private owner: OwnerKind | undefined;
  private terminating = false;
  private holding = false;

  constructor(engine: Engine, native: NativeRange, names: LaunchNames) {
    this.engine = engine;
    this.native = native;
    this.names = names;
    this.done = new Promise((resolve, reject) => {
      this.resolveDone = resolve;
      this.rejectDone = reject;
    });
    // A caller that only terminates and waits never looks at `done`; a failing one must not end the host for it.
    this.done.catch(() => {});
    engine.listen(native.id, this);
    this.updateHold();
  }

  /** Nothing of the range can be waited for or signalled any more. */
  get over(): boolean {
    return this.empty || this.lost !== undefined;
  }

  terminate(): void {
    if (this.empty) return;
    const first = !this.terminating;
    this.terminating = true;
    this.updateHold();
    this.attempt(() => this.native.terminate());
    if (first) this.tell('terminating');
  }

  kill(): void {
    if (!this.empty) this.attempt(() => this.native.kill());
  }

  async waitForExit(signal?: AbortSignal): Promise<boolean> {
    if (this.empty) return true;
    if (signal?.aborted) return this.isEmptyNow();
    if (this.lost !== undefined) throw this.lost;
    const answer = this.waits.wait(signal, (wait) => {
      wait.settle(false);
      this.updateHold();
    });
    this.updateHold();
    return answer;
  }

  inspect(): Promise<NativeMember[]> {
    return this.whileHeld(() => this.native.inspect());
  }

  /** Keeps the event loop alive until `question` is answered. */
  async whileHeld<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    this.engine.hold();
    try {
      return await question();
    } finally {
      this.engine.release();
    }
  }

  fact(kind: FactKind, a: FactValue, b: FactValue, c: FactValue, d: FactValue): void {
    if (kind === 'started') this.onStarted(a as number, b as OwnerKind);
    else if (kind === 'failed') this.onFailed([a, b, c, d]);
    else if (kind === 'settled') this.onSettled(outcomeOf(a as number | null, b as number));
    else if (kind === 'empty') this.onEmpty();
    else if (kind === 'lost' && c === 'status') this.onStatusLost(lostError(a, b, this.owner));
    else if (kind === 'lost') this.onLost(lostError(a, b, this.owner));
    else if (kind === 'wrote') for (const observer of this.observers) observer.wrote?.(this, a as number, b as string | null);
    else this.tell('grew');
  }

  private onStarted(pid: number, owner: OwnerKind): void {
    this.launch = 'started';
    this.pid = pid;
    this.owner = owner;
    // The caller's own object, which only an error of the launch would name.
    this.names = { ...this.names, env: undefined };
    this.tell('launched');
  }

  private onFailed(fact: readonly [FactValue, FactValue, FactValue, FactValue]): void {
    this.settled = true;
    this.failure ??= launchError(this.names, this.owner, fact);
    this.rejectDone(this.failure);
    if (this.launch === 'started') {
      this.tell('settled');
      return this.updateHold();
    }
    this.launch = 'failed';
    this.tell('launchFailed');
    this.tell('grew');
    this.onEmpty();
  }

  private onSettled(outcome: SubprocessOutcome): void {
    this.settled = true;
    this.outcome = outcome;
    this.resolveDone(outcome);
    this.tell('settled');
    this.tell('grew');
    this.updateHold();
  }

  private onEmpty(): void {
    if (this.empty) return;
    // Also after a loss: what is proven now needs no doubt from before.
    this.empty = true;
    this.waits.settleAll(true);
    this.updateHold();
    this.tell('over');
  }

  /** How the command ended cannot be known any more; the range is still observed, and waits go on. */
  private onStatusLost(error: SubprocessError): void {
    this.settled = true;
    this.failure ??= error;
    this.rejectDone(error);
    this.tell('settled');
    this.tell('grew');
    this.updateHold();
  }

  private onLost(error: SubprocessError): void {
    if (this.over) return;
    this.lost = error;
    this.waits.failAll(error);
    this.onStatusLost(error);
    this.tell('over');
  }

  /**
   * Right after `done` a range can be empty although its `empty` fact is still on the way. A caller whose signal has
   * already come cannot wait for that fact, so the members are looked at instead.
   */
  private async isEmptyNow(): Promise<boolean> {
    if (this.launch !== 'started' || this.lost !== undefined) return false;
    try {
      const members = await this.inspect();
      return this.empty || (members.length === 0 && this.lost === undefined);
    } catch {
      return this.empty;
    }
  }

  /**
   * The event loop stays alive while the command runs, while a termination is under way and while somebody waits. A
   * daemon that outlives its command does not keep the host alive, as it would not under child_process.
   */
  private updateHold(): void {
    const needed = !this.settled || (this.terminating && !this.over) || this.waits.size > 0;
    if (needed === this.holding) return;
    this.holding = needed;
    if (needed) this.engine.hold();
    else this.engine.release();
  }

  private tell(what: Exclude<keyof RangeObserver, 'wrote'>): void {
    for (const observer of this.observers) observer[what]?.(this);
  }

  /** Native calls on a range do not throw by contract; a caller's cleanup must not break if one ever does. */
  private attempt(call: () => void): void {
    try {
      call();
    } catch {
      // The same range is ended by its owner at the host's exit.
    }
  }
}
