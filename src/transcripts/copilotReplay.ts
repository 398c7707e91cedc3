/**
 * Copilot chat replays (*.chatreplay.json): `{ prompts: [{ prompt, logs }] }`, one session.
 *
 * | log entry | becomes |
 * | --- | --- |
 * | the prompt, where it is another than before | asked |
 * | `request` | a reply: `response.message` |
 * | `toolCall` | a call of the reply before it, and its result |
 * | `element` | passed over: it says how a prompt was laid out |
 */
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
import { unreadRecord } from "./parts";

export const copilotReplay: DocumentFormat = {
  name: "Copilot chat replay",
  isOne: (value) =>
    isRecord(value) &&
    recordsOf(value.prompts).some(({ prompt, logs }) => typeof prompt === "string" && Array.isArray(logs)),
  read(value, { session }) {
    let before: string | null = null;
    let replies = 0;
    for (const { prompt, logs } of recordsOf(recordOf(value).prompts)) {
      const text = textOf(prompt);
      if (text !== before) session.asked(text);
      before = text;
      for (const entry of recordsOf(logs)) {
        if (entry.kind === "request") replies++;
        read(entry, `${replies}`, session);
      }
    }
  },
};

function read(entry: Json, key: string, session: SessionDraft): void {
  if (entry.kind === "request") {
    const { model, usage, startTime } = recordOf(entry.metadata);
    const { message, type } = recordOf(entry.response);
    const { prompt_tokens, completion_tokens } = recordOf(usage);
    session.facts({ model: textOf(model) });
    const text = linesOf(message);
    const end = type === "success" || type === undefined ? undefined : ("failed" as const);
    const at = timeOf(startTime);
    session.replied({
      text,
      key,
      at,
      end,
      input: countOf(prompt_tokens),
      output: countOf(completion_tokens),
    });
  } else if (entry.kind === "toolCall") {
    const at = timeOf(entry.time);
    const id = textOf(entry.id);
    session.replied({
      text: "",
      calls: [{ id, name: textOf(entry.tool), arguments: argumentsOf(entry.args) }],
      key,
      at,
    });
    session.result({ id, text: linesOf(entry.response), isError: null, at });
  } else if (entry.kind !== "element") session.note(unreadRecord({ type: entry.kind }));
}

const linesOf = (said: unknown): string =>
  typeof said === "string" ? said : listOf(said).map(textOf).join("\n");
