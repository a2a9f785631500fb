/** The texts of `--help`. */

export const GENERAL_HELP = `holdfast: starts a command, owns every process it starts, and ends only when nothing of it is left.

Usage:
  holdfast run [options] -- command [argument ...]
  holdfast run --help        all options, exit codes and the report
  holdfast terminal [options] -- command [argument ...]
  holdfast terminal --help   an interactive command on a terminal of its own
  holdfast doctor [--json]   which owners work here, and what to do about the others
  holdfast --version
`;

export const DOCTOR_HELP = `Usage: holdfast doctor [--json]

Tries each owner as a first command would, and shows which of them work here, why the others do not and what helps; then
the features of the kernel, the limits and the files that are used. Nothing stays behind.

Options:
  --json      the same as JSON, what runtime.diagnose() gives; a limit of null is none
  -h, --help  this text

Exit code: 0 when commands can be held by an owner that proves their end; 1 when only 'group' is left; 125 for an error
of holdfast itself.
`;

export const RUN_HELP = `Usage: holdfast run [options] -- command [argument ...]

Runs a command and owns everything that descends from it. On a terminal it shows progress and, at the end, the tail of
the output. Otherwise the output is passed through unchanged, and a slow reader slows the command down. A report follows
on standard error. Processes that outlive the command are ended: TERM, then after --grace KILL.

Options:
  --tail SIZE       how much of each stream is kept for the end, on a terminal (default 64k)
  --spill SIZE      keep the whole output in a file of up to SIZE as well; the report names it (default: no file)
  --grace TIME      from TERM to KILL, and how long after the command's exit to wait for its output (default 5s)
  --timeout TIME    end the command after this time, exit code 124 (default: never)
  --cwd DIRECTORY   where the command runs (default: here)
  --env NAME=VALUE  set a variable; may be repeated
  --owner KIND      auto, cgroup, scope, subreaper or group (default auto: the strongest that works here)
  --json            the report as one line of JSON, the last line on standard error; no progress
  -h, --help        this text

SIZE is bytes, or a number with k, m, g or t (powers of 1024). TIME is a number with ms, s, m or h.
With --spill and output that is not a terminal, the command is not slowed down: what the reader has not taken yet is
read back from the file. More than SIZE of output may then be lost, and the exit code says so (125).

Environment: inherited, without variables whose name contains KEY, PASSWORD, SECRET or TOKEN. Give those with --env.
Standard input: passed on, unless it is a terminal.
Ctrl-C, TERM and HUP end the command and all that descends from it, then holdfast. A second one ends them at once.

Exit code: the command's own; 128 + n when signal n ended it or holdfast; 124 after --timeout; 125 for an error of
holdfast itself; 126 when the command cannot be run; 127 when it is not found.
`;

export const TERMINAL_HELP = `Usage: holdfast terminal [options] -- command [argument ...]

Runs a command on a terminal of its own and passes keys, output and changes of the window's size through. What it started
is ended with it: TERM, then after --grace KILL. The terminal that you see is given back as it was, also when the command
was killed and left the mouse on or another screen open.

Options:
  --grace TIME      from TERM to KILL (default 5s)
  --cwd DIRECTORY   where the command runs (default: here)
  --env NAME=VALUE  set a variable; may be repeated
  --owner KIND      auto, cgroup, scope, subreaper or group (default auto: the strongest that works here)
  -h, --help        this text

TIME is a number with ms, s, m or h. Keys go to the command, Ctrl-C and Ctrl-Z too. TERM, INT and HUP from another process
end the command and all that descends from it, then holdfast. A second one ends them at once.

Environment: inherited, without variables whose name contains KEY, PASSWORD, SECRET or TOKEN. Give those with --env.

Exit code: the command's own; 128 + n when signal n ended it or holdfast; 125 for an error of holdfast itself; 126 when the
command cannot be run; 127 when it is not found.
`;
