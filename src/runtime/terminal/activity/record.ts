/** What the hooks of a shell have written last. */
export interface ShellRecord {
  /**
   * `prompt`: about to read a command. `trapped`: the same, but handlers of the user may run at the prompt. `command`: a
   * command was read and is run. `lost`: one of the two hooks has been taken out, and no later record would be complete.
   */
  readonly kind: 'prompt' | 'trapped' | 'command' | 'lost';
  /** Process that wrote it, in its own pid namespace. */
  readonly pid: number;
  /** Number of the prompt, from 1; a command has the number of the prompt at which it was given. */
  readonly prompt: number;
}

/** Length of a record in bytes. It never changes, so that one write always covers the last record completely. */
export const RECORD_BYTES = 29;

const FORM = /^(prompt|trapped|command|lost) +(\d{10})(\d{10})\n$/;

/** The record, or undefined for what is none: nothing written yet, or a write caught in the middle. */
export function parseRecord(text: string): ShellRecord | undefined {
  const match = text.length === RECORD_BYTES ? FORM.exec(text) : null;
  if (match === null) return undefined;
  return { kind: match[1] as ShellRecord['kind'], pid: Number(match[2]), prompt: Number(match[3]) };
}
