/**
 * Anthropic messages: the bytes of a request, and nothing else. Pure: the same request is the same text, in one order of
 * fields. What changes least stands first, so that a longer conversation begins with the text of the shorter one.
 */
import { NO_OUTPUT } from "../../claims/ticket";
import type { ChatRequest, SentImage, SentMessage, SentResult } from "../../schema/model";
import { objectText, orPlaceholder, soundJson, WireIds, wireName, wireSchema } from "./text";

/** Where the prompt cache may end: behind the tools, the system prompt, or the message at that index of the request. */
export type Breakpoint = "tools" | "system" | number;

export type AnthropicOptions = {
  readonly model: string;
  readonly maxTokens: number;
  /** Four are taken; of more, those that cover least are left out. */
  readonly breakpoints: readonly Breakpoint[];
  readonly stream?: boolean;
};

const MAXIMUM_BREAKPOINTS = 4;
const ID_CHARS = 64;

/** A block as the text of its JSON, so that arguments stay as the model wrote them. `from`: the message it came from. */
type Block = { readonly json: string; readonly from: number | null };
type Turn = { readonly role: "user" | "assistant"; readonly blocks: Block[] };

/** Contract: the messages are paired (`history/pair`): each result stands behind the reply that asked for it. */
export function anthropicBody({ system, tools, messages }: ChatRequest, options: AnthropicOptions): string {
  const { model, maxTokens, breakpoints, stream } = options;
  const isCached = new Set(lastOf(breakpoints));
  const fields = [`"model":${JSON.stringify(model)}`, `"max_tokens":${maxTokens}`];
  if (stream) fields.push('"stream":true');
  if (tools.length > 0) {
    const list = tools.map(({ name, description, inputSchema }) =>
      JSON.stringify({ name: wireName(name), description, input_schema: wireSchema(inputSchema) }),
    );
    fields.push(`"tools":[${marked(list, isCached.has("tools")).join(",")}]`);
  }
  if (system.trim() !== "")
    fields.push(`"system":[${marked([textBlock(system)], isCached.has("system")).join(",")}]`);
  const turns = turnsOf(messages).map(({ role, blocks }) => {
    const content = blocks.map(({ json, from }, i) => {
      const isLast = from !== null && blocks[i + 1]?.from !== from;
      return isLast && isCached.has(from) ? withMark(json) : json;
    });
    return `{"role":"${role}","content":[${content.join(",")}]}`;
  });
  return soundJson(`{${fields.join(",")},"messages":[${turns.join(",")}]}`);
}

/** Roles take turns, the user first and last; of one reply all results stand first in the user's turn behind it. */
function turnsOf(messages: readonly SentMessage[]): readonly Turn[] {
  const ids = new WireIds(ID_CHARS);
  const turns: Turn[] = [];
  let asked = new Map<string, string>(); // of the last reply: wire ids by the model's
  const say = (role: Turn["role"], ...blocks: Block[]) => {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  };
  const note = (text: string) => say("user", { json: textBlock(text), from: null });
  if (messages[0]?.role !== "user") note("(start)");
  for (const [from, message] of messages.entries()) {
    if (message.role === "user") {
      say("user", { json: textBlock(orPlaceholder(message.text, "(empty)")), from });
    } else if (message.role === "assistant") {
      asked = new Map(message.calls.map(({ id }) => [id, ids.next(id)]));
      say("assistant", ...replyBlocks(message, asked).map((json) => ({ json, from })));
    } else {
      const id = asked.get(message.id);
      if (id === undefined) throw new Error("a result was to be sent that no call asks for");
      say("user", { json: resultBlock(message, id), from });
    }
    if (message.role !== "tool" || messages[from + 1]?.role === "tool") continue;
    for (const { json, at } of imagesOfErrors(messages, from)) say("user", { json, from: at });
  }
  if (turns.at(-1)?.role === "assistant") note("(continue)");
  return turns;
}

function replyBlocks(
  { text, calls }: Extract<SentMessage, { role: "assistant" }>,
  ids: ReadonlyMap<string, string>,
): string[] {
  const said = calls.length === 0 ? orPlaceholder(text, "(no text)") : text;
  const uses = calls.map(
    ({ id, name, arguments: given }) =>
      `{"type":"tool_use","id":${JSON.stringify(ids.get(id))},"name":${JSON.stringify(wireName(name))},"input":${objectText(given)}}`,
  );
  return said.trim() === "" ? uses : [textBlock(said), ...uses];
}

function resultBlock({ text, images = [], isError }: SentResult, id: string): string {
  const withImages = images.length > 0 && !isError;
  const texts = text.trim() === "" && withImages ? [] : [textBlock(orPlaceholder(text, NO_OUTPUT))];
  const content = [...texts, ...(withImages ? images.map(imageBlock) : [])].join(",");
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(id)},"content":[${content}]${isError ? ',"is_error":true' : ""}}`;
}

/** A result that is an error holds text only: its images stand behind the last result of its reply. */
function imagesOfErrors(messages: readonly SentMessage[], last: number): { json: string; at: number }[] {
  const found: { json: string; at: number }[] = [];
  for (let at = last; messages[at]?.role === "tool"; at--) {
    const message = messages[at];
    if (message?.role !== "tool" || !message.isError) continue;
    const { images = [] } = message;
    found.unshift(...images.map((image) => ({ json: imageBlock(image), at: last })));
  }
  return found;
}

const textBlock = (text: string): string => JSON.stringify({ type: "text", text });

const imageBlock = ({ mediaType, bytes }: SentImage): string =>
  JSON.stringify({
    type: "image",
    source: { type: "base64", media_type: mediaType, data: Buffer.from(bytes).toString("base64") },
  });

const withMark = (json: string): string => `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;

const marked = (blocks: readonly string[], isCached: boolean): readonly string[] =>
  isCached ? [...blocks.slice(0, -1), ...blocks.slice(-1).map(withMark)] : blocks;

/** Tools come before the system prompt, and that before the messages: a later place covers all before it. */
function lastOf(breakpoints: readonly Breakpoint[]): readonly Breakpoint[] {
  const rank = (place: Breakpoint) => (place === "tools" ? -2 : place === "system" ? -1 : place);
  return [...new Set(breakpoints)].sort((a, b) => rank(a) - rank(b)).slice(-MAXIMUM_BREAKPOINTS);
}
