/** Bytes of a file as text and back, without losing one. */

export type TextEncoding = "utf8" | "utf16le" | "utf16be";
export type Decoded =
  | { readonly kind: "text"; readonly text: string; readonly encoding: TextEncoding }
  | { readonly kind: "binary" };

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

const SIGNATURES: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "PNG image"],
  ["ffd8ff", "JPEG image"],
  ["47494638", "GIF image"],
  ["424d", "BMP image"],
  ["25504446", "PDF document"],
  ["504b0304", "ZIP archive"],
  ["1f8b", "gzip archive"],
  ["377abcaf271c", "7z archive"],
  ["7f454c46", "ELF program"],
  ["4d5a", "Windows program"],
  ["cffaedfe", "Mach-O program"],
  ["cafebabe", "Java class or Mach-O program"],
  ["0061736d", "WebAssembly module"],
  ["53514c69746520666f726d6174203300", "SQLite database"],
  ["774f4632", "WOFF2 font"],
];

/** What a binary file seems to be, by its first bytes. */
export function describeBinary(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16));
  const hex = start.toString("hex");
  if (start.toString("latin1", 0, 4) === "RIFF" && start.toString("latin1", 8, 12) === "WEBP")
    return "WebP image";
  const known = SIGNATURES.find(([signature]) => hex.startsWith(signature));
  if (known !== undefined) return known[1];
  return bytes.includes(0) ? "binary data" : "text in an encoding other than UTF-8";
}

function encodingOf(bytes: Uint8Array): TextEncoding {
  const isUtf32 = bytes[2] === 0 && bytes[3] === 0 && bytes.length >= 4;
  if (bytes[0] === 0xff && bytes[1] === 0xfe && !isUtf32) return "utf16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf16be";
  return "utf8";
}
