/** A command line that makes no sense; the message names the part and the remedy. */
export class UsageError extends Error {}
