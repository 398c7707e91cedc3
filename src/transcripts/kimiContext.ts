/**
 * Contexts of Kimi CLI, which came before Kimi Code (~/.kimi/sessions/…/context.jsonl): `{ role, content, … }` per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `_system_prompt` | the system text |
 * | `user`, `assistant`, `tool` | an OpenAI message (openaiMessage.ts); a result that begins with an error has failed |
 * | a user's that says it is a compaction | asked, and counted: what stood before it is in another file |
 * | `_usage`, `_checkpoint` | passed over: a sum of tokens that does not say of what, and a place to go back to |
 */
import { COMPACTIONS } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { type Json, listOf, recordOf, textOf } from "./json";
import { openAiMessage } from "./openaiMessage";

const MARKS = /^_(?:system_prompt|usage|checkpoint)$/;
const FAILED = /^<system>ERROR\b/;
const COMPACTED = /^<system>Previous context has been compacted/;

export const kimiContext: LineFormat = {
  name: "Kimi CLI",
  isOne: (sample) => sample.some(({ role }) => MARKS.test(textOf(role))),
  open: (draft) => new KimiContext(draft),
};

class KimiContext implements LineReader {
  readonly #draft: TranscriptDraft;
  #isTitled = false;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    const role = textOf(line.role);
    if (role === "_system_prompt") session.facts({ system: textOf(line.content) });
    if (MARKS.test(role)) return;
    const words = firstText(line.content);
    session.note(COMPACTIONS, role === "user" && COMPACTED.test(words) ? 1 : 0);
    if (role === "user") this.#entitle(words);
    openAiMessage(line, session, role === "tool" ? { isError: FAILED.test(words) } : {});
  }

  /** By the first words of the person: marks of the program stand before them. */
  #entitle(words: string): void {
    if (this.#isTitled || words === "" || words.startsWith("<system>")) return;
    this.#isTitled = true;
    this.#draft.session.facts({ title: words });
  }
}

const firstText = (content: unknown): string =>
  typeof content === "string" ? content : textOf(recordOf(listOf(content)[0]).text);
