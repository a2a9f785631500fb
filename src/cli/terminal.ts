import { LocalSubprocessRuntime, type SubprocessTerminalHandle } from '../index.js';
import type { TerminalOptions } from './arguments.js';
import { EXIT_OWN_ERROR, launchErrorExitCode, outcomeExitCode, signalExitCode } from './exit-code.js';
import { onInterrupt } from './interrupts.js';
import { type OwnTerminal, takeTerminal } from './own-terminal.js';
import { ScreenModes } from './screen-modes.js';
import { flushed, isGone, type Sink, writeAll } from './sink.js';
import { UsageError } from './usage-error.js';

/**
 * Runs the command on a terminal of its own and shows that on the user's; resolves with the exit code of holdfast when
 * nothing of the command is left and the user's terminal is as it was.
 */
export async function terminal(options: TerminalOptions): Promise<number> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) throw new UsageError('standard input and output must be a terminal; use holdfast run for anything else');
  const modes = new ScreenModes();
  const sink: Sink = { name: 'standard output', stream: stdout, before: (chunk) => modes.watch(chunk) };
  const runtime = new LocalSubprocessRuntime({ ownership: options.owner, onWarning: () => {} });
  const leaveScreen = (): void => {
    if (!isGone(stdout)) stdout.write(modes.resets());
  };
  let own: OwnTerminal | undefined;
  let message = '';
  let exitCode: number;
  try {
    let resize = (): void => {};
    own = takeTerminal(stdin, stdout, () => resize());
    const session = await open(runtime, options, own);
    resize = () => void session.resize(own?.size().cols ?? 80, own?.size().rows ?? 24).catch(() => {});
    const { code, interrupted } = await attend(session, sink, () => resize(), leaveScreen);
    exitCode = code;
    const { strays } = session.report();
    if (strays.count > 0 && !interrupted) message = `holdfast: ended ${strays.count} ${strays.count === 1 ? 'process' : 'processes'} that outlived the command\n`;
  } catch (error) {
    exitCode = launchErrorExitCode(error);
    message = `holdfast: ${error instanceof Error ? error.message : String(error)}\n`;
  }
  await runtime.dispose().catch((error: unknown) => {
    exitCode = EXIT_OWN_ERROR;
    message += `holdfast: ${String(error)}\n`;
  });
  leaveScreen();
  own?.restore();
  process.stderr.write(message);
  await flushed(process.stderr);
  return exitCode;
}

function open(runtime: LocalSubprocessRuntime, options: TerminalOptions, own: OwnTerminal): Promise<SubprocessTerminalHandle> {
  const { command, cwd, env, graceMs } = options;
  return runtime.spawnTerminal({ argv: command, cwd, env, graceMs, ...own.size(), terminalType: process.env['TERM'] || 'xterm-256color' });
}

/** From the first key to the last byte of output. */
async function attend(session: SubprocessTerminalHandle, sink: Sink, resize: () => void, leaveScreen: () => void): Promise<{ code: number; interrupted: boolean }> {
  const { stdin, stdout } = process;
  const end = (): void => void session.terminate().catch(() => {}); // dispose() reports what could not be ended
  const interrupts = onInterrupt(end, leaveScreen);
  let hungUp = false;
  const hangUp = (): void => {
    hungUp = true;
    end();
  };
  stdin.setEncoding('utf8');
  // One write at a time: a program that does not read must not make this process collect what is pasted for it.
  const type = (text: string): void => {
    stdin.pause();
    session.write(text).then(
      () => stdin.resume(),
      () => {}, // it has ended
    );
  };
  stdin.on('data', type).on('end', hangUp).on('error', hangUp);
  stdout.on('resize', resize);
  resize(); // it may have changed since the launch
  try {
    for await (const chunk of session.output as AsyncIterable<Buffer>) {
      if (!(await writeAll(sink, chunk))) hangUp();
    }
    const outcome = await session.done;
    await session.terminate();
    const signal = interrupts.received() ?? (hungUp ? 'SIGHUP' : undefined);
    return { code: signal === undefined ? outcomeExitCode(outcome) : signalExitCode(signal), interrupted: signal !== undefined };
  } finally {
    interrupts.stop();
    stdin.off('data', type).off('end', hangUp).pause();
    stdout.off('resize', resize);
  }
}
