import type { Socket } from 'node:net';
import type { HostEnd, NativeRange, NativeReport } from '../binding.js';
import type { SubprocessInspection, SubprocessOutcome, SubprocessReport } from '../seam/facts.js';
import type { TypedSubprocessHandle, SubprocessReader } from '../seam/handle.js';
import { wrongValue } from '../seam/errors.js';
import { PID_WAIT_MS } from '../seam/limits.js';
import type { LinesOptions, SubprocessLine } from '../seam/lines.js';
import type { OutputSpec, SubprocessStdio } from '../seam/spec.js';
import { followLines } from './lines.js';
import type { Range } from './range.js';
import { createReader } from './reader.js';
import { withoutRemovedSpill } from './spills.js';
import { openControl, openInput, openOutput } from './streams.js';

/**
 * Where `pid` finds its range, by a property that a proxy of a handle has too. An accessor of each handle's own would do as
 * well, but gives each of them a shape of its own in the engine, which is a tenth of the cost of a spawn.
 */
const ranges = new WeakMap<Promise<SubprocessOutcome>, Range>();

const NO_ENDS: NonNullable<NativeRange['fds']> = {};

/**
 * The loosely typed handle. Everything is an own property and no method needs `this`, because consumers destructure and
 * copy handles. Only `pid` is an accessor, of the class: reading it may wait for the launch, which copying must not do.
 */
class Handle {
  readonly stdin: Socket | undefined;
  readonly stdout: Socket | undefined;
  readonly stderr: Socket | undefined;
  readonly control: Socket | undefined;
  readonly collected: { stdout?: SubprocessReader; stderr?: SubprocessReader } = {};
  readonly done: Promise<SubprocessOutcome>;
  readonly terminate: () => void;
  readonly waitForExit: (signal?: AbortSignal) => Promise<boolean>;
  readonly report: () => SubprocessReport;
  readonly inspect: () => Promise<SubprocessInspection>;
  readonly lines: (stream: 'stdout' | 'stderr', options?: LinesOptions) => AsyncGenerator<SubprocessLine, void, undefined>;
  readonly [Symbol.asyncDispose]: () => Promise<void> = async () => {
    this.terminate();
    await this.waitForExit();
  };

  constructor(range: Range, stdio: SubprocessStdio) {
    const fds = range.native.fds ?? NO_ENDS;
    this.stdin = stdio.stdin === 'pipe' ? openInput(fds.stdin, () => launchFailed(range)) : undefined;
    this.stdout = this.open(range, 1, stdio.stdout, fds.stdout);
    this.stderr = this.open(range, 2, stdio.stderr, fds.stderr);
    this.control = stdio.control === 'pipe' ? openControl(fds.control) : undefined;
    this.done = range.done;
    this.terminate = () => range.terminate();
    this.waitForExit = (signal) => range.waitForExit(signal);
    this.report = () => reportOf(range);
    this.inspect = async () => ({ members: await range.inspect() });
    this.lines = (stream, options) => {
      const reader = this.collected[stream];
      if (reader === undefined) throw wrongValue(`The stream '${String(stream)}' is not collected; ask for it with { maxBytes }`);
      return followLines(reader, options);
    };
    ranges.set(range.done, range);
    range.observers.push({ launchFailed: () => this.closeStreams(), settled: () => this.stdin?.destroy() });
  }

  get pid(): number {
    const range = ranges.get(this.done);
    return range === undefined ? -1 : pidOf(range);
  }

  private open(range: Range, stream: 1 | 2, spec: OutputSpec, end: HostEnd | undefined): Socket | undefined {
    if (spec === 'inherit') return undefined;
    if (spec === 'pipe') return openOutput(end, () => range.native.streamClosed(stream));
    this.collected[stream === 1 ? 'stdout' : 'stderr'] = createReader(range, stream, spec);
    return undefined;
  }

  /** Nothing was ever written, so reading to the end loses nothing, gives 'end' to who waits for it, and frees the descriptors. */
  private closeStreams(): void {
    this.stdin?.destroy();
    this.control?.destroy();
    this.stdout?.resume();
    this.stderr?.resume();
  }
}

/** The handle of a range. The streams given by the range belong to it, and through it to the caller. */
export function createHandle<Stdio extends SubprocessStdio>(range: Range, stdio: Stdio): TypedSubprocessHandle<Stdio> {
  // The one place where what was built from `stdio` is given the type that is derived from it.
  return new Handle(range, stdio) as unknown as TypedSubprocessHandle<Stdio>;
}

function pidOf(range: Range): number {
  return range.launch === 'pending' ? range.native.waitPid(PID_WAIT_MS) : range.pid;
}

function launchFailed(range: Range): boolean {
  return range.launch === 'failed' || (range.launch === 'pending' && range.native.report().launch === 'failed');
}

export function reportOf(range: Range): SubprocessReport {
  const { stdout, stderr, ...facts }: NativeReport = range.native.report();
  const streams = {
    ...(stdout === undefined ? {} : { stdout: withoutRemovedSpill(range, stdout) }),
    ...(stderr === undefined ? {} : { stderr: withoutRemovedSpill(range, stderr) }),
  };
  return { ...facts, streams };
}
