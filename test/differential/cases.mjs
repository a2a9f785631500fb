// What both providers are asked to do. Made anew in each host from the same seed, so that also what no text can carry (NaN,
// undefined, signals) is the same for both.
import { fileURLToPath } from 'node:url';

const dummy = fileURLToPath(new URL('../../build/test/dummy', import.meta.url));
const tail = (maxBytes, spill) => (spill === undefined ? { maxBytes } : { maxBytes, spill: { maxBytes: spill } });
const COLLECT = { stdin: 'ignore', stdout: tail(1 << 20), stderr: tail(1 << 20) };
/** For what the grace decides; anything else has the time that a crowded machine takes. */
const SHORT = { graceMs: 500 };
const spawn = (name, argv, more = {}) => ({ name, kind: 'spawn', spec: { argv, cwd: '/', graceMs: 10_000, stdio: COLLECT, ...more } });
const sh = (name, script, more) => spawn(name, ['/bin/sh', '-c', script], more);
const withStdio = (stdio) => ({ stdio: { ...COLLECT, ...stdio } });
const resolve = (name, command, env) => ({ name, kind: 'resolve', command, env });

/** Named situations; `act` is done once the command has printed something. */
export function listed() {
  return [
    ...[0, 1, 255].map((code) => spawn(`exit ${code}`, [dummy, 'exit', String(code)])),
    ...[9, 11, 15].map((signal) => spawn(`death by signal ${signal}`, [dummy, 'kill', String(signal)])),
    spawn('death by a signal without a name', [dummy, 'kill', '35']),
    spawn('bare name', ['sh', '-c', 'echo bare']),
    spawn('path from the directory of the child', ['bin/sh', '-c', 'echo relative']),
    spawn('missing program', ['no-such-program', 'x']),
    spawn('missing absolute program', ['/no/such', 'x']),
    spawn('a directory', ['/usr']),
    spawn('a file that is not executable', ['/etc/passwd']),
    spawn('a path below a file', ['/etc/passwd/x']),
    spawn('missing directory', ['/bin/true'], { cwd: '/no/such' }),
    spawn('a file as directory', ['/bin/true'], { cwd: '/etc/passwd' }),
    spawn('empty directory', ['/bin/true'], { cwd: '' }),
    spawn('argument too long', ['/bin/true', 'x'.repeat(1 << 20)]),
    spawn('empty argv', []), spawn('empty program', ['']),
    spawn('NUL in the program', ['a\0b']), spawn('NUL in an argument', ['/bin/true', 'a\0b']), spawn('NUL in the directory', ['/bin/true'], { cwd: 'a\0b' }),
    spawn('NUL in a value', ['/bin/true'], { env: { A: 'x\0' } }),
    ...[0, -1, NaN, Infinity, 2 ** 31].map((graceMs) => spawn(`grace of ${graceMs}`, ['/bin/true'], { graceMs })),
    spawn('aborted before', ['/bin/true'], { signal: AbortSignal.abort('reason') }),
    spawn('aborted before, without a reason', ['/bin/true'], { signal: AbortSignal.abort(null) }),
    spawn('reserved variable', ['/bin/true'], { env: { DSH_SUBPROCESS_CONTROL: 'x' } }),
    ...[-1, 1.5, NaN].map((size) => spawn(`tail of ${size} bytes`, ['/bin/true'], withStdio({ stdout: tail(size) }))),
    sh('environment', 'env | grep -E "^(GIVEN|EMPTY|MY_|DSH_|TERM|Dsh)" | sort', { env: { GIVEN: 'ü', EMPTY: '', MY_TOKEN: 'given', DSH_FACT: 'given', TERM: undefined } }),
    sh('ambient environment', 'env | grep -E "^(AMBIENT|MY_|DSH_|KEYBOARD)" | sort'),
    sh('data on stdin', 'cat; echo "[$?]"', withStdio({ stdin: { data: 'ünï\n' } })),
    sh('empty data', 'cat | wc -c', withStdio({ stdin: { data: '' } })),
    sh('data that nobody reads', 'exit 7', withStdio({ stdin: { data: 'x'.repeat(1 << 20) } })),
    spawn('null device', ['/bin/cat']),
    spawn('arguments', ['/usr/bin/printf', '[%s]', '', 'a b', '$HOME', '*', 'ü✓']),
    spawn('exactly the cap', [dummy, 'write', '1', '1000', '100', '0'], withStdio({ stdout: tail(1000, 1e6) })),
    spawn('more than the cap', [dummy, 'write', '1', '5000', '333', '0'], withStdio({ stdout: tail(1000) })),
    spawn('a cap of nothing', [dummy, 'write', '1', '5000', '333', '0'], withStdio({ stdout: tail(0) })),
    spawn('spilled', [dummy, 'write', '1', '50000', '1000', '0'], withStdio({ stdout: tail(1000, 1e6) })),
    spawn('spilled over its cap', [dummy, 'write', '1', '50000', '1000', '0'], withStdio({ stdout: tail(1000, 20_000) })),
    spawn('piped', [dummy, 'write', '1', '50000', '1000', '0'], withStdio({ stdout: 'pipe' })),
    spawn('invalid UTF-8', [dummy, 'hex', '1', '0', '61ff62'], withStdio({ stdout: tail(100) })),
    spawn('a tail that begins in a character', [dummy, 'hex', '1', '0', 'e4b896e4b896'], withStdio({ stdout: tail(4) })),
    sh('text without #!', 'printf "echo text; exit 5\\n" > "$TMPDIR/text"; chmod +x "$TMPDIR/text"; exec "$TMPDIR/text"'),
    { ...sh('terminated', 'echo up; exec sleep 30'), act: 'terminate' },
    { ...sh('terminated, deaf', 'trap "" TERM; echo up; while :; do sleep 1; done', SHORT), act: 'terminate' },
    { ...spawn('terminated, polite', [dummy, 'trap-term', '9']), act: 'terminate' },
    { ...sh('aborted', 'echo up; exec sleep 30'), act: 'abort' },
    { ...sh('a daemon holds the pipe', 'sleep 30 & echo up', SHORT), act: 'await-then-terminate' },
    { ...sh('in a session of its own', 'setsid sleep 30 >/dev/null 2>&1 & echo $!; wait'), act: 'terminate', survivor: true },
    resolve('resolve: bare', 'sh', { PATH: '/usr/bin:/bin' }),
    resolve('resolve: missing', 'no-such-program'), resolve('resolve: missing, absolute', '/no/such'), resolve('resolve: directory', '/usr'),
    resolve('resolve: not executable', '/etc/passwd'), resolve('resolve: relative', './sh'), resolve('resolve: empty', ''),
    resolve('resolve: not normalised', '/bin//../bin/sh'), resolve('resolve: empty PATH', 'sh', { PATH: '' }),
  ];
}

