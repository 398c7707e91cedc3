/**
 * Claude Code JSONL: ~/.claude/projects/…/<session>.jsonl, one content block per line.
 *
 * | line | becomes |
 * | --- | --- |
 * | `user`, text | asked; a message that is a bare string too |
 * | `user`, `tool_result` | a result; `toolUseResult` repeats it and is passed over |
 * | `assistant` | a reply; lines with one `message.id` are one reply, also with results between them |
 * | `thinking` | counted |
 * | `system`/`compact_boundary`, `isCompactSummary` | counted; the summary is the next message |
 * | `summary`, `custom-title`, `ai-title` | the title |
 * | `isSidechain` | stands where it was written, counted |
 * | bookkeeping (progress, snapshots, queue, hooks) | passed over |
 */
import { COMPACTIONS, folderName } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { argumentsOf, countOf, isRecord, type Json, recordOf, textOf, textOrNull, timeOf } from "./json";
import { askedText, imageOf, partsOf, unreadPart, unreadRecord } from "./parts";

const BOOKKEEPING = new Set(
  "progress,queue-operation,file-history-snapshot,attachment,permission-mode,mode,agent-name,last-prompt,frame-link,pr-link,started,result,relocated,worktree-state,bridge-session,atis-latch".split(
    ",",
  ),
);

export const claudeCode: LineFormat = {
  name: "Claude Code",
  isOne: (sample) =>
    sample.some(
      (line) =>
        typeof line.sessionId === "string" &&
        (typeof line.uuid === "string" || typeof line.leafUuid === "string") &&
        (line.type === "user" || line.type === "assistant" || line.type === "system"),
    ),
  open: (draft) => new ClaudeCode(draft),
};

class ClaudeCode implements LineReader {
  readonly #draft: TranscriptDraft;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    session.facts({ id: textOf(line.sessionId), workspace: folderName(line.cwd) });
    if (line.isSidechain === true && (line.type === "user" || line.type === "assistant"))
      session.note("message(s) of subagents stand where they were written");
    if (line.type === "user") this.#user(line);
    else if (line.type === "assistant") this.#assistant(line);
    else if (line.type === "summary") session.facts({ title: textOf(line.summary) });
    else if (line.type === "custom-title") session.facts({ title: textOf(line.customTitle) });
    else if (line.type === "ai-title") session.facts({ title: textOf(line.aiTitle) });
    else if (line.type === "system") session.note(COMPACTIONS, line.subtype === "compact_boundary" ? 1 : 0);
    else if (!BOOKKEEPING.has(textOf(line.type))) session.note(unreadRecord(line));
  }

  #user(line: Json): void {
    const { session } = this.#draft;
    const at = timeOf(line.timestamp);
    const { message } = line;
    const content = isRecord(message) ? message.content : message;
    if (content === undefined) session.note("message(s) without content");
    const words: unknown[] = [];
    for (const block of Array.isArray(content) ? content : [content ?? ""]) {
      if (!isRecord(block) || block.type !== "tool_result") words.push(block);
      else {
        const { text, media } = partsOf(block.content ?? "", session);
        const isError = block.is_error === true;
        session.result({ id: textOf(block.tool_use_id ?? line.sourceToolUseID), text, media, isError, at });
      }
    }
    session.asked(askedText(words, session), at);
  }

  #assistant(line: Json): void {
    const { session } = this.#draft;
    const message = recordOf(line.message);
    const texts: string[] = [];
    const calls = [];
    const content =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isRecord(block)) session.note("part(s) of messages were no text and no record");
      else if (block.type === "text") texts.push(textOf(block.text));
      else if (block.type === "tool_use")
        calls.push({ id: textOf(block.id), name: textOf(block.name), arguments: argumentsOf(block.input) });
      else session.note(imageOf(block) ? "image(s) of the model were left out" : unreadPart(block));
    }
    if (message.model !== "<synthetic>") session.facts({ model: textOf(message.model) });
    const usage = recordOf(message.usage);
    const cached = countOf(usage.cache_read_input_tokens);
    const fresh = countOf(usage.input_tokens);
    session.replied({
      text: texts.join("\n"),
      calls,
      at: timeOf(line.timestamp),
      key: textOrNull(message.id) ?? textOrNull(line.requestId),
      input:
        fresh === null ? null : fresh + (cached ?? 0) + (countOf(usage.cache_creation_input_tokens) ?? 0),
      output: countOf(usage.output_tokens),
      cached,
    });
  }
}
