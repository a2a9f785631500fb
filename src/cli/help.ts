/** The texts of `--help`. Every line of their examples that starts with `holdfast` is run by a test. */
import type { Topic } from './arguments.js';

const GENERAL_HELP = `holdfast: starts a command, owns every process it starts, and ends only when nothing of it is left.

Usage:
  holdfast run [options] -- command [argument ...]        a command, its output and a report
  holdfast terminal [options] -- command [argument ...]   an interactive command on a terminal of its own
  holdfast tree [PID]            what a running program holds, as a tree
  holdfast doctor                which owners work here, and what to do about the others
  holdfast bench                 how fast it is on this machine, in less than two minutes
  holdfast completion bash|zsh   a script for the shell
  holdfast VERB --help           options, exit codes and examples
  holdfast --version

Example:
  holdfast run -- make -j2
`;

const DOCTOR_HELP = `Usage: holdfast doctor [--json]

Tries each owner as a first command would, and shows which of them work here, why the others do not and what helps; then
the features of the kernel, the limits and the files that are used. Nothing stays behind.

Options:
  --json      the same as JSON, what runtime.diagnose() gives; a limit of null is none
  -h, --help  this text

Examples:
  holdfast doctor
  holdfast doctor --json

Exit code: 0 when commands can be held by an owner that proves their end; 1 when only 'group' is left; 125 for an error
of holdfast itself.
`;

const RUN_HELP = `Usage: holdfast run [options] -- command [argument ...]

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
  --limit-memory SIZE      memory of all its processes together; the kernel ends one that goes beyond it
  --limit-processes COUNT  processes and threads at one time; beyond it a fork fails
  -q, --quiet       no progress, and no report but of an error of holdfast itself
  --json            the report as one line of JSON, the last line on standard error; no progress
  -h, --help        this text

SIZE is bytes, or a number with k, m, g or t (powers of 1024). TIME is a number with ms, s, m or h.
Limits need an owner that can enforce them, mostly a scope; without one nothing is started, exit code 125 and the reason.
With --spill and output that is not a terminal, the command is not slowed down: what the reader has not taken yet is
read back from the file. More than SIZE of output may then be lost, and the exit code says so (125).

Environment: inherited, without variables whose name contains KEY, PASSWORD, SECRET or TOKEN. Give those with --env.
Standard input: passed on, unless it is a terminal.
Ctrl-C, TERM and HUP end the command and all that descends from it, then holdfast. A second one ends them at once.

Examples:
  holdfast run -- make -j2
  holdfast run --timeout 10m --spill 1g -- npm test
  holdfast run --quiet -- sh -c 'sleep 600 & echo started'
  holdfast run --json -- git status 2>report.json

Exit code: the command's own; 128 + n when signal n ended it or holdfast; 124 after --timeout; 125 for an error of
holdfast itself; 126 when the command cannot be run; 127 when it is not found.
`;

const TERMINAL_HELP = `Usage: holdfast terminal [options] -- command [argument ...]

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

Examples:
  holdfast terminal -- bash
  holdfast terminal --owner subreaper -- vim notes.txt

Exit code: the command's own; 128 + n when signal n ended it or holdfast; 125 for an error of holdfast itself; 126 when the
command cannot be run; 127 when it is not found.
`;

const TREE_HELP = `Usage: holdfast tree [PID] [--json]

Shows the live processes of every command that the program with this process id holds, as a tree, with their state, memory
and the processor time they have used; without an id, of every program of yours. Nothing is asked of that program and nothing
is changed: the groups, the helper processes and the parents that /proc shows say it all.

It cannot see: commands of the owner 'group', which nothing tells from other children of the program; programs in another
process namespace (look from inside of the container); processes of other users where /proc is mounted with hidepid.

Options:
  --json      the same as JSON
  -h, --help  this text

Examples:
  holdfast tree
  holdfast tree --json

Exit code: 0; 1 when there is no such program, or it holds nothing; 125 for an error of holdfast itself.
`;

const BENCH_HELP = `Usage: holdfast bench [--json]

Asks the questions that matter of Holdfast and of Node's child_process, one after the other, and draws the answers as bars.
Takes less than two minutes; other work on the machine disturbs it. The full measurements: npm run bench in a checkout.

Options:
  --json      the numbers as JSON
  -h, --help  this text

Examples:
  holdfast bench

Exit code: 0; 125 for an error of holdfast itself.
`;

const COMPLETION_HELP = `Usage: holdfast completion bash|zsh

Prints a script that teaches the shell the words and options of holdfast.

Options:
  -h, --help  this text

Examples:
  holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
  holdfast completion zsh > ~/.zfunc/_holdfast

Exit code: 0; 125 for another shell.
`;

export const HELP: Readonly<Record<'general' | Topic, string>> = {
  general: GENERAL_HELP,
  run: RUN_HELP,
  terminal: TERMINAL_HELP,
  tree: TREE_HELP,
  doctor: DOCTOR_HELP,
  bench: BENCH_HELP,
  completion: COMPLETION_HELP,
};
