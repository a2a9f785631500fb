import type { NativeForeground } from '../../../binding.js';
import { wrongType } from '../../../seam/errors.js';
import type { SubprocessReport } from '../../../seam/facts.js';
import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec, TerminalSignal } from '../../../seam/terminal.js';
import { systemError } from '../../failure.js';
import { withoutPrompts } from '../activity.js';
import { checkSide } from '../check-spec.js';
import { noForegroundError, shellInForegroundError } from '../failure.js';
import { checkTerminalSignal, killPatience, retrying } from '../termination.js';
import { signalProcess } from './processes.js';
import type { NodePtySession } from './session.js';
import type { NodePtyHost } from './spawn.js';

/** The handle of a terminal of node-pty: the same members, with what node-pty and `ps` can tell behind them. */
export function nodePtyHandle(session: NodePtySession, spec: SubprocessTerminalSpawnSpec, host: NodePtyHost): SubprocessTerminalHandle {
  const { pid } = session;
  const foreground = async (): Promise<NativeForeground | undefined> => {
    const processGroupId = await session.foreground();
    return processGroupId === undefined ? undefined : { processGroupId, inputWait: 'unseen' };
  };
  // No hooks: they need a launch that is still to be made.
  const activity = withoutPrompts({ argv: spec.argv, env: {} }).observe({
    pid, foreground, exited: () => session.exited, empty: () => session.empty, members: () => session.members(),
  });
  const terminate = retrying(() => session.end(spec.graceMs, killPatience(spec.graceMs)).then(() => adopted.over()));
  const adopted = host.adopt(session, terminate);
  // What fails is tried again, and told, by the runtime's disposal.
  if (spec.shellActivity !== true) void session.done.then(terminate).catch(() => {});
  return {
    pid,
    output: session.output,
    done: session.done,
    write: async (text) => {
      if (typeof text !== 'string') throw wrongType('text', 'a string', text);
      session.write(text);
    },
    resize: async (cols, rows) => {
      checkSide('cols', cols);
      checkSide('rows', rows);
      session.resize(cols, rows);
    },
    inspectForeground: async () => {
      const found = await foreground();
      return found === undefined ? undefined : { processGroupId: found.processGroupId, inputWaiting: false };
    },
    inspectActivity: () => activity.inspect(),
    signalForeground: (signal) => signalForeground(session, signal),
    terminate,
    report: () => reportOf(session),
    inspect: async () => ({ members: await session.members() }),
    [Symbol.asyncDispose]: terminate,
  };
}

async function signalForeground(session: NodePtySession, signal: TerminalSignal): Promise<number> {
  checkTerminalSignal(signal);
  const group = await session.foreground();
  if (group === undefined) throw noForegroundError(session.pid);
  if (signal === 'SIGKILL' && group === session.pid) throw shellInForegroundError();
  try {
    if (signalProcess(-group, signal)) return group;
  } catch (error) {
    throw systemError((error as NodeJS.ErrnoException).code ?? 'UNKNOWN', 'kill', '', 'terminal');
  }
  throw noForegroundError(session.pid);
}

function reportOf(session: NodePtySession): SubprocessReport {
  const none = { count: 0, listed: [] };
  return {
    launch: 'started',
    pid: session.pid,
    owner: 'group',
    proof: session.empty ? 'observed' : 'pending',
    drain: session.exited ? 'eof' : 'pending',
    streams: {},
    strays: none,
    escaped: none,
  };
}
