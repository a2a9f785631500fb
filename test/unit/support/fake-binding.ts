import type { Binding, FactKind, FactValue, LookupAnswer, NativeDiagnosis, NativeForeground, NativeForegroundSignal, NativeMember, NativeRange, NativeReport, RequestExtras } from '../../../src/binding.ts';
import { RuntimeCore } from '../../../src/runtime/core.ts';
import { Engine } from '../../../src/runtime/engine.ts';
import type { LocalSubprocessRuntimeOptions } from '../../../src/runtime/options.ts';
import { checkOptions } from '../../../src/runtime/options.ts';
import type { UnpackedRequest } from './unpack.ts';
import { unpack } from './unpack.ts';

/** The native side of one range, driven by a test. */
export class FakeRange implements NativeRange {
  readonly id: number;
  readonly request: UnpackedRequest;
  readonly calls: string[] = [];
  readonly watches: [stream: number, beyond: number][] = [];
  readonly closed: number[] = [];
  readonly peeks: { 1: [number, number, boolean]; 2: [number, number, boolean] } = { 1: [0, 0, false], 2: [0, 0, false] };
  fds: NativeRange['fds'];
  members: NativeMember[] = [];
  facts: Partial<NativeReport> = {};
  launchPid = 4711;
  /** What takeOutput() gives, in order; undefined is the end. */
  output: (Uint8Array | undefined)[] = [];
  writeResult: number | string = 0;
  inForeground = 4711;

  constructor(id: number, request: UnpackedRequest) {
    this.id = id;
    this.request = request;
  }

  terminate(): void {
    this.calls.push('terminate');
  }
  kill(): void {
    this.calls.push('kill');
  }
  streamClosed(stream: 1 | 2): void {
    this.closed.push(stream);
  }
  readBytes(stream: 1 | 2, from: number): [Uint8Array, number, boolean] {
    return [new Uint8Array([from]), this.peeks[stream][0], false];
  }
  readText(stream: 1 | 2, from: number): [string, number, boolean] {
    return [`${stream}@${from}`, this.peeks[stream][1], from === 1];
  }
  peek(stream: 1 | 2): [number, number, boolean] {
    return this.peeks[stream];
  }
  watch(stream: 1 | 2, beyond: number): void {
    this.watches.push([stream, beyond]);
  }
  report(): NativeReport {
    return {
      launch: 'pending',
      pid: null,
      owner: null,
      proof: 'pending',
      drain: 'pending',
      strays: { count: 0, listed: [] },
      escaped: { count: 0, listed: [] },
      ...this.facts,
    };
  }
  async inspect(): Promise<NativeMember[]> {
    this.calls.push('inspect');
    return this.members;
  }
  waitPid(timeoutMs: number): number {
    this.calls.push(`waitPid ${timeoutMs}`);
    return this.launchPid;
  }
  takeOutput(): Uint8Array | null | undefined {
    return this.output.length > 0 ? this.output.shift() : null;
  }
  writeInput(text: string): number | string {
    this.calls.push(`write ${text}`);
    return this.writeResult;
  }
  resize(rows: number, cols: number): string | undefined {
    this.calls.push(`resize ${rows} ${cols}`);
    return undefined;
  }
  async foreground(): Promise<NativeForeground | undefined> {
    return this.inForeground === 0 ? undefined : { processGroupId: this.inForeground, inputWait: 'no' };
  }
  async signalForeground(signal: number): Promise<NativeForegroundSignal> {
    this.calls.push(`signal ${signal}`);
    return this.inForeground === 0 ? { result: 'nobody' } : { result: 'sent', processGroupId: this.inForeground };
  }
}

function launching(launched: (request: UnpackedRequest) => FakeRange): Binding['Range'] {
  return function Range(texts: string, numbers: Float64Array, extras: RequestExtras | undefined) {
    return launched(unpack(texts, numbers, extras));
  } as unknown as Binding['Range'];
}

