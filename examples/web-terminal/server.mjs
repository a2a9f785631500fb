// A terminal in a web page: xterm.js over a WebSocket, a terminal of Holdfast behind it.
//   node examples/web-terminal/server.mjs
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { LocalSubprocessRuntime } from 'holdfast';
import { WebSocketServer } from 'ws';

const FILES = {
  '/': ['text/html', new URL('page.html', import.meta.url)],
  '/xterm.mjs': ['text/javascript', new URL(import.meta.resolve('@xterm/xterm/lib/xterm.mjs'))],
  '/fit.mjs': ['text/javascript', new URL(import.meta.resolve('@xterm/addon-fit/lib/addon-fit.mjs'))],
  '/xterm.css': ['text/css', new URL(import.meta.resolve('@xterm/xterm/css/xterm.css'))],
};
/** A page that is slower than the program stops it, as Ctrl-S would; without this, `yes` fills the memory of the page. */
const UNSEEN_BYTES = 256 * 1024;

/** Serves `argv` on a new terminal to each page. Whoever has the address may type, so it is a secret and leads to this machine only. */
export async function serveTerminal({ argv = ['bash', '-i'], cwd = process.cwd(), env = {} } = {}) {
  const runtime = new LocalSubprocessRuntime();
  const token = randomBytes(16).toString('hex');
  const server = createServer(async (request, response) => {
    const [type, file] = FILES[new URL(request.url, 'http://page').pathname] ?? [];
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type }).end(await readFile(file));
  });
  // A page of another site can open a socket to this machine too: only the token tells them apart.
  const sockets = new WebSocketServer({ server, maxPayload: 1 << 20, verifyClient: ({ req }) => req.url === `/terminal?${token}` });
  sockets.on('connection', (socket) => connect(socket, runtime, { argv, cwd, env }).catch((error) => socket.close(1011, error.message.slice(0, 120))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/?${token}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await runtime.dispose();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** From the page: `{ keys }`, `{ size: [rows, cols] }`, `{ seen: bytes }`. To the page: the bytes of the terminal. */
async function connect(socket, runtime, command) {
  const [first] = await once(socket, 'message'); // its size, before anything is started
  const [rows, cols] = JSON.parse(first).size;
  socket.pause(); // what is typed meanwhile waits
  const terminal = await runtime.spawnTerminal({ ...command, rows, cols, terminalType: 'xterm-256color', graceMs: 1000 });
  if (socket.readyState !== socket.OPEN) return terminal.terminate();
  let unseen = 0;
  terminal.output.on('data', (bytes) => {
    socket.send(bytes);
    unseen += bytes.length;
    if (unseen > UNSEEN_BYTES) terminal.output.pause();
  });
  terminal.output.once('end', () => socket.close(1000));
  socket.on('message', (text) => {
    const { keys, size, seen = 0 } = JSON.parse(text);
    unseen -= seen;
    if (unseen <= UNSEEN_BYTES) terminal.output.resume();
    // Both reject once the program has exited: the page is told by the end of the output.
    if (keys !== undefined) terminal.write(keys).catch(() => {});
    if (size !== undefined) terminal.resize(size[1], size[0]).catch(() => {});
  });
  // A page that is closed ends its shell and everything that was started in it.
  socket.once('close', () => terminal.terminate());
  socket.resume();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url, close } = await serveTerminal();
  console.log(`Open ${url}`);
  process.once('SIGINT', close);
}
