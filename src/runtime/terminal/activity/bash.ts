/**
 * Start-up file of an interactive bash, given with --rcfile. It reads the user's own ~/.bashrc, which bash would have read
 * in its place, and then adds two hooks that write one record of fixed length over the last one (see record.ts).
 *
 * - The prompt hook comes last in PROMPT_COMMAND. The command hook is the end of PS0, which bash expands between reading a
 *   command and running it. A DEBUG trap could do both, but a shell has only one, and it is the user's.
 * - `trap -p` stands in PROMPT_COMMAND itself: inside of a function bash hides DEBUG, ERR and RETURN traps. It writes to a
 *   file because to capture it would fork at each prompt.
 * - PROMPT_COMMAND and PS0 may be exported to shells that know no such function: there `__holdfast_traps` is not set,
 *   and the hooks expand to no word at all. Quotes inside of the braces keep the user's IFS from splitting them.
 * - The hooks return 0: bash restores `$?` by itself, and anything else would fire the user's ERR trap once more.
 * - `1<>` overwrites without truncating, so that a reader never finds an empty record; noclobber does not forbid it.
 * - Functions and variables are made before ~/.bashrc, to keep its aliases and `set -a` out; `local -` does that for the options of the moment.
 */
export const BASH_RC = `# Written by holdfast for one terminal, and removed with it.
__holdfast=$__HOLDFAST_SHELL
builtin unset -v __HOLDFAST_SHELL
__holdfast_count=0
__holdfast_traps=$__holdfast/traps

__holdfast_write() {
  builtin printf '%-8s%010d%010d\\n' "$1" "$$" "$__holdfast_count" 1<>"$__holdfast/record" || builtin :
}

__holdfast_prompt() {
  builtin local -
  builtin set +aeuvx
  __holdfast_count=$((__holdfast_count + 1))
  if [[ \${PS0-} != *__holdfast_command* ]]; then
    __holdfast_write lost
  elif [[ -s $__holdfast_traps ]]; then
    __holdfast_write trapped
  else
    __holdfast_write prompt
  fi
} 2>/dev/null

__holdfast_command() {
  builtin local -
  builtin set +aeuvx
  if [[ \${PROMPT_COMMAND[*]-} == *__holdfast_prompt* ]]; then
    __holdfast_write command
  else
    __holdfast_write lost
  fi
} 2>/dev/null

if [[ -f ~/.bashrc && -r ~/.bashrc ]]; then
  builtin source ~/.bashrc
fi

# PS0 came with bash 4.4. Variables that are read-only cannot be hooked, and a failed assignment would end this file.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && builtin shopt -q promptvars && (PROMPT_COMMAND= PS0=) 2>/dev/null; then
  __holdfast_hook='builtin trap -p >|"\${__holdfast_traps-/dev/null}"
\${__holdfast_traps+"__holdfast_prompt"}'
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) && [[ $(builtin declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND+=("$__holdfast_hook")
  else
    PROMPT_COMMAND=\${PROMPT_COMMAND:+$PROMPT_COMMAND$'\\n'}$__holdfast_hook
  fi
  PS0=\${PS0-}'\${__holdfast_traps+$(__holdfast_command)}'
  builtin unset -v __holdfast_hook
else
  builtin unset -v __holdfast __holdfast_count __holdfast_traps
  builtin unset -f __holdfast_write __holdfast_prompt __holdfast_command
fi
`;
