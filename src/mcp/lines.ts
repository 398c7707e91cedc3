/** Bytes from a server become lines. Work and memory stay in proportion to what came, whatever the chunks are. */
import { StringDecoder } from "node:string_decoder";

const NEWLINE = 0x0a;

/** Contract: `onLine` gets each whole line once; a line over the limit ends it all, with `onTooLong` once. */
export class Lines {
  readonly #maximumBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(maximumBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maximumBytes = maximumBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  add(chunk: Buffer): void {
    let from = 0;
    while (!this.#isOver) {
      const at = chunk.indexOf(NEWLINE, from);
      this.#keep(at < 0 ? chunk.subarray(from) : chunk.subarray(from, at));
      if (at < 0 || this.#isOver) return;
      const line = Buffer.concat(this.#parts).toString("utf8").replace(/\r$/, "");
      this.#parts = [];
      this.#bytes = 0;
      from = at + 1;
      if (line.trim() !== "") this.#onLine(line);
    }
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maximumBytes) {
      this.#isOver = true;
      this.#parts = [];
      this.#onTooLong();
    } else if (part.length > 0) this.#parts.push(part);
  }
}

/** The last of what a server printed beside the protocol: for the log, never for the model. */
export class Tail {
  readonly #maximumChars: number;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";

  constructor(maximumChars: number) {
    this.#maximumChars = maximumChars;
  }

  add(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.#text = (this.#text + text.slice(-this.#maximumChars)).slice(-this.#maximumChars);
  }

  get text(): string {
    return this.#text;
  }
}
