// The documented members of QiLin's package, which is on no public registry: enough to compile against. Not shipped; where
// the real package is installed, its own declarations are used.
declare module '@qilin-agent/subprocess' {
  import type { Duplex, Readable, Writable } from 'node:stream';

  export const QILIN_ENV_PREFIX: 'QILIN_';
  export const SUBPROCESS_CONTROL_ENV: 'QILIN_SUBPROCESS_CONTROL';
  export const SENSITIVE_ENV_PATTERN: RegExp;
  export function scrubbedParentEnv(): Record<string, string>;
  export class SubprocessExecutableNotFoundError extends Error {}

  interface SubprocessCollect {
    maxBytes: number;
    spill?: { maxBytes: number };
  }
  export interface SubprocessSpawnSpec {
    argv: readonly string[];
    cwd: string;
    stdio: {
      stdin: 'ignore' | 'pipe' | { readonly data: string };
      stdout: 'pipe' | 'inherit' | SubprocessCollect;
      stderr: 'pipe' | 'inherit' | SubprocessCollect;
      control?: 'pipe' | undefined;
    };
    graceMs: number;
    signal?: AbortSignal | undefined;
    env?: Readonly<Record<string, string | undefined>> | undefined;
  }
  export interface SubprocessOutcome {
    exitCode: number | null;
    signal: NodeJS.Signals | null;
  }
  export interface SubprocessOutputReader {
    readFrom(fromByte: number): { text: string; nextOffset: number; lossy: boolean; spillPath?: string };
  }
  export interface SubprocessHandle {
    readonly stdin: Writable | undefined;
    readonly stdout: Readable | undefined;
    readonly stderr: Readable | undefined;
    readonly control: Duplex | undefined;
    readonly collected: { readonly stdout?: SubprocessOutputReader; readonly stderr?: SubprocessOutputReader };
    readonly done: Promise<SubprocessOutcome>;
    terminate(): void;
    waitForExit(signal?: AbortSignal): Promise<boolean>;
  }
  export interface SubprocessTerminalSpawnSpec {
    argv: readonly string[];
    cwd: string;
    env?: Readonly<Record<string, string>> | undefined;
    rows: number;
    cols: number;
    terminalType: string;
    shellActivity?: boolean | undefined;
    graceMs: number;
    signal?: AbortSignal | undefined;
  }
  export interface SubprocessTerminalHandle {
    readonly pid: number;
    readonly output: Readable;
    readonly done: Promise<SubprocessOutcome>;
    write(text: string): Promise<void>;
    resize(cols: number, rows: number): Promise<void>;
    inspectForeground(): Promise<{ processGroupId: number; inputWaiting: boolean } | undefined>;
    signalForeground(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGTSTP' | 'SIGHUP'): Promise<number>;
    inspectActivity(): Promise<{ state: 'idle' | 'busy' | 'unknown'; revision: number }>;
    terminate(): Promise<void>;
  }
  export abstract class SubprocessRuntime {
    constructor(ctx: object);
    abstract resolveExecutable(command: string, env?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>;
    abstract terminalEnvironment(signal?: AbortSignal): Promise<{ platform: 'posix' | 'windows'; defaultShell?: string }>;
    abstract spawn(spec: SubprocessSpawnSpec): SubprocessHandle;
    abstract spawnTerminal(spec: SubprocessTerminalSpawnSpec): Promise<SubprocessTerminalHandle>;
  }
  export default SubprocessRuntime;
}
