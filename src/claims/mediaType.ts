/** What a content that is not text is: by its first bytes, and only then by what a tool says of it. */
import { MediaType } from "../schema/media";

/** Images that models take. A type is one of these where the bytes say so, whatever a name or a tool says. */
const IMAGES: readonly (readonly [MediaType, readonly (readonly [at: number, bytes: string])[]])[] = [
  ["image/png", [[0, "\x89PNG\r\n\x1a\n"]]],
  ["image/jpeg", [[0, "\xff\xd8\xff"]]],
  ["image/gif", [[0, "GIF87a"]]],
  ["image/gif", [[0, "GIF89a"]]],
  [
    "image/webp",
    [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  ],
];

const UNKNOWN: MediaType = "application/octet-stream";

export function imageTypeOf(bytes: Uint8Array): MediaType | null {
  const has = ([at, text]: readonly [number, string]) =>
    [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));
  return IMAGES.find(([, signatures]) => signatures.every(has))?.[0] ?? null;
}

/** Whether a model can be shown it. */
export const isShowable = (mediaType: MediaType): boolean => IMAGES.some(([type]) => type === mediaType);

/** `said`: what the tool calls it. An image that is none, and what is no media type, are of no known type. */
export function mediaTypeOf(bytes: Uint8Array, said: string): MediaType {
  const image = imageTypeOf(bytes);
  if (image !== null) return image;
  const parsed = MediaType.safeParse((said.split(";", 1)[0] ?? "").trim().toLowerCase());
  return parsed.success && !isShowable(parsed.data) ? parsed.data : UNKNOWN;
}
