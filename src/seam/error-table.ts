/**
 * Every code that this package gives to an error of its own, in one place: which class carries it, whether it is thrown
 * by the call or rejects a promise, when it happens and what helps. Operating system codes (ENOENT, EMFILE …) come on
 * top of these, unchanged. docs/errors.md is written from both tables.
 */

/** One row of {@link ERROR_TABLE}. */
export interface ErrorRow {
  readonly code: string;
  readonly class: 'TypeError' | 'RangeError' | 'SubprocessError' | 'Error';
  /** `throws`: by the call itself, nothing was started. `rejects`: a promise such as `done`. */
  readonly how: 'throws' | 'rejects' | 'either';
  readonly when: string;
  readonly remedy: string;
}

export const ERROR_TABLE = [
  {
    code: 'ERR_INVALID_ARG_TYPE',
    class: 'TypeError',
    how: 'either',
    when: 'An argument or a part of the specification has the wrong type.',
    remedy: 'The message names the property and the type that it needs.',
  },
  {
    code: 'ERR_INVALID_ARG_VALUE',
    class: 'TypeError',
    how: 'either',
    when: 'The type is right and the value cannot be used: an empty program, a NUL byte, a reserved variable, an unknown owner.',
    remedy: 'The message names the property and what it accepts.',
  },
  {
    code: 'ERR_OUT_OF_RANGE',
    class: 'RangeError',
    how: 'either',
    when: 'A number lies outside its range: graceMs, a size, an offset, an age.',
    remedy: 'The message gives the range.',
  },
  {
    code: 'ABORT_ERR',
    class: 'SubprocessError',
    how: 'throws',
    when: 'The signal of the specification was aborted before the call. `cause` is the reason.',
    remedy: 'Nothing was started; spawn again with a fresh signal.',
  },
  {
    code: 'DISPOSED',
    class: 'SubprocessError',
    how: 'throws',
    when: 'spawn() after dispose() was called.',
    remedy: 'Create a new runtime.',
  },
  {
    code: 'ERR_ACCESS_DENIED',
    class: 'SubprocessError',
    how: 'throws',
    when: "Node's permission model is on and child processes are not permitted.",
    remedy: 'Start node with --allow-child-process and --allow-addons.',
  },
  {
    code: 'BINARY_UNAVAILABLE',
    class: 'Error',
    how: 'either',
    when: 'The native binary cannot be loaded. The message says what was tried and why each attempt failed.',
    remedy: 'The message has the command for this platform.',
  },
  {
    code: 'OWNER_UNAVAILABLE',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'None of the owners that `ownership` requires can be used here. The message has the reason of each.',
    remedy: "Allow another owner, or end the list with 'auto'.",
  },
  {
    code: 'LIMITS_UNAVAILABLE',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'No owner that may be used can enforce the limits of the specification. The message has the reason of each.',
    remedy: "Allow the owner 'scope', or start the host in a cgroup whose controllers are enabled for its children.",
  },
  {
    code: 'OWNER_LOST',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'The owner of the range can no longer be observed, so that neither the exit nor emptiness can be told.',
    remedy: 'Call terminate(); treat the command as possibly still running.',
  },
  {
    code: 'COMMAND_FAILED',
    class: 'Error',
    how: 'rejects',
    when: 'collect() with `check`, and the command did not exit by itself with code 0. The class is CommandFailedError.',
    remedy: 'Look at `result`: it has the exit code, the output and the report.',
  },
  {
    code: 'TERMINAL_EXITED',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'Input or a new size for a terminal whose top-level process has exited.',
    remedy: 'Look at `done` of the terminal; it takes nothing any more.',
  },
  {
    code: 'NO_FOREGROUND',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'signalForeground() on a terminal without a foreground process group, such as one whose shell has exited.',
    remedy: 'terminate() ends what is left.',
  },
  {
    code: 'SHELL_IN_FOREGROUND',
    class: 'SubprocessError',
    how: 'rejects',
    when: "signalForeground('SIGKILL') while the top-level process itself is in the foreground.",
    remedy: 'terminate() the terminal instead.',
  },
  {
    code: 'CLEANUP_FAILED',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'Members of a terminal have outlived their KILL, because they hang in the kernel. The message has their process ids.',
    remedy: 'Call terminate() again when what they wait for (a dead network file system, for example) is there.',
  },
  {
    code: 'BACKEND_UNAVAILABLE',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'node-pty is the terminal backend, and cannot be loaded. `cause` says why.',
    remedy: "npm install node-pty@npm:@lydell/node-pty, or terminalBackend: 'native'.",
  },
  {
    code: 'UNKNOWN',
    class: 'SubprocessError',
    how: 'rejects',
    when: 'The system gave an error that has no name on this platform. The message has the raw value.',
    remedy: 'Report it, with the message.',
  },
] as const;

