/**
 * Copilot CLI sessions: `{ type, data, id, timestamp, parentId }` per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `session.start`, `session.model_change` | id, folder, model |
 * | `user.message` | asked |
 * | `system.message` | the system text |
 * | `assistant.message` | a reply, with `toolRequests` as calls |
 * | `tool.execution_complete` | a result, by `toolCallId` |
 * | `assistant.reasoning`, `reasoningText` | counted |
 * | `session.error`, `abort`, `session.truncation` | counted |
 * | the rest (hooks, subagents, usage) | passed over |
 */
import { COMPACTIONS, folderName } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { argumentsOf, type Json, recordOf, recordsOf, textOf, timeOf } from "./json";
import { askedText, partsOf, REASONING } from "./parts";

export const copilotCli: LineFormat = {
  name: "Copilot CLI",
  isOne: (sample) =>
    sample.some(
      ({ type, data }) =>
        typeof data === "object" && /^(session\.start|user\.message|assistant\.message)$/.test(textOf(type)),
    ),
  open: (draft) => new CopilotCli(draft),
};

class CopilotCli implements LineReader {
  readonly #draft: TranscriptDraft;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    const data = recordOf(line.data);
    const at = timeOf(line.timestamp);
    if (line.type === "session.start")
      session.facts({ id: textOf(data.sessionId), workspace: folderName(recordOf(data.context).cwd) });
    else if (line.type === "session.model_change") session.facts({ model: textOf(data.newModel) });
    else if (line.type === "user.message") session.asked(askedText(data.content, session), at);
    else if (line.type === "system.message") session.facts({ system: textOf(data.content) });
    else if (line.type === "assistant.message") {
      session.facts({ model: textOf(data.model) });
      session.note(REASONING, textOf(data.reasoningText) === "" ? 0 : 1);
      const calls = recordsOf(data.toolRequests).map((call) => ({
        id: textOf(call.toolCallId),
        name: textOf(call.name),
        arguments: argumentsOf(call.arguments),
      }));
      session.replied({ text: partsOf(data.content ?? "", session).text, calls, at });
    } else if (line.type === "tool.execution_complete") {
      const { content, message } = { ...recordOf(data.error), ...recordOf(data.result) };
      const { text, media } = partsOf(content ?? message ?? "", session);
      const isError = typeof data.success === "boolean" ? !data.success : null;
      session.result({ id: textOf(data.toolCallId), text, media, isError, at });
    } else if (line.type === "assistant.reasoning") session.note(REASONING);
    else if (line.type === "session.error") session.note("error(s) of the other agent");
    else if (line.type === "abort") session.note("turn(s) were stopped by the person");
    else if (line.type === "session.truncation") session.note(COMPACTIONS);
  }
}
