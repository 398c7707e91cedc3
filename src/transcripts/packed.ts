/** The bytes of a file, unpacked where it is Zstandard, as Codex keeps rollouts that rest: in bounded memory, whatever it claims. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline, Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { refused } from "./refused";

/** What all lines of a file may make up. */
export const MAXIMUM_LINES_BYTES = 512 * 1024 * 1024;

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Real rollouts come to a tenth or a hundredth; a small file that makes a large one is made to keep us busy. */
const MOST_TIMES = 1000;
const ALWAYS_BYTES = 16 * 1024 * 1024;

/** A file of Codex has one; each is opened anew. */
const MOST_FRAMES = 1000;

/** `bytesWritten`: of what was packed. A window of more than 128 MB is refused, as zstd itself does. */
type Unpacker = Transform & { readonly bytesWritten: number };

/** Node has it since 22.15, and so has every VS Code that we run in; the command line may run in an older one. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Unpacker };

export const canUnpack = createZstdDecompress !== undefined;

export async function isPacked(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return bytesRead === MAGIC.length && buffer.equals(MAGIC);
  } finally {
    await handle.close();
  }
}

/** At most `maximumBytes` of what a beginning unpacks to, nothing where that fails; what is not packed stays as it is. */
export async function unpackedHead(head: Buffer, maximumBytes: number): Promise<Buffer> {
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return head;
  const parts: Buffer[] = [];
  if (createZstdDecompress === undefined) return Buffer.alloc(0);
  try {
    let bytes = 0;
    for await (const chunk of pipeline(Readable.from([head]), createZstdDecompress(), () => {})) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes >= maximumBytes) break;
    }
  } catch (cause) {
    if (!isDamage(cause)) throw cause; // it is cut off, and damaged perhaps: what came before that is the head
  }
  return Buffer.concat(parts).subarray(0, maximumBytes);
}

/**
 * Throws `import-unreadable` where it is packed and damaged, or cannot be unpacked here, and where more than `maximumBytes`
 * come of it: what somebody writes to while it is read may have no end.
 */
export async function* bytesOf(file: string, maximumBytes = MAXIMUM_LINES_BYTES): AsyncGenerator<Buffer> {
  if (!(await isPacked(file))) {
    let read = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      read += chunk.length;
      if (read > maximumBytes) throw refused(file, "it is larger than 512 MB");
      yield chunk;
    }
    return;
  }
  if (createZstdDecompress === undefined)
    throw refused(
      file,
      `it is compressed (Zstandard), which Node.js ${process.versions.node} cannot read: use 22.15 or later, or unpack it (zstd -d)`,
    );
  const { size } = await stat(file);
  const likelyBytes = Math.max(ALWAYS_BYTES, size * MOST_TIMES);
  let bytes = 0;
  for await (const chunk of unpacked(file, size, createZstdDecompress)) {
    bytes += chunk.length;
    if (bytes > maximumBytes) throw refused(file, "unpacked it is larger than 512 MB");
    if (bytes > likelyBytes) throw refused(file, "unpacked it is more than 1,000 times as large");
    yield chunk;
  }
}

/** Frame by frame: Node stops behind the first, and says nothing of others. */
async function* unpacked(file: string, size: number, createUnpacker: () => Unpacker): AsyncGenerator<Buffer> {
  let start = 0;
  for (let frames = 0; start < size; frames++) {
    if (frames >= MOST_FRAMES) throw refused(file, "it is compressed in more than 1,000 pieces");
    const unpacker = createUnpacker();
    const source = createReadStream(file, { start });
    try {
      yield* pipeline(source, unpacker, () => {}); // what goes wrong comes out of the iteration
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      throw refused(file, "it is compressed, and damaged or cut off", cause);
    }
    if (unpacker.bytesWritten === 0) return;
    start += unpacker.bytesWritten;
  }
}

const isDamage = (cause: unknown): boolean =>
  /^(?:ZSTD_|Z_)/.test(`${(cause as NodeJS.ErrnoException).code}`);
