/**
 * Gemini contents: `[{ role, parts }, …]`, alone or as `contents`, `history` or `context` of a record.
 *
 * | part | becomes |
 * | --- | --- |
 * | `text` of user; of model | asked; a reply |
 * | `functionCall` | a call, often without an id |
 * | `functionResponse` | a result, by id; where the call has none, of the first open call of that name |
 * | `thought` | counted |
 */

import type { DraftResult, SessionDraft } from "./draft";
import type { DocumentFormat } from "./format";
import { argumentsOf, isRecord, type Json, listOf, recordOf, recordsOf, textOf } from "./json";
import { systemText } from "./openaiMessage";
import { askedText, partsOf } from "./parts";

const isContents = (value: unknown): boolean =>
  listOf(value)
    .slice(0, 20)
    .some(
      (one) => isRecord(one) && Array.isArray(one.parts) && (one.role === "user" || one.role === "model"),
    );

const contentsIn = (value: unknown): unknown =>
  isRecord(value) ? [value.contents, value.history, value.context, value.messages].find(isContents) : value;

export const gemini: DocumentFormat = {
  name: "Gemini contents",
  isOne: (value) => isContents(contentsIn(value)),
  read(value, { session }) {
    const { model, systemInstruction, error } = recordOf(value);
    session.facts({ model: textOf(model) });
    systemText(partsOf(recordOf(systemInstruction).parts ?? "", session).text, session);
    session.note("error(s) of the other agent", error === undefined ? 0 : 1);
    const all = listOf(contentsIn(value));
    session.note("message(s) were no record", all.length - recordsOf(all).length);
    for (const content of recordsOf(all)) message(content, session);
  },
};

/** A `functionResponse`. */
export function responseOf({ id, name, response }: Json): DraftResult {
  const { output, error } = recordOf(response);
  const said = output ?? error;
  const text = typeof said === "string" ? said : argumentsOf(response);
  return { id: textOf(id) || null, name: textOf(name), text, isError: error !== undefined };
}

function message({ role, parts }: Json, session: SessionDraft): void {
  const given = listOf(parts);
  const isOwn = (part: unknown, kind: string): part is Json => isRecord(part) && isRecord(part[kind]);
  const rest = given.filter((part) => !isOwn(part, "functionCall") && !isOwn(part, "functionResponse"));
  for (const part of given) {
    if (!isOwn(part, "functionResponse")) continue;
    session.result(responseOf(recordOf(part.functionResponse)));
  }
  if (role === "model") {
    const calls = given
      .filter((part) => isOwn(part, "functionCall"))
      .map((part) => recordOf(recordOf(part).functionCall))
      .map((call) => ({ id: textOf(call.id), name: textOf(call.name), arguments: argumentsOf(call.args) }));
    session.replied({ text: partsOf(rest, session, "").text, calls });
  } else session.asked(askedText(rest, session));
}
