import { OPTIONS_OF, OWNERS, TOPICS } from './arguments.js';
import { SHELLS } from './small-verbs.js';

const optionsOf = (verb: 'run' | 'terminal'): string => OPTIONS_OF[verb].map((name) => `--${name}`).join(' ');

/**
 * Made of the same tables as the parser, so that the two cannot differ. Behind `--`, or the first word that is no option,
 * the shell completes the command as if it stood alone.
 */
export function completionScript(shell: (typeof SHELLS)[number]): string {
  return shell === 'bash' ? BASH : ZSH;
}

const BASH = `_holdfast() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${TOPICS.join(' ')} --help --version" -- "$word"))
    return
  fi
  case $before in
    --owner) COMPREPLY=($(compgen -W "${OWNERS.join(' ')}" -- "$word")); return ;;
    --cwd) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --) COMPREPLY=($(compgen -c -- "$word")); return ;;
  esac
  case $verb in
    run) [ "\${word#-}" = "$word" ] && COMPREPLY=($(compgen -c -f -- "$word")) || COMPREPLY=($(compgen -W "${optionsOf('run')}" -- "$word")) ;;
    terminal) [ "\${word#-}" = "$word" ] && COMPREPLY=($(compgen -c -f -- "$word")) || COMPREPLY=($(compgen -W "${optionsOf('terminal')}" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "${SHELLS.join(' ')}" -- "$word")) ;;
    tree | doctor | bench) COMPREPLY=($(compgen -W "--json --help" -- "$word")) ;;
  esac
}
complete -F _holdfast holdfast
`;

/**
 * zsh runs bash's scripts by bashcompinit: one script to keep right. It loads this file as a function at the first Tab, which
 * would only define things and complete nothing: so that Tab is answered here.
 */
const ZSH = `#compdef holdfast
autoload -U +X bashcompinit && bashcompinit
${BASH}[ "$funcstack[1]" = _holdfast ] && _bash_complete -F _holdfast
`;
