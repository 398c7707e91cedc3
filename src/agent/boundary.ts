/**
 * The boundary: a tool's output is checked and made harmless before anything else sees it (CONFORMANCE §0.1). Text
 * that forges a turn of the conversation is escaped; nothing else is altered. What it refuses is never stored.
 */
import { mediaTypeOf } from "../claims/mediaType";
import { indexList } from "../coverage/indexList";
import type { MediaPart, SafeMedia } from "../schema/media";
import { asRaw, byteLength, type RawText } from "../schema/text";

/** A larger output is refused: it would not fit the memory of what has to read it. */
export const BOUNDARY_MAXIMUM_BYTES = 64 * 1024 * 1024;

/** More parts are refused: each has a line in the conversation, and no limit of its own there. */
const MAXIMUM_PARTS = 100;

const TOKENS =
  "im_start|im_end|im_sep|endoftext|system|user|assistant|tool|start_header_id|end_header_id|eot_id|begin_of_text|channel|message|start|end|return|call|constrain";
const TAGS = "function_calls|function_results|tool_result|tool_use|tool_response|antml:[a-z_]+";

/** The lines around text from outside (claims/ticket.ts), and what a reader might take for them; `gap` is white space. */
const fenceAfter = (gap: string) => `${gap}{0,9}(?:end${gap}{1,9}of${gap}{1,9})?untrusted${gap}{1,9}data\\b`;

/** Control tokens of chat templates, the tags that calls and results travel in, our own fence. One backslash makes them text. */
const FORGED = [
  new RegExp(`<(?=\\|(?:${TOKENS})\\|>)`, "g"),
  new RegExp(`<(?=/?(?:${TAGS})[\\s>])`, "g"),
  /(?<=\n\n)(?=(?:Human|Assistant): )/g,
  new RegExp(`\\[(?=${fenceAfter("\\s")})`, "gi"),
];

/** The same after escaping, as it stands in JSON text, where a backslash is two, and one in JSON inside it four. */
const ESCAPED_IN_JSON = [
  new RegExp(`<(?:\\\\\\\\){1,2}(?=\\|(?:${TOKENS})\\|>)`, "g"),
  new RegExp(`<(?:\\\\\\\\){1,2}(?=/?(?:${TAGS})(?:[\\s>]|\\\\[nrt]))`, "g"),
  /(?<=\\n\\n)(?:\\\\){1,2}(?=(?:Human|Assistant): )/g,
  new RegExp(`\\[(?:\\\\\\\\){1,2}(?=${fenceAfter("(?:\\s|\\\\[nrt])")})`, "gi"),
];

/** Undoes the escape in a write call's arguments: what the model copies from a file must be what the file says. */
export function unescapedInJson(json: string): string {
  return ESCAPED_IN_JSON.reduce(
    (text, pattern) => text.replace(pattern, (found) => found.replace(/\\+$/, "")),
    json,
  );
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export type Bounded =
  | {
      readonly kind: "passed";
      readonly text: RawText;
      readonly media: readonly SafeMedia[];
      readonly forgedMarkers: number;
      readonly loneSurrogates: number;
    }
  | { readonly kind: "refused"; readonly reason: string };

/** Parts that are not text keep their bytes; what they are is read from these, and only then believed (mediaTypeOf). */
export function boundary(text: RawText, media: readonly MediaPart[] = []): Bounded {
  const reason = excessOf(text, media);
  if (reason !== null) return { kind: "refused", reason };
  let loneSurrogates = 0;
  let forgedMarkers = 0;
  let safe: string = text;
  if (!text.isWellFormed()) {
    safe = safe.replace(LONE_SURROGATE, () => {
      loneSurrogates++;
      return "\ufffd";
    });
  }
  const marked = safe;
  const escapedWith = (mark: string) =>
    FORGED.reduce(
      (escaped, pattern) =>
        escaped.replace(pattern, (found) => {
          forgedMarkers++;
          return found + mark;
        }),
      marked,
    );
  safe = escapedWith("\\");
  if (forgedMarkers > 0 && isJson(marked)) {
    forgedMarkers = 0;
    safe = escapedWith("\\\\"); // one in a string of it would make all of it no JSON, and a list no list
  }
  return {
    kind: "passed",
    text: asRaw(safe),
    media: media.map(bounded),
    forgedMarkers,
    loneSurrogates,
  };
}

/** A value, or one on each line. Asked only of a text that has a marker. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const index = indexList(text);
    return index.kind === "list" && index.format === "jsonl";
  }
}

const bounded = ({ mediaType, bytes }: MediaPart) =>
  ({ mediaType: mediaTypeOf(bytes, mediaType), bytes }) as SafeMedia;

function excessOf(text: RawText, media: readonly MediaPart[]): string | null {
  if (media.length > MAXIMUM_PARTS)
    return `the result has more than ${MAXIMUM_PARTS} parts that are not text`;
  const mediaBytes = media.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const isLong = mediaBytes + text.length * 3 > BOUNDARY_MAXIMUM_BYTES; // no code unit has more bytes
  return isLong && mediaBytes + byteLength(text) > BOUNDARY_MAXIMUM_BYTES
    ? `the result is larger than ${BOUNDARY_MAXIMUM_BYTES / 1024 / 1024} MB`
    : null;
}
