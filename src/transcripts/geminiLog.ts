/**
 * Gemini CLI's recordings since they are appended to (chats/session-*.jsonl): a record per line, read as one recording.
 *
 * | line | becomes |
 * | --- | --- |
 * | `{ sessionId, projectHash, … }` | what is known of the session |
 * | `{ id, type, content, … }` | a message, or another writing of the one with that id |
 * | `{ $set }` | more that is known; a message in `messages` counts where its id is new |
 * | `$set.messages` without some that there were | a compaction, counted: what stood before stays |
 * | `{ $rewindTo }` | the message with that id, and all behind it, are gone; all are, where it is not there. Counted |
 * | the recording at the end | read as one in one piece (geminiRecording.ts) |
 */
import { COMPACTIONS } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { GEMINI_CLI, isRecordingHead, readRecording } from "./geminiRecording";
import { isRecord, type Json, recordsOf } from "./json";
import { unreadRecord } from "./parts";
import { MAXIMUM_HELD_CHARS } from "./patchedDocument";

export const geminiLog: LineFormat = {
  name: GEMINI_CLI,
  isOne: (sample) =>
    sample.some(isRecordingHead) ||
    sample.some(
      ({ type, id, content }) => type === "gemini" && typeof id === "string" && content !== undefined,
    ),
  open: (draft) => new GeminiLog(draft),
};

type Held = { readonly message: Json; readonly chars: number };

class GeminiLog implements LineReader {
  readonly #draft: TranscriptDraft;
  readonly #messages = new Map<string, Held>();
  readonly #order: string[] = []; // of ids, so that going back costs what it takes away
  #known: Json = {};
  #chars = 0;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json, chars: number): void {
    if (typeof line.$rewindTo === "string") this.#rewind(line.$rewindTo);
    else if (typeof line.id === "string") this.#put(line.id, { message: line, chars });
    else if (isRecord(line.$set)) this.#learn(line.$set, chars);
    else if (typeof line.sessionId === "string") this.#learn(line, chars);
    else this.#draft.session.note(unreadRecord(line));
  }

  end(): void {
    const messages = this.#order.map((id) => this.#messages.get(id)?.message);
    readRecording({ ...this.#known, messages }, this.#draft.session);
  }

  /** The recording is written again as a whole where it was shortened, so what it leaves out was in the window before. */
  #learn({ sessionId, summary, messages }: Json, chars: number): void {
    const given = Object.entries({ sessionId, summary }).filter(([, value]) => typeof value === "string");
    this.#known = { ...this.#known, ...Object.fromEntries(given) };
    const listed = recordsOf(messages);
    if (listed.length === 0) return;
    const ids = new Set(listed.map(({ id }) => id));
    if (this.#order.some((id) => !ids.has(id))) this.#draft.session.note(COMPACTIONS);
    for (const message of listed) {
      if (typeof message.id !== "string") this.#draft.session.note("message(s) had no id, and were not read");
      else if (!this.#messages.has(message.id))
        this.#put(message.id, { message, chars: chars / listed.length });
    }
  }

  #put(id: string, held: Held): void {
    const sum = this.#chars - (this.#messages.get(id)?.chars ?? 0) + held.chars;
    if (sum > MAXIMUM_HELD_CHARS) {
      this.#draft.session.note("message(s) were not read: a session may have 64 MB");
      return;
    }
    this.#chars = sum;
    if (!this.#messages.has(id)) this.#order.push(id);
    this.#messages.set(id, held);
  }

  #rewind(to: string): void {
    let gone = 0;
    for (let id = this.#order.pop(); id !== undefined; id = this.#order.pop()) {
      this.#chars -= this.#messages.get(id)?.chars ?? 0;
      this.#messages.delete(id);
      gone++;
      if (id === to) break;
    }
    this.#draft.session.note("message(s) were taken back by the person", gone);
  }
}
