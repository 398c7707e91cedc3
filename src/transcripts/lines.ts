/** A file line by line, in bounded memory: of a line that is too long nothing is kept but that it was there. */
import { bytesOf } from "./packed";

/** A line may have so many bytes; a whole result of another agent, base64 images included, has less. */
export const MAXIMUM_LINE_BYTES = 32 * 1024 * 1024;

const LF = 10;

/** Lines without their ends; null stands for one that is too long. Blank lines are passed over. */
export async function* linesOf(
  file: string,
  maximumBytes = MAXIMUM_LINE_BYTES,
): AsyncGenerator<string | null> {
  const decoder = new TextDecoder("utf-8"); // takes a byte order mark off; what is no UTF-8 becomes U+FFFD
  const textOf = (bytes: Buffer) => decoder.decode(bytes).replace(/\r$/, "");
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bytesOf(file)) {
    let start = 0;
    for (;;) {
      while (bytes === 0 && piece[start] === LF) start++; // half a gigabyte of them takes no time
      const end = piece.indexOf(LF, start);
      if (end < 0) break;
      bytes += end - start;
      if (bytes > maximumBytes) yield null;
      else {
        const line = textOf(Buffer.concat([...parts, piece.subarray(start, end)]));
        if (line.trim() !== "") yield line;
      }
      parts = [];
      bytes = 0;
      start = end + 1;
    }
    bytes += piece.length - start;
    if (bytes > maximumBytes) parts = [];
    else parts.push(Buffer.from(piece.subarray(start)));
  }
  if (bytes > maximumBytes) yield null;
  else if (bytes > 0) {
    const line = textOf(Buffer.concat(parts));
    if (line.trim() !== "") yield line;
  }
}
