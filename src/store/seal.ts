/**
 * Sealing one session's files: AES-256-GCM under keys that come from the session's own. Whoever has the folder and not
 * the key learns how many things there are, how large and when; not what, not even whether two sessions stored the same.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { Digest } from "../schema/claim";
import type { BlobFile, BlobFiles } from "./blobFiles";
import { corrupt } from "./blobs";

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** A blob is sealed in pieces of this size, so that a window opens only those it touches. */
const PIECE_BYTES = 16_384;
const SEALED_PIECE_BYTES = PIECE_BYTES + TAG_BYTES;

/** What a blob file of so many bytes takes when it is sealed. */
export const sealedBytesOf = (fileBytes: number): number =>
  fileBytes + Math.ceil(fileBytes / PIECE_BYTES) * TAG_BYTES;

/** Nonce · sealed bytes · tag. `purpose` is proven with it: one thing cannot be put in another's place. */
export function sealBytes(key: Buffer, purpose: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, sealed(key, nonce, purpose, bytes)]);
}

/** Null where it was altered, sealed for something else, or under another key. */
export function openBytes(key: Buffer, purpose: string, bytes: Buffer): Buffer | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  return opened(key, bytes.subarray(0, NONCE_BYTES), purpose, bytes.subarray(NONCE_BYTES));
}

/** What a sealed session's files are sealed with. */
export class Seal {
  readonly #lines: Buffer;
  readonly #files: Buffer;
  readonly #names: Buffer;
  readonly #blobs: Buffer;

  /** `key`: the session's, `KEY_BYTES` of chance. */
  constructor(key: Buffer) {
    const derived = (use: string) =>
      Buffer.from(hkdfSync("sha256", key, "", `cloakroom 1 ${use}`, KEY_BYTES));
    this.#lines = derived("lines");
    this.#files = derived("files");
    this.#names = derived("names");
    this.#blobs = derived("blobs");
  }

  /** Names and proves content as SHA-256 does elsewhere, and tells nothing about it without the key. */
  readonly digestOf = (bytes: Uint8Array): Digest =>
    createHmac("sha256", this.#names).update(bytes).digest("hex") as Digest;

  /** One line of the log, in base64. Which line follows which, its own checksum proves (`chain.ts`). */
  sealLine(line: string): string {
    return sealBytes(this.#lines, "line", Buffer.from(line, "utf8")).toString("base64");
  }

  openLine(line: Uint8Array): Buffer | null {
    const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString("latin1");
    const bytes = Buffer.from(text, "base64");
    return bytes.toString("base64") === text ? openBytes(this.#lines, "line", bytes) : null; // every altered byte counts
  }

  /** A file of bytes that is written whole. `name`: which one it is. */
  sealFile(name: string, bytes: Uint8Array): Buffer {
    return sealBytes(this.#files, name, bytes);
  }

  /** Null where it was altered. */
  openFile(name: string, bytes: Buffer): Buffer | null {
    return openBytes(this.#files, name, bytes);
  }

  /** The same for text, in base64.  */
  sealText(name: string, text: string): string {
    return this.sealFile(name, Buffer.from(text, "utf8")).toString("base64");
  }

  /** Null where it was altered. */
  openText(name: string, text: string): string | null {
    return this.openFile(name, Buffer.from(text, "base64"))?.toString("utf8") ?? null;
  }

  /**
   * The key of one blob. Its name says what is in it, to the byte (content, and the frames that follow from it): so a key
   * seals one text only, and the number of a piece is nonce enough.
   */
  blobKey(name: Digest): Buffer {
    return createHmac("sha256", this.#blobs).update(`CLKFRAM1 ${name}`).digest();
  }
}

/** The same blobs, sealed where they lie. Nothing unsealed reaches the files, half-written ones included. */
export function sealedFiles(files: BlobFiles, seal: Seal): BlobFiles {
  return {
    ...files,
    write: (name, write) =>
      files.write(name, async (append) => {
        const sealing = new PieceSealer(seal.blobKey(name));
        const result = await write((bytes) => append(sealing.take(bytes)));
        await append(sealing.end());
        return result;
      }),
    open: (name, use) => files.open(name, (file) => use(openedFile(file, seal.blobKey(name), name))),
  };
}

/** Throws `blob-corrupt` for a piece that was altered. */
function openedFile(file: BlobFile, key: Buffer, name: Digest): BlobFile {
  const open = (bytes: Buffer, firstPiece: number): Buffer => {
    const pieces: Buffer[] = [];
    for (let at = 0, piece = firstPiece; at < bytes.length; at += SEALED_PIECE_BYTES, piece++) {
      const plain = opened(key, nonceOf(piece), "", bytes.subarray(at, at + SEALED_PIECE_BYTES));
      if (plain === null) throw corrupt(name);
      pieces.push(plain);
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  };
  return {
    read: async (position, length) => {
      if (length === 0) return Buffer.alloc(0);
      const first = Math.floor(position / PIECE_BYTES);
      const last = Math.floor((position + length - 1) / PIECE_BYTES);
      const bytes = await file.read(first * SEALED_PIECE_BYTES, (last - first + 1) * SEALED_PIECE_BYTES);
      const start = position - first * PIECE_BYTES;
      return open(bytes, first).subarray(start, start + length);
    },
    all: async () => open(await file.all(), 0),
  };
}

/** Cuts what comes into pieces and seals each under its number. */
class PieceSealer {
  readonly #key: Buffer;
  readonly #rest = Buffer.alloc(PIECE_BYTES);
  #restBytes = 0;
  #piece = 0;

  constructor(key: Buffer) {
    this.#key = key;
  }

  take(bytes: Uint8Array): Buffer {
    const out: Buffer[] = [];
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(PIECE_BYTES - this.#restBytes, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < PIECE_BYTES) return Buffer.alloc(0);
      out.push(this.#seal(this.#rest));
      this.#restBytes = 0;
    }
    for (; at + PIECE_BYTES <= bytes.length; at += PIECE_BYTES)
      out.push(this.#seal(bytes.subarray(at, at + PIECE_BYTES)));
    this.#rest.set(bytes.subarray(at));
    this.#restBytes = bytes.length - at;
    return Buffer.concat(out);
  }

  end(): Buffer {
    return this.#restBytes === 0 ? Buffer.alloc(0) : this.#seal(this.#rest.subarray(0, this.#restBytes));
  }

  #seal(bytes: Uint8Array): Buffer {
    return sealed(this.#key, nonceOf(this.#piece++), "", bytes);
  }
}

function nonceOf(piece: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(piece, NONCE_BYTES - 4);
  return nonce;
}

function sealed(key: Buffer, nonce: Buffer, purpose: string, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(purpose));
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function opened(key: Buffer, nonce: Buffer, purpose: string, bytes: Buffer): Buffer | null {
  if (bytes.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()]);
  } catch {
    return null; // the tag does not match: all that `final` throws for
  }
}
