/**
 * pi sessions: `{ type, timestamp, message }` per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `session`, `model_change` | id, folder, model |
 * | `message` of user; of assistant | asked; a reply with its `toolCall` parts, stopped or failed where it says so |
 * | `message` of toolResult | a result, by `toolCallId`; images are stored beside it |
 * | `message` of bashExecution | asked: the person ran it, and the model was shown it |
 * | `thinking` parts | counted |
 * | `compaction`, `branch_summary` | counted; the summary is asked again, as it was |
 */
import { COMPACTIONS, folderName } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { argumentsOf, countOf, type Json, recordOf, recordsOf, textOf, timeOf } from "./json";
import { askedText, partsOf, unreadPart, unreadRecord } from "./parts";

export const pi: LineFormat = {
  name: "pi",
  isOne: (sample) =>
    sample.some(
      ({ type, cwd, id }) => type === "session" && typeof cwd === "string" && typeof id === "string",
    ) ||
    sample.some(
      ({ type, message }) =>
        type === "message" && ["user", "assistant", "toolResult"].includes(textOf(recordOf(message).role)),
    ),
  open: (draft) => new Pi(draft),
};

const ENDS: Readonly<Record<string, "stopped" | "failed">> = { aborted: "stopped", error: "failed" };

class Pi implements LineReader {
  readonly #draft: TranscriptDraft;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    const at = timeOf(line.timestamp);
    if (line.type === "session")
      session.facts({ id: textOf(line.id), workspace: folderName(line.cwd), model: textOf(line.modelId) });
    else if (line.type === "model_change") session.facts({ model: textOf(line.modelId) });
    else if (line.type === "message") this.#message(recordOf(line.message), at);
    else if (line.type === "compaction" || line.type === "branch_summary") {
      session.note(COMPACTIONS);
      session.asked(textOf(line.summary), at);
    } else if (line.type !== "thinking_level_change") session.note(unreadRecord(line));
  }

  #message(message: Json, at: number | null): void {
    const { session } = this.#draft;
    if (message.role === "user") session.asked(askedText(message.content, session), at);
    else if (message.role === "assistant") this.#reply(message, at);
    else if (message.role === "toolResult") {
      const { text, media } = partsOf(message.content ?? "", session);
      const isError = message.isError === true;
      session.result({
        id: textOf(message.toolCallId),
        name: textOf(message.toolName),
        text,
        media,
        isError,
        at,
      });
    } else if (message.role === "bashExecution")
      session.asked(`Ran \`${textOf(message.command)}\`\n${textOf(message.output)}`, at);
    else session.note(`message(s) of the role “${textOf(message.role).slice(0, 40)}” were not read`);
  }

  #reply(message: Json, at: number | null): void {
    const { session } = this.#draft;
    const parts = recordsOf(message.content);
    for (const part of parts)
      if (part.type !== "text" && part.type !== "toolCall") session.note(unreadPart(part));
    const calls = parts
      .filter(({ type }) => type === "toolCall")
      .map((call) => ({
        id: textOf(call.id),
        name: textOf(call.name),
        arguments: argumentsOf(call.arguments),
      }));
    const { input, output, cacheRead, cacheWrite } = recordOf(message.usage);
    const cached = countOf(cacheRead);
    const fresh = countOf(input);
    session.facts({ model: textOf(message.model) });
    session.replied({
      text: parts
        .filter(({ type }) => type === "text")
        .map(({ text }) => textOf(text))
        .join("\n"),
      calls,
      at,
      end: ENDS[textOf(message.stopReason)],
      error: textOf(message.errorMessage) || null,
      input: fresh === null ? null : fresh + (cached ?? 0) + (countOf(cacheWrite) ?? 0),
      output: countOf(output),
      cached,
    });
  }
}
