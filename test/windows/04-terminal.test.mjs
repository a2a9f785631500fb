// Commands on a terminal of the system's own (ConPTY). Wine gives a program on it no streams: there the probe opens them first.
import assert from 'node:assert/strict';
import { alive, bed, eventually, it, probe, underWine } from './support.mjs';

const { folder, runtime } = bed();
const onTerminal = (...argv) => (underWine ? [probe, 'on-console', ...argv] : argv);
const open = (argv, more = {}) => runtime.spawnTerminal({ argv: onTerminal(...argv), cwd: folder, rows: 30, cols: 100, terminalType: 'xterm-256color', graceMs: 5000, ...more });

/** The output as it grows, without the escape sequences in it. */
function follow(terminal) {
  const screen = { text: '', ended: false };
  terminal.output.setEncoding('utf8').on('data', (chunk) => { screen.text += chunk; }).on('end', () => { screen.ended = true; });
  const plain = () => screen.text.replace(/\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]/g, '');
  return { plain, ended: () => eventually(() => screen.ended), shows: (text) => eventually(() => plain().includes(text)) };
}

it('output is delivered to its end, and the exit code told', async () => {
  const terminal = await open([probe, 'say', 'on the screen', '6']);
  const screen = follow(terminal);
  assert.deepEqual(await terminal.done, { exitCode: 6, signal: null });
  await screen.ended();
  assert.match(screen.plain(), /on the screen/);
  await terminal.terminate();
  assert.equal(terminal.report().proof, 'proven');
});

it('what is typed arrives', async () => {
  const terminal = await open([probe, 'read-console']);
  const screen = follow(terminal);
  await screen.shows('ready');
  await terminal.write('hello\r');
  await screen.shows('[hello]');
  await terminal.write('end\r');
  assert.deepEqual(await terminal.done, { exitCode: 6, signal: null });
  await screen.ended();
  await assert.rejects(terminal.write('late'), { code: 'TERMINAL_EXITED' });
  await assert.rejects(terminal.resize(80, 25), { code: 'TERMINAL_EXITED' });
});

it('the top-level process stands for the foreground, and nobody is said to wait', async () => {
  const terminal = await open([probe, 'wait']);
  const screen = follow(terminal);
  await screen.shows('waiting');
  assert.deepEqual(await terminal.inspectForeground(), { processGroupId: terminal.pid, inputWaiting: false });
  assert.notEqual((await terminal.inspectActivity()).state, 'idle');
  for (const signal of ['SIGTSTP', 'SIGHUP']) await assert.rejects(terminal.signalForeground(signal), { code: 'ENOSYS', message: /only SIGINT, SIGTERM, and SIGKILL/ });
  assert.equal(await terminal.signalForeground('SIGKILL'), terminal.pid);
  assert.deepEqual(await terminal.done, { exitCode: 1, signal: null });
  await screen.ended();
  assert.equal(await terminal.inspectForeground(), undefined);
});

it('SIGINT is Ctrl-C on the keyboard', { wine: 'Ctrl-C that is typed into its ConPTY reaches nobody' }, async () => {
  const terminal = await open([probe, 'polite']);
  const screen = follow(terminal);
  await screen.shows('ready');
  assert.equal(await terminal.signalForeground('SIGINT'), terminal.pid);
  assert.deepEqual(await terminal.done, { exitCode: 5, signal: null });
  await screen.ended();
});

it('a new size is taken', { wine: 'its ResizePseudoConsole is a stub' }, async () => {
  const terminal = await open([probe, 'wait']);
  await terminal.resize(120, 40);
  await terminal.terminate();
});

it('a size that cannot be set is a typed error, and a wrong one a RangeError', async () => {
  const terminal = await open([probe, 'wait']);
  const failure = await terminal.resize(120, 40).catch((error) => error);
  assert.ok(failure === undefined || failure.code === 'ENOSYS', String(failure));
  await assert.rejects(terminal.resize(0, 40), RangeError);
  await terminal.terminate();
});

it('terminate() ends everybody on the terminal, and who was left behind', async () => {
  const terminal = await open([probe, 'wait']);
  const screen = follow(terminal);
  await screen.shows('waiting');
  const pids = (await terminal.inspect()).members.map(({ pid }) => pid);
  assert.ok(pids.includes(terminal.pid));
  await terminal.terminate();
  await screen.ended();
  await eventually(() => pids.every((pid) => !alive(pid)));
  assert.equal(terminal.report().politeStage, 'sent');
});

it('a grandchild of a terminal is ended with its shell', async () => {
  const terminal = await open([probe, 'leave']);
  const screen = follow(terminal);
  await terminal.done;
  await screen.ended();
  const pid = Number(/\d+/.exec(screen.plain())?.[0]);
  await terminal.terminate();
  await eventually(() => !alive(pid));
});

it('a terminal that nobody reads ends all the same', async () => {
  const terminal = await open([probe, 'write', '320000']);
  const ended = terminal.terminate();
  await ended;
  await terminal.done;
});

it('a missing program rejects the terminal, and leaves nothing', async () => {
  const spec = { cwd: folder, rows: 30, cols: 100, terminalType: 'xterm', graceMs: 1000 };
  await assert.rejects(runtime.spawnTerminal({ ...spec, argv: ['no-such-program-here'] }), { code: 'ENOENT' });
  await assert.rejects(runtime.spawnTerminal({ ...spec, argv: [probe], rows: 0 }), RangeError);
});