/** `count` specifications of random size and shape, the same for the same seed. */
export function random(seed, count) {
  const next = mulberry32(seed);
  const below = (limit) => Math.floor(next() * limit);
  const one = (list) => list[below(list.length)];
  const size = () => one([0, 1, 7, 100, 4096, 65_536, 200_000]) + below(50);
  return Array.from({ length: count }, (_, at) => {
    const [fd, bytes, chunk, code] = [one([1, 2]), size(), 1 + below(9000), below(256)];
    const output = () => one([tail(size()), tail(size(), size() * 4), 'pipe']);
    const data = 'ü✓ x\n'.repeat(below(3000));
    const stdin = one(['ignore', { data }]);
    const script = `"$0" write ${fd} ${bytes} ${chunk} 0; "$0" write ${3 - fd} ${below(500)} 50 0; ${one(['', 'cat | wc -c; '])}${one([`exit ${code}`, 'kill -TERM $$', 'kill -KILL $$'])}`;
    return spawn(`random ${seed}/${at}`, ['/bin/sh', '-c', script, dummy], {
      cwd: one(['/', '/usr', '/tmp']),
      env: one([undefined, { A: 'ü', B: '' }, { PATH: '/usr/bin:/bin', HOME: undefined }]),
      stdio: { stdin, stdout: output(), stderr: output() },
    });
  });
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
