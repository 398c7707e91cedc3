/** The one text that stands for a request, so that its digest can be compared. */
import type { EventOf } from "../schema/event";
import type { MediaShown, Message } from "../schema/message";
import type { DurableRequest } from "../schema/model";
import type { ToolSpec } from "../schema/tool";

/** The text that `requested.sha256` is over, in one order of fields: whoever folds the log can rebuild and compare it. */
export function requestText({ system, tools, messages }: DurableRequest): string {
  return JSON.stringify({ system, tools: tools.map(toolInOrder), messages: messages.map(messageInOrder) });
}

/** What stands before the messages of a request, as it is counted and compared. */
export const prefixText = ({ model, system, tools }: EventOf<"configured">): string =>
  JSON.stringify([model.id, system, tools]);

/** The part of it that stands for the tools. */
export const toolsText = (tools: DurableRequest["tools"]): string => JSON.stringify(tools.map(toolInOrder));

const toolInOrder = ({ name, description, inputSchema, class: toolClass, effect }: ToolSpec) => ({
  name,
  description,
  inputSchema,
  class: toolClass,
  effect,
});

/** Whoever made a message and whoever reads it from a log may have its fields in different orders: media have. */
function messageInOrder(message: Message): Message {
  if (message.role !== "tool" || message.media === undefined) return message;
  return { ...message, media: message.media.map(mediaInOrder) };
}

function mediaInOrder(media: MediaShown): MediaShown {
  const { mediaType, bytes } = media;
  if (media.shown === "line")
    return { shown: "line", handle: media.handle, mediaType, bytes, text: media.text };
  const { handle, sha256, label } = media;
  return { shown: "image", handle, sha256, mediaType, bytes, ...(label !== undefined && { label }) };
}
