import type { SubprocessTerminalHandle, SubprocessTerminalSpawnSpec } from '../../../seam/terminal.js';
import { mountExitHook } from '../../exit-hook.js';
import type { NodePtySession } from './session.js';
import { spawnOnNodePty, type NodePtyHost } from './spawn.js';

type Resolve = NodePtyHost['resolve'];

/** The terminals of node-pty that one runtime has, until each is over. */
export class NodePtyTerminals implements NodePtyHost {
  readonly environment: NodePtyHost['environment'];
  readonly resolve: Resolve;
  private readonly live = new Map<NodePtySession, () => Promise<void>>();
  private unmount: (() => void) | undefined;

  constructor(environment: NodePtyHost['environment'], resolve: Resolve) {
    this.environment = environment;
    this.resolve = resolve;
  }

  spawn(spec: SubprocessTerminalSpawnSpec): Promise<SubprocessTerminalHandle> {
    return spawnOnNodePty(spec, this);
  }

  adopt(session: NodePtySession, terminate: () => Promise<void>): { over(): void } {
    this.live.set(session, terminate);
    this.unmount ??= mountExitHook({ killAll: () => this.killAll() });
    return { over: () => this.forget(session) };
  }

  /** Terminates all of them at once, and returns the failures. */
  async end(): Promise<unknown[]> {
    const results = await Promise.allSettled([...this.live.values()].map((terminate) => terminate()));
    return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  }

  private killAll(): void {
    for (const session of this.live.keys()) session.killNow();
  }

  private forget(session: NodePtySession): void {
    this.live.delete(session);
    if (this.live.size > 0) return;
    this.unmount?.();
    this.unmount = undefined;
  }
}
