/** A server's result becomes a tool's outcome: text joined in order, media beside it, structured content counted once (C26). */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { MediaPart } from "../schema/media";
import { asRaw } from "../schema/text";
import type { ToolOutcome } from "../schema/tool";
import { pathOf, scan } from "../thimble/scan";
import { readLossless } from "./losslessJson";

const text = z.string();
const blob = { data: text, mimeType: text };
const Part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text }),
  z.looseObject({ type: z.literal("image"), ...blob }),
  z.looseObject({ type: z.literal("audio"), ...blob }),
  z.looseObject({
    type: z.literal("resource_link"),
    uri: text,
    name: text.optional(),
    description: text.optional(),
    mimeType: text.optional(),
  }),
  z.looseObject({
    type: z.literal("resource"),
    resource: z.union([
      z.looseObject({ uri: text, text }),
      z.looseObject({ uri: text, blob: text, mimeType: text.optional() }),
    ]),
  }),
]);
type Part = z.infer<typeof Part>;

const Result = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/**
 * `line` is the answer as it came: structured content is taken from it in the server's own bytes. An answer that is no
 * tool result, and so cannot say whether the tool failed, is `unknown`, never ok (CONFORMANCE §5, Adapters).
 */
export function outcomeOf(result: unknown, line: string, hideEnv: (text: string) => string): ToolOutcome {
  const parsed = Result.safeParse(result);
  const hasShape =
    typeof result === "object" && result !== null && ("content" in result || "structuredContent" in result);
  if (!parsed.success || !hasShape) {
    const answer = hideEnv(sliceAt(line, "/result") ?? JSON.stringify(result) ?? "");
    return {
      kind: "unknown",
      code: "no_tool_result",
      text: asRaw(`The server's answer is no tool result:\n${answer}`),
    };
  }
  const { content, structuredContent, isError } = parsed.data;
  const shown = content.map(shownOf);
  const texts = shown.flatMap((part) => (part.text === null ? [] : [hideEnv(part.text)]));
  const media = shown.flatMap((part) => (part.media === null ? [] : [part.media]));
  const json =
    structuredContent &&
    hideEnv(sliceAt(line, "/result/structuredContent") ?? JSON.stringify(structuredContent));
  const isThere = json !== undefined && texts.some((said) => isSaid(said, json));
  const all = json === undefined || isThere ? texts : [...texts, json];
  const outcome = { text: asRaw(all.join("\n\n")), ...(media.length > 0 && { media }) };
  if (isError) return { kind: "failed", code: "tool_error", ...outcome };
  return { kind: "ok", ...outcome, ...(json !== undefined && { json: asRaw(json) }) };
}

type Shown = { readonly text: string | null; readonly media: MediaPart | null };
const asText = (words: string): Shown => ({ text: words, media: null });

/** What is of no kind that we know stays what it is: JSON. */
function shownOf(value: unknown): Shown {
  const part = Part.safeParse(value).data;
  return part === undefined ? asText(JSON.stringify(value)) : shownPart(part);
}

function shownPart(part: Part): Shown {
  switch (part.type) {
    case "text":
      return asText(part.text);
    case "image":
    case "audio":
      return mediaOf(part.data, part.mimeType, part.type);
    case "resource_link": {
      const { uri, name, description, mimeType } = part;
      const about = [name, mimeType, description].filter((word) => word !== undefined && word !== "");
      return asText(`[Resource ${uri}${about.map((word) => `; ${word}`).join("")}]`);
    }
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return asText(`[Resource ${resource.uri}]\n${String(resource.text)}`);
      const { uri, blob: data, mimeType } = resource as { uri: string; blob: string; mimeType?: string };
      const shown = mediaOf(data, mimeType ?? "application/octet-stream", `resource ${uri}`);
      return { ...shown, text: shown.text ?? `[Resource ${uri}]` };
    }
  }
}

function mediaOf(data: string, mediaType: string, what: string): Shown {
  const bytes = Buffer.from(data, "base64");
  const isBase64 =
    bytes.length > 0 && bytes.toString("base64").replace(/=+$/, "") === data.replace(/[\s=]+/g, "");
  if (!isBase64) return asText(`[${what}: its data is not base64]`);
  return { text: null, media: { mediaType: mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "", bytes } };
}

/** The value at a pointer, as it stands in the text. */
function sliceAt(line: string, pointer: string): string | undefined {
  const scanned = scan(line, [pathOf(pointer)]);
  const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
  return found?.kind === "token" ? line.slice(found.token.start, found.token.end) : undefined;
}

/** The same value, however it is laid out, or one name around the text itself, as servers wrap what is no object. */
function isSaid(said: string, json: string): boolean {
  if (said.trim() === json) return true;
  const structured = readLossless(json); // where reading would round a number, only the same text is the same
  if (structured.kind !== "lossless") return false;
  const [wrapped, ...others] = Object.values(structured.value as object);
  if (others.length === 0 && wrapped === said) return true;
  const text = said.trimStart().startsWith("{") ? readLossless(said) : null;
  return text?.kind === "lossless" && isDeepStrictEqual(text.value, structured.value);
}
