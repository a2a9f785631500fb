/** One thing that a follower of lines is told. */
export type SubprocessLine =
  | {
      readonly kind: 'line';
      /** Without its end (`\n` or `\r\n`); bytes that are no UTF-8 as U+FFFD. */
      readonly text: string;
      /** Whole-stream offset of its first byte. */
      readonly fromByte: number;
      /** False for a piece: the line was longer than `maxLineBytes`, or a gap has taken its beginning or its end. */
      readonly whole: boolean;
    }
  | {
      /** Output that had slid out of the tail before it was read: from `fromByte` up to `toByte`, which is not lost any more. */
      readonly kind: 'gap';
      readonly fromByte: number;
      readonly toByte: number;
      /** File with the complete stream so far. No key when there is none. */
      readonly spillPath?: string;
    };

export interface LinesOptions {
  /** Longest line in bytes, from 4 on; a longer one comes in pieces. Default 64 KiB. */
  readonly maxLineBytes?: number | undefined;
  /** Its abort ends the iteration with the signal's reason. The command is not touched. */
  readonly signal?: AbortSignal | undefined;
}
