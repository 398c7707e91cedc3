/**
 * Copilot chats of VS Code, exported (Export Chat…) or as it kept them in one piece: `{ requests, responderUsername, … }`.
 *
 * | part of a request | becomes |
 * | --- | --- |
 * | `message.text` | asked |
 * | `result.metadata.toolCallRounds` | a reply each, with its calls |
 * | `result.metadata.toolCallResults` | results, by id; texts of their trees of nodes too |
 * | `response`, where there are no rounds | a reply; invocations become calls without results, which only the view had |
 * | a `summary` in a round | counted |
 * | `promptTokens`, `completionTokens` | what the reply took, where the request has one: they are of its last reply, and of all together |
 */

import { COMPACTIONS } from "./common";
import type { SessionDraft } from "./draft";
import type { DocumentFormat } from "./format";
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

export const copilotChat: DocumentFormat = {
  name: "Copilot chat export",
  isOne: (value) =>
    isRecord(value) &&
    recordsOf(value.requests).some(
      ({ message, response }) => message !== undefined && Array.isArray(response),
    ),
  read(value, { session }) {
    const { requests: given, customTitle } = recordOf(value);
    const requests = listOf(given);
    session.facts({ title: textOf(customTitle) });
    session.note("request(s) were no record", requests.length - recordsOf(requests).length);
    for (const request of recordsOf(requests)) readRequest(request, session);
  },
};

function readRequest(request: Json, session: SessionDraft): void {
  const at = timeOf(request.timestamp);
  const { message } = request;
  const { metadata, errorDetails } = recordOf(request.result);
  const { toolCallRounds, toolCallResults } = recordOf(metadata);
  session.facts({ id: textOf(request.requestId), model: textOf(request.modelId) });
  session.asked(textOf(isRecord(message) ? message.text : message), at);
  session.note("request(s) failed there", isRecord(errorDetails) ? 1 : 0);
  const rounds = recordsOf(toolCallRounds);
  const results = new Map(Object.entries(recordOf(toolCallResults)));
  for (const round of rounds) {
    session.note(COMPACTIONS, textOf(round.summary) === "" ? 0 : 1);
    const calls = recordsOf(round.toolCalls).map((call) => ({
      id: textOf(call.id),
      name: textOf(call.name),
      arguments: argumentsOf(call.arguments),
    }));
    session.replied({
      text: textOf(round.response),
      calls,
      at,
      ...(rounds.length === 1 && usageOf(request)),
    });
    for (const { id } of calls) {
      const result = results.get(id);
      if (result === undefined) continue;
      session.result({ id, text: textIn(result, session), isError: null, at });
      results.delete(id);
    }
  }
  for (const [id, result] of results)
    session.result({ id, text: textIn(result, session), isError: null, at });
  if (rounds.length === 0) readView(request, session, at, isStopped(request));
}

const usageOf = ({ promptTokens, completionTokens }: Json) => ({
  input: countOf(promptTokens),
  output: countOf(completionTokens),
});

/** In the numbers of `modelState`, 0 was still at it when the session was written, 2 was cancelled. */
function isStopped({ isCanceled, modelState }: Json): boolean {
  const { value } = recordOf(modelState);
  return isCanceled === true || value === 0 || value === 2;
}

/** What the view showed is all there is. */
function readView({ response }: Json, session: SessionDraft, at: number | null, isStopped: boolean): void {
  const parts = recordsOf(response);
  const text = parts
    .filter(({ kind }) => kind === undefined)
    .map((part) => textOf(part.value))
    .join("\n");
  const invocations = parts.filter(({ kind }) => kind === "toolInvocationSerialized");
  const shown = invocations.filter(({ resultDetails }) => isRecord(resultDetails)).length;
  session.note("result(s) were only in the view, not in the conversation", shown);
  const calls = invocations.map((part) => ({
    id: textOf(part.toolCallId),
    name: textOf(part.toolId),
    arguments: argumentsOf(recordOf(part.resultDetails).input ?? recordOf(part.toolSpecificData).rawInput),
  }));
  session.replied({ text, calls, at, end: isStopped ? "stopped" : undefined });
}

/** Parts are texts, or trees of nodes with texts at their ends. */
function textIn(result: unknown, session: SessionDraft): string {
  const texts: string[] = [];
  const open: unknown[] = [...listOf(recordOf(result).content)].reverse();
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (!isRecord(part)) continue;
    const value = part.value ?? part.node ?? part;
    if (typeof value === "string") texts.push(value);
    else if (isRecord(value) && typeof value.text === "string") texts.push(value.text);
    else if (isRecord(value) && Array.isArray(value.children)) {
      for (const child of value.children.toReversed()) open.push(child);
    } else if (isRecord(value) && isRecord(value.node)) open.push(value.node);
    else session.note("part(s) of results were no text");
  }
  return texts.join("\n");
}
