/**
 * Gemini CLI's recordings (~/.gemini/tmp/<project>/chats/session-*.json): `{ sessionId, projectHash, messages, … }`.
 *
 * | part of a message | becomes |
 * | --- | --- |
 * | `content` of user; of gemini | asked; a reply. Replies with nothing but results between them may stand as one |
 * | `toolCalls` | calls of the reply, and their results, failed where the `status` says so |
 * | `functionCall` and `functionResponse` in `content` | calls and results, where `toolCalls` has not told them |
 * | `tokens` | what the reply took; thinking counts as output, as it does elsewhere |
 * | `thoughts` | counted |
 * | messages of info, warning, error | counted: the model was not shown them |
 * | `summary` | the title |
 */
import type { DraftCall, DraftResult, SessionDraft } from "./draft";
import type { DocumentFormat } from "./format";
import { responseOf } from "./gemini";
import {
  argumentsOf,
  countOf,
  isRecord,
  type Json,
  listOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
} from "./json";
import { askedText, partsOf, REASONING } from "./parts";

export const GEMINI_CLI = "Gemini CLI";

export const geminiRecording: DocumentFormat = {
  name: GEMINI_CLI,
  isOne: (value) => isRecord(value) && isRecordingHead(value) && Array.isArray(value.messages),
  read: (value, { session }) => readRecording(recordOf(value), session),
};

export const isRecordingHead = ({ sessionId, projectHash }: Json): boolean =>
  typeof sessionId === "string" && typeof projectHash === "string";

export function readRecording({ sessionId, summary, messages }: Json, session: SessionDraft): void {
  session.facts({ id: textOf(sessionId), title: textOf(summary) });
  session.note("message(s) were no record", listOf(messages).length - recordsOf(messages).length);
  const told: Told = { calls: new Set(), results: new Set() };
  for (const message of recordsOf(messages)) readMessage(message, told, session);
}

/** Ids. A recording that was written again from the model's history tells calls and results a second time. */
type Told = { readonly calls: Set<string>; readonly results: Set<string> };

function readMessage(message: Json, told: Told, session: SessionDraft): void {
  const at = timeOf(message.timestamp);
  const { type, content = "" } = message;
  if (type === "gemini") readReply(message, told, at, session);
  else if (type === "user") {
    const responses = functionsIn(content, "functionResponse").map(responseOf);
    giveResults(responses, told, at, session);
    session.asked(askedText(wordsIn(content), session), at);
  } else if (type === "error") session.note("error(s) of the other agent");
  else session.note(`message(s) of the kind “${textOf(type).slice(0, 40)}” were not read`);
}

function readReply(message: Json, told: Told, at: number | null, session: SessionDraft): void {
  const { content = "", toolCalls, thoughts, tokens, model } = message;
  const made = recordsOf(toolCalls);
  const again = functionsIn(content, "functionCall");
  for (const { id } of made) if (textOf(id) !== "") told.calls.add(textOf(id));
  const others = again.filter(({ id }) => !told.calls.has(textOf(id)));
  for (const { id } of others) if (textOf(id) !== "") told.calls.add(textOf(id));
  const { text, media } = partsOf(wordsIn(content), session, "");
  session.facts({ model: textOf(model) });
  session.note(REASONING, listOf(thoughts).length);
  session.note("image(s) of the model were left out", media.length);
  const calls = [...made, ...others].map(callOf);
  const isAgain = text === "" && calls.length === 0 && again.length > 0;
  if (!isAgain) session.replied({ text, calls, at, ...usageOf(tokens) });
  const results = made.flatMap((call) => resultsOf(call, session));
  giveResults(results, told, at, session);
}

const callOf = ({ id, name, args }: Json): DraftCall => ({
  id: textOf(id),
  name: textOf(name),
  arguments: argumentsOf(args),
});

/** Zeroes stand where the provider said nothing. */
function usageOf(tokens: unknown) {
  const { input, output, cached, thoughts } = recordOf(tokens);
  const [prompt, answer] = [countOf(input), countOf(output)];
  if (prompt === null || answer === null || prompt + answer === 0) return {};
  return { input: prompt, output: answer + (countOf(thoughts) ?? 0), cached: countOf(cached) };
}

/** What a call came to: none where it never ended, in one text where it stands in several parts. */
function resultsOf(
  { id, name, result, status, timestamp }: Json,
  session: SessionDraft,
): readonly DraftResult[] {
  if (result === null || result === undefined) return [];
  const responses = functionsIn(result, "functionResponse").map(responseOf);
  const { text, media } = partsOf(wordsIn(result), session);
  const texts = [...responses.map((response) => response.text), text].filter((one) => one !== "");
  const isError = status === "error" || status === "cancelled" || responses.some((one) => one.isError);
  const at = timeOf(timestamp);
  return [{ id: textOf(id) || null, name: textOf(name), text: texts.join("\n"), media, isError, at }];
}

/** Each call has one result, whichever place tells it first. */
function giveResults(
  results: readonly DraftResult[],
  told: Told,
  at: number | null,
  session: SessionDraft,
): void {
  for (const result of results) {
    if (result.id !== null && told.results.has(result.id)) continue;
    if (result.id !== null) told.results.add(result.id);
    session.result({ ...result, at: result.at ?? at });
  }
}

const partsIn = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [content]);

const isFunction = (part: unknown, kind: string): part is Json => isRecord(part) && isRecord(part[kind]);

const functionsIn = (content: unknown, kind: "functionCall" | "functionResponse"): readonly Json[] =>
  partsIn(content)
    .filter((part) => isFunction(part, kind))
    .map((part) => recordOf(recordOf(part)[kind]));

/** Without calls and responses. */
const wordsIn = (content: unknown): readonly unknown[] =>
  partsIn(content).filter(
    (part) => !isFunction(part, "functionCall") && !isFunction(part, "functionResponse"),
  );
