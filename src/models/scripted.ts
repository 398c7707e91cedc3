/** The offline model: answers from a script, and quotes handles out of the tickets it was really sent. */
import { parseMediaLine, parseTicket } from "../claims/ticket";
import { GATE_WORDS } from "../coverage/gate";
import { parseLabel } from "../coverage/label";
import { Failure } from "../schema/failure";
import type { ChatModel, ChatRequest, ModelInfo, ReplyPart, SentMessage } from "../schema/model";
import type { Script, ScriptReply } from "./script";

export const SCRIPTED_MODEL_ID = "scripted";

/** Contract: the same script and the same request give the same reply. It keeps no state: its place is read off the messages. */
export function createScriptedModel(
  script: Script,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): ChatModel {
  const info: ModelInfo = {
    id: SCRIPTED_MODEL_ID,
    name: script.name,
    maxInputTokens: script.maxInputTokens ?? null,
    abilities: {
      rawArguments: true,
      usage: false,
      cacheControl: false,
      ...(script.images && { images: true }),
    },
  };
  return { info, reply: (request, signal) => reply(script, request, signal, sleep) };
}

async function* reply(
  script: Script,
  { messages }: ChatRequest,
  signal: AbortSignal,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
): AsyncIterable<ReplyPart> {
  const next = replyFor(script, messages);
  for (const word of (next.say ?? "").match(/\S+\s*/g) ?? []) {
    if (next.pauseMs) await sleep(next.pauseMs, signal);
    yield { kind: "text", text: filled(word, messages) };
  }
  if (next.fail !== undefined) throw new Failure("model-failed", next.fail);
  for (const { id, name, arguments: given } of next.calls ?? []) {
    if (next.pauseMs) await sleep(next.pauseMs, signal);
    const text = typeof given === "string" ? given : JSON.stringify(given);
    const inJson = (value: string) => JSON.stringify(value).slice(1, -1);
    yield { kind: "call", id: id ?? "", name, arguments: filled(text, messages, inJson) };
  }
}

/** What the person asked; what the session itself says on the user's side is no question. */
const isQuestion = ({ role, text }: SentMessage): boolean => role === "user" && !text.startsWith(GATE_WORDS);

/** The reply at this place: so many questions asked, so many replies since the last one. */
function replyFor(script: Script, messages: readonly SentMessage[]): ScriptReply {
  const asked = messages.filter(isQuestion).length;
  const last = messages.findLastIndex(isQuestion);
  const since = messages.slice(last + 1).filter(({ role }) => role === "assistant").length;
  const replies = script.conversations[Math.min(asked, script.conversations.length) - 1] ?? [];
  return replies[since] ?? { say: "The script ends here." };
}

/**
 * `{{handle:TOOL}}` is the handle in the latest ticket of that tool, `{{next:TOOL}}` the page that its latest page of a list
 * names, `{{question}}` the user's last words, `{{images}}` the
 * types and bytes of all images that were sent. What cannot be filled stays, so that a script's mistake is seen and not hidden.
 */
function filled(text: string, messages: readonly SentMessage[], escaped = (value: string) => value): string {
  const places = /\{\{((handle|next):(\w+)|question|images)\}\}/g;
  return text.replace(places, (whole, what: string, which: string | undefined, tool: string | undefined) => {
    if (what === "question") return escaped(messages.findLast(isQuestion)?.text ?? whole);
    if (what === "images") return imagesIn(messages);
    for (const message of [...messages].reverse()) {
      if (message.role !== "tool" || message.name !== tool) continue;
      const next = parseLabel(message.text)?.next;
      if (which === "next" && next) return `${next.handle}@${next.first}`;
      if (which === "next") continue;
      const handle = parseTicket(message.text)?.handle ?? next?.handle ?? parseMediaLine(message.text);
      if (handle) return handle;
    }
    return whole;
  });
}

function imagesIn(messages: readonly SentMessage[]): string {
  const images = messages.flatMap((message) => (message.role === "tool" ? (message.images ?? []) : []));
  return images.map(({ mediaType, bytes }) => `${mediaType}, ${bytes.length} bytes`).join("; ") || "none";
}
