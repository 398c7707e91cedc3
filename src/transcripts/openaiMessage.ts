/**
 * One message of an OpenAI chat, as several formats hold them.
 *
 * | role | becomes |
 * | --- | --- |
 * | `system`, `developer` | the system text, the first one; later ones are counted |
 * | `user` | asked |
 * | `assistant` | a reply; `tool_calls`, and `function_call` of old |
 * | `tool`, `function` | a result, by `tool_call_id`, or by name |
 * | `reasoning_content` | counted |
 */
import type { DraftCall, SessionDraft } from "./draft";
import { argumentsOf, isRecord, type Json, listOf, recordOf, recordsOf, textOf } from "./json";
import { askedText, partsOf, REASONING } from "./parts";

export type MessageMore = {
  readonly at?: number | null;
  readonly isError?: boolean | null;
  readonly input?: number | null;
  readonly output?: number | null;
};

export const isOpenAiMessage = (value: unknown): value is Json =>
  isRecord(value) &&
  /^(system|developer|user|assistant|tool|function)$/.test(textOf(value.role)) &&
  !("parts" in value);

export function openAiMessage(message: Json, session: SessionDraft, more: MessageMore = {}): void {
  const { role, content = "" } = message;
  const { at = null, isError = null } = more;
  if (role === "system" || role === "developer") systemText(partsOf(content ?? "", session).text, session);
  else if (role === "user") session.asked(askedText(content ?? "", session), at);
  else if (role === "assistant") {
    session.note(REASONING, textOf(message.reasoning_content ?? message.reasoning) === "" ? 0 : 1);
    const { text, media } = partsOf(content ?? message.refusal ?? "", session);
    session.note("image(s) of the model were left out", media.length);
    session.replied({ text, calls: callsOf(message, session), ...more });
  } else if (role === "tool" || role === "function") {
    const id = textOf(message.tool_call_id ?? message.toolCallId ?? listOf(message.tool_call_ids)[0]);
    const name = textOf(message.name) || null;
    session.result({
      id: id === "" ? null : id,
      name: id === "" ? name : null,
      ...partsOf(content ?? "", session),
      isError,
      at,
    });
  } else session.note(`message(s) of the role “${textOf(role).slice(0, 40)}” were not read`);
}

/** A conversation has one; where another stands in the middle it is counted. */
export function systemText(text: string, session: SessionDraft): void {
  if (session.isEmpty) session.facts({ system: text });
  else session.note("instruction(s) of the program were left out", text === "" ? 0 : 1);
}

export function callsOf(message: Json, session: SessionDraft): readonly DraftCall[] {
  const given = listOf(message.tool_calls ?? message.toolCalls);
  const calls = recordsOf(given);
  session.note("call(s) were no record", given.length - calls.length);
  const made = calls.map((call) => {
    const { name, arguments: words } = isRecord(call.function) ? call.function : call;
    return { id: textOf(call.id), name: textOf(name), arguments: argumentsOf(words ?? call.args) };
  });
  const old = recordOf(message.function_call);
  return typeof old.name === "string"
    ? [...made, { id: "", name: old.name, arguments: argumentsOf(old.arguments) }]
    : made;
}
