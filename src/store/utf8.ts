/** Text as UTF-8 for as long as it is needed. A fresh buffer costs more than encoding into one that is there. */

const STAGED_BYTES = 2 * 1024 * 1024;
let staged: Buffer | null = null; // null while it is lent, and before it was needed

/** The bytes are whoever's asked next as soon as `use` resolves: keep none of them. */
export async function withUtf8<T>(text: string, use: (bytes: Buffer) => Promise<T>): Promise<T> {
  if (text.length * 3 > STAGED_BYTES && Buffer.byteLength(text, "utf8") > STAGED_BYTES)
    return use(Buffer.from(text, "utf8"));
  const buffer = staged ?? Buffer.allocUnsafeSlow(STAGED_BYTES);
  staged = null;
  try {
    return await use(buffer.subarray(0, buffer.write(text, "utf8")));
  } finally {
    staged = buffer;
  }
}
