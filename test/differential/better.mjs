// Where ours differs on purpose, each with its item of the conformance list; docs/drop-in.md says the same in words. A
// difference that none of these explains is a failure, and so is a rule that explains nothing any more.
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const error = (result) => result.thrown ?? result.rejected;

export const better = [
  {
    item: 147, why: 'the missing directory is named, not the program',
    explains: (name, theirs, ours) => /directory/.test(name) && ours.rejected?.syscall === 'chdir' && error(theirs) !== undefined,
  },
  {
    item: 72, why: 'an empty directory is refused',
    explains: (name, theirs, ours) => name === 'empty directory' && ours.thrown?.code === 'ERR_INVALID_ARG_VALUE',
  },
  {
    item: 76, why: 'failures of the launch reject done with Node\'s code, none is thrown',
    explains: (_, theirs, ours) => theirs.thrown !== undefined && ours.rejected !== undefined && theirs.thrown.code === ours.rejected.code && theirs.thrown.errno === ours.rejected.errno,
  },
  {
    item: 66, why: 'a size that is none is refused',
    explains: (name, theirs, ours) => /^tail of/.test(name) && ours.thrown?.name === 'RangeError',
  },
  {
    item: 152, why: 'death by a signal without a name is no success',
    explains: (name, theirs, ours) => /without a name/.test(name) && same(ours.outcome, { exitCode: null, signal: null }),
  },
  {
    item: 116, why: 'a tail begins at a whole character',
    explains: (_, theirs, ours) => same(withoutBegin(theirs), withoutBegin(ours)),
  },
  {
    item: 169, why: 'a descendant in a session of its own is ended, too',
    explains: (_, theirs, ours) => theirs.survivor === true && ours.survivor === false && same({ ...theirs, survivor: false }, ours),
  },
  {
    item: 28, why: 'an empty PATH names no directory',
    explains: (name, theirs, ours) => name === 'resolve: empty PATH' && ours.rejected?.name === 'SubprocessExecutableNotFoundError',
  },
  {
    item: '56-63', why: 'refusals have a class and a code, and say the same and more',
    explains: (_, theirs, ours) => theirs.thrown !== undefined && ours.thrown !== undefined && sayTheSame(theirs.thrown.message, ours.thrown.message),
  },
  {
    item: '14-23', why: 'a miss has a name, and the messages of the contract',
    explains: (name, theirs, ours) => name.startsWith('resolve:') && theirs.rejected !== undefined && ours.rejected !== undefined,
  },
  {
    item: 'E2BIG', why: 'the message says which argument is too long',
    explains: (_, theirs, ours) => ours.rejected?.code === 'E2BIG' && error(theirs)?.code === 'E2BIG',
  },
];

/** Texts without what a cut character at their beginning has become. */
function withoutBegin(result) {
  return { ...result, collected: Object.fromEntries(Object.entries(result.collected ?? {}).map(([name, read]) => [name, read.lossy ? { ...read, text: read.text.replace(/^\ufffd{1,3}/, '') } : read])) };
}

/** Refusals of the contract are recognised by a part of their message. */
function sayTheSame(theirs, ours) {
  return ['subprocess graceMs must be a positive finite number no greater than 2147483647', 'aborted before spawn: ', 'invalid argv: expected a non-empty program name at argv[0]',
    'null bytes', 'is reserved for subprocess control-channel setup'].some((part) => theirs.includes(part) && ours.includes(part));
}
