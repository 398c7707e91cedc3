/**
 * Exports of opencode (`opencode export`), which keeps its sessions in a database: `{ info, messages: [{ info, parts }] }`.
 *
 * | part | becomes |
 * | --- | --- |
 * | `text` of user; of assistant | asked, also what the program put in; a reply |
 * | `step-start` | the next reply: a message has one, or several |
 * | `tool` | a call of the reply, and its result where it has ended; attached images are stored beside it |
 * | `step-finish` | what the reply took: what was cached counts as input, all of the rest of the total as output |
 * | `reasoning`, `compaction` | counted |
 * | `error` of a message | a reply that was stopped, or failed |
 * | `snapshot`, `patch` | passed over: states of the folder |
 */
import { COMPACTIONS, folderName } from "./common";
import type { DraftMedia, SessionDraft } from "./draft";
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
import { imageOf, unreadPart } from "./parts";

const PASSED = new Set(["snapshot", "patch"]);

export const opencode: DocumentFormat = {
  name: "opencode export",
  isOne: (value) =>
    isRecord(value) &&
    isRecord(value.info) &&
    recordsOf(value.messages).some(
      ({ info, parts }) =>
        ["user", "assistant"].includes(textOf(recordOf(info).role)) && Array.isArray(parts),
    ),
  read(value, { session }) {
    const { info, messages } = recordOf(value);
    const { id, title, directory } = recordOf(info);
    session.facts({ id: textOf(id), title: textOf(title), workspace: folderName(directory) });
    session.note("message(s) were no record", listOf(messages).length - recordsOf(messages).length);
    for (const [n, message] of recordsOf(messages).entries()) readMessage(message, n, session);
  },
};

function readMessage({ info, parts }: Json, n: number, session: SessionDraft): void {
  const { role, time, modelID, model, error } = recordOf(info);
  const at = timeOf(recordOf(time).created);
  session.facts({ model: textOf(modelID) || textOf(recordOf(model).modelID) });
  session.note("part(s) of messages were no record", listOf(parts).length - recordsOf(parts).length);
  if (role === "user") for (const part of recordsOf(parts)) readAsked(part, at, session);
  else if (role === "assistant") readReplies(recordsOf(parts), n, at, error, session);
  else session.note(`message(s) of the role “${textOf(role).slice(0, 40)}” were not read`);
}

function readAsked(part: Json, at: number | null, session: SessionDraft): void {
  if (part.type === "text" && part.ignored === true)
    session.note("part(s) that the model was not shown were left out");
  else if (part.type === "text") session.asked(textOf(part.text), at);
  else if (part.type === "compaction") session.note(COMPACTIONS);
  else session.note(unreadPart(part));
}

function readReplies(
  parts: readonly Json[],
  message: number,
  at: number | null,
  error: unknown,
  session: SessionDraft,
): void {
  const finished = parts.filter(({ type }) => type === "step-finish");
  let step = 0;
  for (const part of parts) {
    const key = `${message} ${step}`;
    if (part.type === "text") session.replied({ text: textOf(part.text), key, at });
    else if (part.type === "tool") readCall(part, key, at, session);
    else if (part.type === "step-start")
      session.replied({ text: "", key: `${message} ${++step}`, at, ...usageOf(finished[step - 1]) });
    else if (part.type !== "step-finish" && !PASSED.has(textOf(part.type))) session.note(unreadPart(part));
  }
  if (!isRecord(error)) return;
  const end = error.name === "MessageAbortedError" ? "stopped" : "failed";
  const why = textOf(recordOf(error.data).message) || textOf(error.name);
  session.replied({ text: "", key: `${message} ${step}`, at, end, error: end === "failed" ? why : null });
}

/** Of a step, told by its end, and that by its number: the draft takes what a reply took from its first piece. */
function usageOf(finished: Json | undefined) {
  const { input, output, total, cache } = recordOf(recordOf(finished).tokens);
  const { read, write } = recordOf(cache);
  const [fresh, cached, written] = [countOf(input), countOf(read), countOf(write)];
  if (fresh === null) return {};
  const prompt = fresh + (cached ?? 0) + (written ?? 0);
  const all = countOf(total);
  return { input: prompt, output: all !== null && all >= prompt ? all - prompt : countOf(output), cached };
}

function readCall(part: Json, key: string, at: number | null, session: SessionDraft): void {
  const id = textOf(part.callID);
  const { status, input, output, error, time, attachments } = recordOf(part.state);
  const call = { id, name: textOf(part.tool), arguments: argumentsOf(input) };
  session.replied({ text: "", calls: [call], key, at });
  if (status !== "completed" && status !== "error") return; // the session was exported while it ran, or it was stopped
  const { end, compacted } = recordOf(time);
  session.note(
    "result(s) were left out of later requests by the other agent",
    compacted === undefined ? 0 : 1,
  );
  const isError = status === "error";
  const media = recordsOf(attachments)
    .map(attached)
    .filter((one) => one !== null);
  const text = textOf(isError ? error : output);
  session.result({ id, name: call.name, text, media, isError, at: timeOf(end) ?? at });
}

const attached = ({ url }: Json): DraftMedia | null => imageOf({ image_url: url });