/** An addon that does nothing but what a test tells it to. */
export class FakeBinding implements Binding {
  readonly ranges: FakeRange[] = [];
  readonly alive: boolean[] = [];
  readonly lookups: string[][] = [];
  fdsOfNext: NativeRange['fds'];
  /** A constructor may return another object than the one that it is called for. */
  readonly Range: Binding['Range'] = launching((request) => this.launched(request));
  attached = 0;
  killed = 0;
  answer: LookupAnswer = { code: 'ENOENT' };
  onKillAll: () => void = () => {};
  private onFacts: (facts: FactValue[]) => void = () => {};

  attach(options: { onFacts: (facts: FactValue[]) => void }): void {
    this.attached++;
    this.onFacts = options.onFacts;
  }
  private launched(request: UnpackedRequest): FakeRange {
    const range = new FakeRange(this.ranges.length + 1, request);
    range.fds = this.fdsOfNext;
    this.fdsOfNext = undefined;
    this.ranges.push(range);
    return range;
  }
  async lookup(command: string, path: string, cwd: string): Promise<LookupAnswer> {
    this.lookups.push([command, path, cwd]);
    return this.answer;
  }
  async diagnose(): Promise<NativeDiagnosis> {
    return { owners: [], chosen: 'group', warden: { from: 'none' }, kernel: {}, limits: {} };
  }
  killAll(): void {
    this.killed++;
    this.onKillAll();
  }
  keepAlive(on: boolean): void {
    this.alive.push(on);
  }
  rawMode(): string {
    return 'ENOTTY';
  }

  restoreMode(): undefined {}

  footprint(): { threads: number; descriptors: number; ranges: number } {
    return { threads: 0, descriptors: 0, ranges: 0 };
  }

  /** Delivers one fact. */
  fact(id: number, kind: FactKind, a: FactValue = null, b: FactValue = null, c: FactValue = null, d: FactValue = null): void {
    this.onFacts([id, kind, a, b, c, d]);
  }
  /** Delivers several at once, as a busy host gets them. */
  batch(...facts: [number, FactKind, ...FactValue[]][]): void {
    this.onFacts(facts.flatMap((fact) => [...fact, null, null, null, null].slice(0, 6)));
  }
  /** The whole life of a command that exits with 0 and leaves nothing. */
  finish(id: number): void {
    this.batch([id, 'started', 4711, 'cgroup'], [id, 'settled', 0, 0, 'eof'], [id, 'empty', 'proven'], [id, 'ended']);
  }
  get lastRange(): FakeRange {
    const range = this.ranges.at(-1);
    if (range === undefined) throw new Error('nothing was spawned');
    return range;
  }
  /** What keepAlive was told last. */
  get keepsAlive(): boolean {
    return this.alive.at(-1) ?? false;
  }
}

/** A runtime over a fake addon of its own. */
export function fakeRuntime(options: LocalSubprocessRuntimeOptions = {}): { binding: FakeBinding; engine: Engine; runtime: RuntimeCore } {
  const binding = new FakeBinding();
  const engine = new Engine(() => ({ binding, path: '/fake.node', napi: 8 }));
  return { binding, engine, runtime: new RuntimeCore(checkOptions({ onWarning: () => {}, ...options }), engine) };
}

/** A complete specification: nothing on stdin, both outputs collected. */
export const spec = {
  argv: ['program', 'one', 'two'],
  cwd: '/',
  graceMs: 100,
  stdio: { stdin: 'ignore', stdout: { maxBytes: 100 }, stderr: { maxBytes: 100 } },
} as const;

/** 'pending', or how a promise has settled. */
export async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const pending = Symbol('pending');
  await new Promise((resolve) => setImmediate(resolve));
  const state = await Promise.race([promise, Promise.resolve(pending)]).catch((error: unknown) => ({ rejected: error }));
  return state === pending ? 'pending' : state;
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<NodeJS.ErrnoException & Record<string, unknown>> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error) => error,
  );
}
