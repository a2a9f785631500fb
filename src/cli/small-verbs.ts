import { UsageError } from './usage-error.js';

/** The shells that a completion script is written for. */
export const SHELLS = ['bash', 'zsh'] as const;

export type SmallInvocation =
  | { readonly kind: 'doctor'; readonly json: boolean }
  | { readonly kind: 'bench'; readonly json: boolean }
  | { readonly kind: 'tree'; readonly json: boolean; /** Of the host; undefined for all. */ readonly pid: number | undefined }
  | { readonly kind: 'completion'; readonly shell: (typeof SHELLS)[number] };

/** The verbs that start no command of the user's. @throws UsageError */
export function parseSmallVerb(verb: SmallInvocation['kind'], words: readonly string[]): SmallInvocation {
  if (verb === 'completion') return { kind: verb, shell: shellOf(words) };
  const rest = words.filter((word) => word !== '--json');
  const json = rest.length < words.length;
  if (verb === 'tree') return { kind: verb, json, pid: pidOf(rest) };
  if (rest[0] !== undefined) throw new UsageError(`holdfast ${verb} takes --json and nothing else, not ${JSON.stringify(rest[0])}`);
  return { kind: verb, json };
}

function pidOf([word, more]: readonly string[]): number | undefined {
  if (word === undefined) return undefined;
  if (more !== undefined || !/^[1-9]\d{0,9}$/.test(word)) {
    throw new UsageError(`holdfast tree takes one process id and --json, not ${JSON.stringify(more ?? word)}`);
  }
  return Number(word);
}

function shellOf([word, more]: readonly string[]): (typeof SHELLS)[number] {
  const shell = SHELLS.find((known) => known === word);
  if (shell === undefined || more !== undefined) throw new UsageError(`write holdfast completion ${SHELLS.join(' or holdfast completion ')}`);
  return shell;
}
