// test/support: images and other bytes, tools that return them, and a model that takes them.
import { createHash } from "node:crypto";
import type { ScriptReply } from "../../src/models/script";
import { createScriptedModel } from "../../src/models/scripted";
import type { MediaPart } from "../../src/schema/media";
import type { ChatModel, ChatRequest, SentImage } from "../../src/schema/model";
import { asRaw } from "../../src/schema/text";
import type { Tool } from "../../src/schema/tool";
import { tool } from "./house";

const STARTS = {
  "image/png": "89504e470d0a1a0a",
  "image/jpeg": "ffd8ffe0",
  "image/gif": "474946383961",
  "application/pdf": "255044462d312e37",
} as const;

/** Bytes of that type and size that no other `seed` has. Not text, wherever they are cut. */
export function bytesOf(mediaType: keyof typeof STARTS, size: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(size, createHash("sha256").update(`bytes ${seed}`).digest());
  bytes.fill(0xbf, 64, Math.min(size, 40_000)); // no code point starts here
  Buffer.from(STARTS[mediaType], "hex").copy(bytes);
  return bytes;
}

export const part = (mediaType: keyof typeof STARTS, size: number, seed = 0): MediaPart => ({
  mediaType,
  bytes: bytesOf(mediaType, size, seed),
});

/** A tool that returns the next of these results at every call, the last one again and again. */
export function returning(
  name: string,
  results: readonly (readonly MediaPart[])[],
  text = "",
  about: Parameters<typeof tool>[2] = { class: "read" },
): Tool {
  let at = 0;
  return tool(
    name,
    () => ({ kind: "ok", text: asRaw(text), media: results[Math.min(at++, results.length - 1)] ?? [] }),
    about,
  );
}

/** The scripted model, taking images. */
export const seeing = (replies: readonly ScriptReply[]): ChatModel =>
  createScriptedModel({ name: "Seeing", images: true, conversations: [[...replies]] }, async () => undefined);

export const imagesOf = ({ messages }: ChatRequest): readonly SentImage[] =>
  messages.flatMap((message) => (message.role === "tool" ? (message.images ?? []) : []));

export const textsOf = ({ messages }: ChatRequest): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));
