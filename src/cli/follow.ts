import { open, type FileHandle } from 'node:fs/promises';
import type { SubprocessReader } from '../index.js';
import { abandonable, type Passage } from './pass.js';
import { checkNothingLost, flushed, type Sink, writeAll } from './sink.js';

const FILE_CHUNK = 256 * 1024;

/**
 * Passes a collected stream on while it grows. Collecting never slows the command down, so a slow reader falls behind
 * the window. The spill file and the window together hold the whole stream, and a byte leaves the window only when it is
 * in the file: so the gap between the reader and the window is read from there. Only past the cap of the file can bytes
 * be lost; then `ended` rejects and says how many.
 */
export function passCollected(reader: SubprocessReader, sink: Sink): Passage {
  const abandoned = new AbortController();
  let at = 0;
  let waiting = false;
  let lost = 0;
  let file: FileHandle | undefined;

  const write = async (chunk: Uint8Array): Promise<boolean> => {
    waiting = true;
    const open = await writeAll(sink, chunk);
    waiting = false;
    return open && !abandoned.signal.aborted;
  };

  const pump = async (): Promise<void> => {
    while (await reader.changed(at, { bytes: true, signal: abandoned.signal })) {
      const read = reader.readBytes(at);
      if (file === undefined && read.spillPath !== undefined) file = await openSpill(read.spillPath);
      const windowStart = read.nextOffset - read.bytes.length;
      if (windowStart > at && !(await passGap(at, windowStart))) return;
      if (!(await write(read.bytes))) return;
      at = read.nextOffset;
    }
    waiting = true;
    await flushed(sink.stream);
  };

  const passGap = async (from: number, to: number): Promise<boolean> => {
    const buffer = Buffer.allocUnsafe(Math.min(FILE_CHUNK, to - from));
    let position = from;
    while (file !== undefined && position < to) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - position), position);
      if (bytesRead === 0) break;
      if (!(await write(Buffer.from(buffer.subarray(0, bytesRead))))) return false;
      position += bytesRead;
    }
    lost += to - position;
    return true;
  };

  const work = pump()
    .finally(() => file?.close())
    .then(() => {
      checkNothingLost(sink);
      if (lost > 0) throw new Error(`${lost} bytes of output were lost: the reader was slow and the output outgrew --spill; give a larger size`);
    });
  const { ended, abandon } = abandonable(work);
  return {
    bytes: () => at,
    blocked: () => waiting,
    ended,
    abandon: () => {
      abandon(); // first, so that the rejection of the aborted wait comes too late to matter
      abandoned.abort();
    },
  };
}

/**
 * Held open, the file can still be read after it was deleted for having outgrown its cap. That may also have happened
 * since its path was read: then there is none.
 */
async function openSpill(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
