/**
 * Chat sessions as VS Code keeps them (chatSessions/<id>.jsonl): patches of one document, `{ kind, k, v, i }` per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `kind` 0 | the document: `v`; a later one takes its place, and is counted |
 * | 1; 3 | `v` at the path `k`; nothing there |
 * | 2 | `v` behind the list at `k`, of which `i` are kept where that is said |
 * | the document at the end | read as a chat export (copilotChat.ts) |
 * | another kind, a path to nowhere | counted |
 */
import { copilotChat } from "./copilotChat";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { type Json, listOf, recordOf } from "./json";
import { PatchedDocument } from "./patchedDocument";

export const copilotChatLog: LineFormat = {
  name: "Copilot chat session",
  isOne: (sample) =>
    sample.some(
      ({ kind, k, v }) =>
        (kind === 0 && Array.isArray(recordOf(v).requests)) ||
        (typeof kind === "number" && listOf(k)[0] === "requests"), // its first line may be torn, or too long
    ),
  open: (draft) => new CopilotChatLog(draft),
};

class CopilotChatLog implements LineReader {
  readonly #draft: TranscriptDraft;
  readonly #document = new PatchedDocument();

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json, chars: number): void {
    const refused = this.#document.apply(line, chars);
    if (refused !== null) this.#draft.session.note(refused);
  }

  end(): void {
    copilotChat.read(this.#document.value, this.#draft);
  }
}
