/** Bytes of a file as text and back, without losing one. */

export type TextEncoding = "utf8" | "utf16le" | "utf16be";
export type Decoded =
  | { readonly kind: "text"; readonly text: string; readonly encoding: TextEncoding }
  | { readonly kind: "binary" };

const UNKNOWN_TYPE = "application/octet-stream";

/** Decodes UTF-8, or UTF-16 that says so with a byte order mark. The mark stays in the text; anything else is binary. */
export function decodeText(bytes: Uint8Array): Decoded {
  const encoding = encodingOf(bytes);
  if (encoding === "utf8" && bytes.includes(0)) return { kind: "binary" };
  const label = encoding === "utf8" ? "utf-8" : encoding === "utf16le" ? "utf-16le" : "utf-16be";
  try {
    const text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "text", text, encoding };
  } catch (cause) {
    if (cause instanceof TypeError) return { kind: "binary" }; // what a fatal decoder throws on malformed input
    throw cause;
  }
}

/** The inverse of `decodeText`. Contract: the text is well formed (no lone surrogates). */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === "utf8") return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf16be" ? bytes.swap16() : bytes;
}

/** Whether every surrogate has its other half, so that encoding loses nothing. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** First bytes in hex, what people call it, its media type. */
const SIGNATURES: readonly (readonly [string, string, string])[] = [
  ["89504e470d0a1a0a", "PNG image", "image/png"],
  ["ffd8ff", "JPEG image", "image/jpeg"],
  ["47494638", "GIF image", "image/gif"],
  ["424d", "BMP image", "image/bmp"],
  ["25504446", "PDF document", "application/pdf"],
  ["504b0304", "ZIP archive", "application/zip"],
  ["1f8b", "gzip archive", "application/gzip"],
  ["377abcaf271c", "7z archive", "application/x-7z-compressed"],
  ["7f454c46", "ELF program", "application/x-executable"],
  ["4d5a", "Windows program", "application/vnd.microsoft.portable-executable"],
  ["cffaedfe", "Mach-O program", "application/x-mach-binary"],
  ["cafebabe", "Java class or Mach-O program", UNKNOWN_TYPE],
  ["0061736d", "WebAssembly module", "application/wasm"],
  ["53514c69746520666f726d6174203300", "SQLite database", "application/vnd.sqlite3"],
  ["774f4632", "WOFF2 font", "font/woff2"],
];

/** What a binary file seems to be, by its first bytes: in words, and as a media type. */
export type BinaryKind = { readonly words: string; readonly mediaType: string };

export function kindOfBinary(bytes: Uint8Array): BinaryKind {
  const start = Buffer.from(bytes.subarray(0, 16));
  const hex = start.toString("hex");
  if (start.toString("latin1", 0, 4) === "RIFF" && start.toString("latin1", 8, 12) === "WEBP")
    return { words: "WebP image", mediaType: "image/webp" };
  const known = SIGNATURES.find(([signature]) => hex.startsWith(signature));
  if (known !== undefined) return { words: known[1], mediaType: known[2] };
  const words = bytes.includes(0) ? "binary data" : "text in an encoding other than UTF-8";
  return { words, mediaType: UNKNOWN_TYPE };
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  const isUtf32 = bytes[2] === 0 && bytes[3] === 0 && bytes.length >= 4;
  if (bytes[0] === 0xff && bytes[1] === 0xfe && !isUtf32) return "utf16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf16be";
  return "utf8";
}
