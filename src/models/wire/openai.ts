/**
 * OpenAI chat completions: the bytes of a request, and nothing else. Pure: the same request is the same text, in one order of
 * fields. What changes least stands first, so that a longer conversation begins with the text of the shorter one.
 */
import { NO_OUTPUT } from "../../claims/ticket";
import type { ChatRequest, SentMessage, SentResult } from "../../schema/model";
import { objectText, orPlaceholder, soundJson, WireIds, wireName, wireSchema } from "./text";

export type OpenAiOptions = {
  readonly model: string;
  readonly maxTokens?: number;
  /** Streamed, with usage at the end. */
  readonly stream?: boolean;
};

/** Some endpoints take 64; all take 40. */
const ID_CHARS = 40;

/** Contract: the messages are paired (`history/pair`): each result stands behind the reply that asked for it. */
export function openaiBody({ system, tools, messages }: ChatRequest, options: OpenAiOptions): string {
  const { model, maxTokens, stream } = options;
  const fields = [`"model":${JSON.stringify(model)}`];
  if (maxTokens !== undefined) fields.push(`"max_completion_tokens":${maxTokens}`);
  if (stream) fields.push('"stream":true', '"stream_options":{"include_usage":true}');
  if (tools.length > 0) fields.push(`"tools":${JSON.stringify(tools.map(toolOf))}`); // an empty list is refused
  const prompt = system.trim() === "" ? [] : [{ role: "system", content: system }];
  const all = [...prompt, ...wireMessages(messages)].map((message) => JSON.stringify(message));
  return soundJson(`{${fields.join(",")},"messages":[${all.join(",")}]}`);
}

const toolOf = ({ name, description, inputSchema }: ChatRequest["tools"][number]) => ({
  type: "function",
  function: { name: wireName(name), description, parameters: wireSchema(inputSchema) },
});

function* wireMessages(messages: readonly SentMessage[]): Iterable<object> {
  const ids = new WireIds(ID_CHARS);
  let asked = new Map<string, string>(); // of the last reply: wire ids by the model's
  let shown: SentResult[] = []; // with images, behind which they are to be shown
  for (const message of messages) {
    if (message.role !== "tool") {
      if (shown.length > 0) yield imagesOf(shown);
      shown = [];
    }
    if (message.role === "user") yield { role: "user", content: orPlaceholder(message.text, "(empty)") };
    else if (message.role === "assistant") {
      asked = new Map(message.calls.map(({ id }) => [id, ids.next(id)]));
      yield replyOf(message, asked);
    } else {
      const id = asked.get(message.id);
      if (id === undefined) throw new Error("a result was to be sent that no call asks for");
      yield { role: "tool", tool_call_id: id, content: orPlaceholder(message.text, NO_OUTPUT) };
      if (message.images?.length) shown.push(message);
    }
  }
  if (shown.length > 0) yield imagesOf(shown);
  const last = messages.at(-1)?.role;
  if (last === "assistant" || last === undefined) yield { role: "user", content: "(continue)" };
}

function replyOf(
  { text, calls }: Extract<SentMessage, { role: "assistant" }>,
  ids: ReadonlyMap<string, string>,
): object {
  if (calls.length === 0) return { role: "assistant", content: orPlaceholder(text, "(no text)") };
  return {
    role: "assistant",
    content: text.trim() === "" ? null : text,
    tool_calls: calls.map(({ id, name, arguments: given }) => ({
      id: ids.get(id),
      type: "function",
      function: { name: wireName(name), arguments: objectText(given) },
    })),
  };
}

/** Images are taken from the user only: one message behind all results of a reply shows them, and says whose they are. */
function imagesOf(results: readonly SentResult[]): object {
  const content = results.flatMap(({ name, images = [] }) => [
    { type: "text", text: `Image${images.length === 1 ? "" : "s"} from ${name}:` },
    ...images.map(({ mediaType, bytes }) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}` },
    })),
  ]);
  return { role: "user", content };
}
