/** Linux takes so many bytes for one argument or one `NAME=value`, without the final null (32 pages of 4 KiB). */
const LONGEST_STRING = 131_071;

/**
 * Which part of a launch was too long, for the message of E2BIG: the kernel does not say, and the limit of one string is
 * far below that of all together.
 */
export function tooLong(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const sizes = argv.map((text) => Buffer.byteLength(text));
  const longest = sizes.reduce((best, size, at) => (size > (sizes[best] ?? 0) ? at : best), 0);
  const size = sizes[longest] ?? 0;
  if (size > LONGEST_STRING) return `options.argv[${longest}] has ${size} bytes, and one argument can have ${LONGEST_STRING}; pass it by stdin or a file`;
  // Names only: a value may be a credential.
  for (const [name, value = ''] of Object.entries(env)) {
    const entry = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (entry > LONGEST_STRING) return `the variable ${name} has ${entry} bytes with its name, and one variable can have ${LONGEST_STRING}`;
  }
  const total = sizes.reduce((sum, one) => sum + one + 1, 0);
  return `${argv.length} arguments have ${total} bytes, the longest is options.argv[${longest}] with ${size}, and with the environment they are more than the system takes`;
}