/** One row of {@link SYSTEM_ERRORS}. */
export interface SystemErrorRow {
  readonly code: string;
  /** Values of `stage` that it comes with. */
  readonly stages: readonly string[];
  readonly when: string;
  readonly remedy: string;
}

/**
 * Operating system codes that a SubprocessError commonly has, and what each means at its place. Others pass through
 * unchanged. Codes of a spill are no errors of `done`: `report()` and the reads have them.
 */
export const SYSTEM_ERRORS: readonly SystemErrorRow[] = [
  {
    code: 'ENOENT',
    stages: ['resolve', 'launch'],
    when: "The program is not there or not on the child's PATH, the interpreter of a script is missing, or, with syscall `chdir`, the working directory.",
    remedy: 'Look at `syscall` and `path`: they tell which of them it was.',
  },
  {
    code: 'EACCES',
    stages: ['resolve', 'launch'],
    when: 'The program has no execute bit, is a directory, or lies on a noexec mount; with syscall `chdir`, the working directory may not be entered.',
    remedy: 'Change the mode of what `path` names, or name another one.',
  },
  {
    code: 'ENOTDIR',
    stages: ['resolve', 'launch'],
    when: 'A part of the path, or the working directory (syscall `chdir`), is a file.',
    remedy: 'Correct the path.',
  },
  {
    code: 'ELOOP',
    stages: ['resolve', 'launch'],
    when: 'Links of the path lead in a circle.',
    remedy: 'Correct the links.',
  },
  {
    code: 'ENAMETOOLONG',
    stages: ['resolve', 'launch'],
    when: 'The path or a name in it is longer than the system takes.',
    remedy: 'Use a shorter path.',
  },
  {
    code: 'E2BIG',
    stages: ['launch'],
    when: 'One argument or variable has more than 131071 bytes, or all of them together more than the system takes. The message says which one, and how long it is.',
    remedy: 'Pass it by stdin or in a file.',
  },
  {
    code: 'ENOEXEC',
    stages: ['launch'],
    when: 'The file can be executed by its mode, and is neither a program for this machine nor text for /bin/sh.',
    remedy: 'Install the program for this platform.',
  },
  {
    code: 'ETXTBSY',
    stages: ['launch'],
    when: 'Somebody still has the program open for writing. Where a warden launches, it was tried again for 60 ms.',
    remedy: 'Close it before it is started.',
  },
  {
    code: 'EMFILE',
    stages: ['own', 'io', 'launch'],
    when: 'This process has no descriptors left. Nothing was started.',
    remedy: 'Close some, raise `ulimit -n`, or start fewer commands at once; then spawn again.',
  },
  {
    code: 'ENFILE',
    stages: ['own', 'io', 'launch'],
    when: 'The system has no descriptors left. Nothing was started.',
    remedy: 'Spawn again later, or raise fs.file-max.',
  },
  {
    code: 'EAGAIN',
    stages: ['own', 'launch'],
    when: 'The user, or the control group, has as many processes and threads as are allowed. Nothing was started.',
    remedy: 'End some, or raise `ulimit -u` or pids.max; then spawn again.',
  },
  {
    code: 'ENOMEM',
    stages: ['own', 'io', 'launch'],
    when: 'The kernel has no memory for a process, a pipe or a thread. Nothing was started.',
    remedy: 'Free memory; then spawn again.',
  },
  {
    code: 'EFBIG',
    stages: ['spill', 'launch'],
    when: 'The limit of file size (`ulimit -f`) was reached by the spill file, or by arguments and environment of more than a pipe takes.',
    remedy: 'Raise the limit.',
  },
  {
    code: 'ENOSPC',
    stages: ['spill'],
    when: 'The file system of the spill is full of bytes or of files. The file was removed and the tail went on.',
    remedy: 'Make room, or name another `spillDirectory`.',
  },
  {
    code: 'ENOSPC',
    stages: ['terminal'],
    when: 'The machine has no terminal left (kernel.pty.max, or the limit of a container).',
    remedy: 'Terminate terminals that are not needed, or raise the limit.',
  },
  {
    code: 'EROFS',
    stages: ['spill'],
    when: 'The file system of the spill is read-only. There is no file, and the tail went on.',
    remedy: 'Name another `spillDirectory`.',
  },
  {
    code: 'EIO',
    stages: ['spill', 'resolve'],
    when: 'A disk or a network file system failed under the spill file, or under a directory of PATH.',
    remedy: 'Look at the file system that `path` lies on.',
  },
];
