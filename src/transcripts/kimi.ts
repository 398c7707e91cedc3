/**
 * Kimi Code CLI sessions: `{ type, time, … }` per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `config.update` | the system text |
 * | `llm.request` | the model |
 * | `context.append_message` of user | asked, also what the program put in |
 * | `context.append_loop_event`: `step.begin`, `content.part`, `tool.call`, `step.end` | one reply for each step |
 * | `tool.result` | a result, by `toolCallId` |
 * | `think` parts | counted |
 * | `context.apply_compaction` | counted; its summary is asked again, as it was |
 * | the rest (permissions, usage, plan mode) | passed over |
 */
import { COMPACTIONS } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { argumentsOf, countOf, type Json, recordOf, textOf, timeOf } from "./json";
import { askedText, partsOf, unreadPart, unreadRecord } from "./parts";

export const kimi: LineFormat = {
  name: "Kimi",
  isOne: (sample) =>
    sample.some(({ type }) => /^(context\.append_|turn\.prompt$|config\.update$)/.test(textOf(type))),
  open: (draft) => new Kimi(draft),
};

class Kimi implements LineReader {
  readonly #draft: TranscriptDraft;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    const at = timeOf(line.time);
    if (line.type === "config.update") session.facts({ system: textOf(line.systemPrompt) });
    else if (line.type === "llm.request") session.facts({ model: textOf(line.model) });
    else if (line.type === "context.append_loop_event") this.#step(recordOf(line.event), at);
    else if (line.type === "context.apply_compaction") {
      session.note(COMPACTIONS);
      session.asked(textOf(line.contextSummary) || textOf(line.summary), at);
    } else if (line.type === "context.append_message") {
      const { role, content } = recordOf(line.message);
      if (role === "user") session.asked(askedText(content, session), at);
      else if (role === "assistant") session.replied({ ...partsOf(content, session), at });
      else session.note(`message(s) of the role “${textOf(role).slice(0, 40)}” were not read`);
    }
  }

  #step(event: Json, at: number | null): void {
    const { session } = this.#draft;
    const key = textOf(event.stepUuid ?? event.uuid);
    const part = recordOf(event.part);
    if (event.type === "step.begin") session.replied({ text: "", key, at });
    else if (event.type === "content.part" && part.type === "text")
      session.replied({ text: textOf(part.text), key, at });
    else if (event.type === "content.part") session.note(unreadPart(part));
    else if (event.type === "tool.call") {
      const call = {
        id: textOf(event.toolCallId),
        name: textOf(event.name),
        arguments: argumentsOf(event.args),
      };
      session.replied({ text: "", calls: [call], key, at });
    } else if (event.type === "tool.result") {
      const { output, isError } = recordOf(event.result);
      session.result({
        id: textOf(event.toolCallId),
        ...partsOf(output ?? "", session),
        isError: isError === true,
        at,
      });
    } else if (event.type === "step.end") {
      const { inputOther, inputCacheRead, inputCacheCreation, output } = recordOf(event.usage);
      const cached = countOf(inputCacheRead);
      const input = (countOf(inputOther) ?? 0) + (cached ?? 0) + (countOf(inputCacheCreation) ?? 0);
      session.replied({ text: "", key, input, output: countOf(output), cached });
    } else session.note(unreadRecord(event));
  }
}
