/** Content as providers write it: a text, or a list of parts of which each format names the same few kinds. */
import type { DraftMedia, SessionDraft } from "./draft";
import { isRecord, type Json, listOf, recordOf, textOf } from "./json";

export type Parts = { readonly text: string; readonly media: readonly DraftMedia[] };

/** Text parts one after another; images beside them. Reasoning and what is not known is counted. */
export function partsOf(content: unknown, session: SessionDraft, between = "\n"): Parts {
  if (typeof content === "string") return { text: content, media: [] };
  const items = isRecord(content) ? [content] : listOf(content);
  const texts: string[] = [];
  const media: DraftMedia[] = [];
  for (const item of items) {
    if (typeof item === "string") texts.push(item);
    else if (!isRecord(item)) session.note("part(s) of messages were no text and no record");
    else if (typeof item.text === "string" && item.thought !== true) texts.push(item.text);
    else {
      const image = imageOf(item);
      if (image) media.push(image);
      else session.note(unreadPart(item));
    }
  }
  return { text: texts.join(between), media };
}

/** The person's words: a log has no place for their images. */
export function askedText(content: unknown, session: SessionDraft): string {
  const { text, media } = partsOf(content, session);
  session.note("image(s) of the person were left out", media.length);
  return text;
}

export const REASONING = "part(s) of the model's reasoning were left out";

/** Both halves of such a call are left out, or an answer of ours would stand where the provider's is (CONFORMANCE P16). */
export const PROVIDER_CALLS = "part(s) of calls that the provider ran itself were left out";

export function unreadPart(part: Json): string {
  const type = textOf(part.type);
  const isProviders =
    /^(server|mcp)_tool_use$|._tool_result$/.test(type) ||
    "executableCode" in part ||
    "codeExecutionResult" in part;
  if (isProviders) return PROVIDER_CALLS;
  if (/think|reason/.test(type) || part.thought === true) return REASONING;
  return `part(s) of the kind “${type.slice(0, 40)}” were not read`;
}

/** base64 data in the four ways that providers write it; a mere address is no image here. */
export function imageOf(part: Json): DraftMedia | null {
  const source = recordOf(part.source);
  const inline = recordOf(part.inlineData ?? part.inline_data);
  const mediaType = textOf(
    source.media_type ?? inline.mimeType ?? inline.mime_type ?? part.mimeType ?? part.media_type,
  );
  const base64 = textOf(source.data ?? inline.data ?? (part.type === "image" ? part.data : undefined));
  if (base64 !== "") return { mediaType, base64 };
  const url = isRecord(part.image_url) ? part.image_url.url : part.image_url;
  const [, type = "", data = ""] = /^data:([^;,]{1,80});base64,(.*)$/s.exec(textOf(url)) ?? [];
  return data === "" ? null : { mediaType: type, base64: data };
}

export const unreadRecord = ({ type }: Json): string =>
  `record(s) of the kind “${textOf(type).slice(0, 40)}” were not read`;
