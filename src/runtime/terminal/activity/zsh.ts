/**
 * .zshenv of an interactive zsh whose ZDOTDIR names our directory. It gives ZDOTDIR back, reads the user's own .zshenv, and
 * zsh then finds all later start-up files by itself where the user has them. The two hooks write one record of fixed length
 * over the last one (see record.ts).
 *
 * - precmd and preexec lists are made by .zshrc, which comes later: the hooks are put at their end at the first prompt.
 * - What can run at the prompt without input makes prompt evidence worthless: traps, TRAP* functions (`trap` lists both) and
 *   handlers of `zle -F`. The lists go to a file because to capture them would fork at each prompt. A trap on EXIT is not
 *   listed inside of a function, and need not be: it does not run at a prompt.
 * - `1<>` overwrites without truncating, so that a reader never finds an empty record.
 */
export const ZSHENV = `# Written by holdfast for one terminal, and removed with it.
typeset -g +x __holdfast=$__HOLDFAST_SHELL
unset __HOLDFAST_SHELL
if (( \${+__HOLDFAST_ZDOTDIR} )); then
  export ZDOTDIR=$__HOLDFAST_ZDOTDIR
  unset __HOLDFAST_ZDOTDIR
else
  unset ZDOTDIR
fi

__holdfast_write() {
  builtin printf '%-8s%010d%010d\\n' $1 $$ $__holdfast_count 1<>$__holdfast/record
}

__holdfast_prompt() {
  builtin emulate -L zsh
  builtin setopt no_xtrace no_err_exit no_err_return
  (( ++__holdfast_count ))
  { builtin trap; builtin zle -F -L } >|$__holdfast/traps
  if (( ! \${preexec_functions[(I)__holdfast_command]} )); then
    __holdfast_write lost
  elif [[ -s $__holdfast/traps ]]; then
    __holdfast_write trapped
  else
    __holdfast_write prompt
  fi
} 2>/dev/null

__holdfast_command() {
  builtin emulate -L zsh
  builtin setopt no_xtrace no_err_exit no_err_return
  if (( \${precmd_functions[(I)__holdfast_prompt]} )); then
    __holdfast_write command
  else
    __holdfast_write lost
  fi
} 2>/dev/null

__holdfast_first() {
  builtin emulate -L zsh
  builtin setopt no_xtrace no_err_exit no_err_return
  precmd_functions=(\${precmd_functions:#__holdfast_first} __holdfast_prompt)
  preexec_functions+=(__holdfast_command)
  unfunction __holdfast_first
  __holdfast_prompt
} 2>/dev/null

typeset -g +x -i __holdfast_count=0
typeset -ga precmd_functions preexec_functions
precmd_functions+=(__holdfast_first)

if [[ -f \${ZDOTDIR-$HOME}/.zshenv && -r \${ZDOTDIR-$HOME}/.zshenv ]]; then
  builtin source \${ZDOTDIR-$HOME}/.zshenv
fi
`;
