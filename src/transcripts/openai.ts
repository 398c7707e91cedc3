/**
 * OpenAI chats: an array of messages, or a record around one.
 *
 * | file | becomes |
 * | --- | --- |
 * | `[message, …]`, `{ messages }` | a session (openaiMessage.ts) |
 * | `[{ traj: [message, …] }, …]` (tau-bench) | a session for each |
 * | `{ messages, response }` (a logged request) | the same, with the reply to it |
 * | `<function=name>…</function>` and `EXECUTION RESULT of [name]:` in its texts | calls and results, in their order |
 */
import type { SessionDraft, TranscriptDraft } from "./draft";
import type { DocumentFormat } from "./format";
import { isRecord, type Json, listOf, recordOf, recordsOf, textOf, timeOf } from "./json";
import { isOpenAiMessage, openAiMessage } from "./openaiMessage";

const isChat = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.slice(0, 20).some(isOpenAiMessage);

export const openAi: DocumentFormat = {
  name: "OpenAI messages",
  isOne: (value) =>
    isChat(value) ||
    (isRecord(value) && isChat(value.messages)) ||
    (Array.isArray(value) && value.slice(0, 20).some((one) => isRecord(one) && isChat(one.traj))),
  read(value, draft) {
    if (Array.isArray(value) && !isChat(value)) readEach(value, draft);
    else readOne(isRecord(value) ? value : { messages: value }, draft.session);
  },
};

function readEach(runs: readonly unknown[], draft: TranscriptDraft): void {
  for (const [at, run] of runs.entries()) {
    const { traj, task_id, trial } = recordOf(run);
    const session = at === 0 ? draft.session : draft.begin();
    const name = [task_id, trial].filter((part) => typeof part === "number").join("-") || `${at}`;
    session.facts({ id: name, title: `Task ${name}` });
    readAll(traj, session);
  }
}

function readOne({ messages, model, response, timestamp }: Json, session: SessionDraft): void {
  const reply = recordOf(response);
  session.facts({ model: textOf(model) || textOf(reply.model), id: textOf(reply.id) });
  readAll(messages, session);
  const { message } = recordOf(listOf(reply.choices)[0]);
  if (isRecord(message)) openAiMessage(message, session, { at: timeOf(timestamp) });
}

function readAll(messages: unknown, session: SessionDraft): void {
  const all = listOf(messages);
  const records = recordsOf(all);
  session.note("message(s) were no record", all.length - records.length);
  for (const message of records) if (!textMessage(message, session)) openAiMessage(message, session);
}

const CALL = /<function=([\w.-]{1,200})>/g;
const PARAMETER = /<parameter=([\w.-]{1,200})>/g;
const RESULT = /^EXECUTION RESULT of \[([^\]\n]{1,200})\]:\n?/;

/** Of models that were given their tools in words. False: it is an ordinary message. */
function textMessage(message: Json, session: SessionDraft): boolean {
  const text = typeof message.content === "string" ? message.content : partsText(message.content);
  if (message.role === "assistant" && !Array.isArray(message.tool_calls)) {
    const { found, rest } = tagged(text, CALL, "</function>");
    const calls = found.map(([name, body]) => ({ id: "", name, arguments: argumentsIn(body) }));
    if (calls.length > 0) session.replied({ text: rest.trim(), calls });
    return calls.length > 0;
  }
  const [head, name] = message.role === "user" ? (RESULT.exec(text) ?? []) : [];
  if (head === undefined) return false;
  session.result({ id: null, name: name ?? null, text: text.slice(head.length), isError: null });
  return true;
}

const partsText = (content: unknown): string =>
  recordsOf(content)
    .map(({ text }) => textOf(text))
    .join("\n");

const argumentsIn = (body: string): string =>
  JSON.stringify(Object.fromEntries(tagged(body, PARAMETER, "</parameter>").found));

/** Names and bodies between an opening tag and the next closing one; `rest` is what stands around them. */
function tagged(
  text: string,
  open: RegExp,
  close: string,
): { readonly found: readonly (readonly [string, string])[]; readonly rest: string } {
  const found: [string, string][] = [];
  const around: string[] = [];
  let from = 0;
  open.lastIndex = 0;
  for (let tag = open.exec(text); tag !== null; tag = open.exec(text)) {
    const end = text.indexOf(close, open.lastIndex);
    if (end < 0) break;
    found.push([tag[1] ?? "", text.slice(open.lastIndex, end)]);
    around.push(text.slice(from, tag.index));
    from = end + close.length;
    open.lastIndex = from;
  }
  return { found, rest: [...around, text.slice(from)].join("") };
}
