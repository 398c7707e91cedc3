/** Messages as the GenAI conventions have them on a span, as JSON text: only where the person wants contents in the file. */
import type { MediaShown, Message } from "../../schema/message";
import type { ToolSpec } from "../../schema/tool";

/** `gen_ai.input.messages`: the whole history that a request carried. What is not text is named by its digest or its line. */
export const inputMessages = (messages: readonly Message[]): string =>
  JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })));

/** `gen_ai.output.messages`: the one reply. */
export const outputMessages = (message: Message & { role: "assistant" }, finishReason: string): string =>
  JSON.stringify([{ role: "assistant", parts: partsOf(message), finish_reason: finishReason }]);

export const systemInstructions = (system: string): string =>
  JSON.stringify([{ type: "text", content: system }]);

export const toolDefinitions = (tools: readonly ToolSpec[]): string =>
  JSON.stringify(
    tools.map(({ name, description, inputSchema }) => ({
      ...{ type: "function", name, description },
      parameters: inputSchema,
    })),
  );

function partsOf(message: Message): readonly object[] {
  if (message.role === "user") return [textPart(message.text)];
  if (message.role === "tool") {
    const { id, call, text, media = [] } = message;
    return [{ type: "tool_call_response", id: id || call, response: text }, ...media.map(mediaPart)];
  }
  const calls = message.calls.map(({ id, call, name, arguments: text }) => ({
    ...{ type: "tool_call", id: id || call, name },
    arguments: parsed(text),
  }));
  return message.text === "" ? calls : [textPart(message.text), ...calls];
}

const textPart = (content: string) => ({ type: "text", content });

const mediaPart = (media: MediaShown): object =>
  media.shown === "line"
    ? textPart(media.text)
    : { type: "file", modality: "image", mime_type: media.mediaType, file_id: media.handle };

/** What the model wrote, as the conventions ask, where it is JSON; else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return text;
    throw cause;
  }
}
