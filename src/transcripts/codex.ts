/**
 * Codex rollouts: ~/.codex/sessions/…/rollout-*.jsonl, `{ timestamp, type, payload }` per line.
 *
 * | payload | becomes |
 * | --- | --- |
 * | `session_meta`, `turn_context` | id, folder, model, system |
 * | `message` of user; of assistant | asked; a reply |
 * | `message` of developer or system | the system text, the first one; later ones are counted |
 * | `function_call`, `custom_tool_call`, `tool_search_call`, `local_shell_call` | calls of the reply before them |
 * | their outputs | results, by `call_id` |
 * | `reasoning` | counted |
 * | `web_search_call`, `code_interpreter_call`, … : run by the provider, answered nowhere | counted |
 * | `compacted`, `context_compacted` | counted; a summary is asked again, as it was |
 * | `event_msg` | repeats the items for a view: passed over, but for `token_count` and `turn_aborted` |
 */
import { COMPACTIONS, folderName } from "./common";
import type { TranscriptDraft } from "./draft";
import type { LineFormat, LineReader } from "./format";
import { argumentsOf, type Json, recordOf, textOf, timeOf } from "./json";
import { askedText, PROVIDER_CALLS, partsOf, REASONING, unreadRecord } from "./parts";

const CALLS = new Set(["function_call", "custom_tool_call", "tool_search_call", "local_shell_call"]);
/** A call of these has its result with the provider: as a call of ours it would be one that was never answered. */
const PROVIDERS = /^(web_search|file_search|code_interpreter|image_generation|mcp)_call$/;
const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output", "tool_search_output"]);

export const codex: LineFormat = {
  name: "Codex",
  isOne: (sample) =>
    sample.some(
      ({ type, payload }) =>
        typeof payload === "object" && (type === "session_meta" || type === "response_item"),
    ),
  open: (draft) => new Codex(draft),
};

class Codex implements LineReader {
  readonly #draft: TranscriptDraft;
  #step = 0; // what the model said between two things that it was told

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  line(line: Json): void {
    const { session } = this.#draft;
    const payload = recordOf(line.payload);
    const at = timeOf(line.timestamp);
    if (line.type === "session_meta")
      session.facts({
        id: textOf(payload.id),
        workspace: folderName(payload.cwd),
        system: textOf(recordOf(payload.base_instructions).text),
      });
    else if (line.type === "turn_context") session.facts({ model: textOf(payload.model) });
    else if (line.type === "response_item") this.#item(payload, at);
    else if (line.type === "compacted") {
      session.note(COMPACTIONS);
      session.asked(textOf(payload.message), at);
    } else if (line.type === "event_msg")
      session.note("turn(s) were stopped by the person", payload.type === "turn_aborted" ? 1 : 0);
    else if (line.type !== "world_state") session.note(unreadRecord(line));
  }

  #item(item: Json, at: number | null): void {
    const { session } = this.#draft;
    const type = textOf(item.type);
    const key = `${this.#step}`;
    const id = textOf(item.call_id);
    if (type === "message" && item.role === "assistant") {
      const { text, media } = partsOf(item.content, session);
      session.note("image(s) of the model were left out", media.length);
      session.replied({ text, key, at });
    } else if (type === "message" && item.role === "user") {
      this.#step++;
      session.asked(askedText(item.content, session), at);
    } else if (type === "message") {
      session.note("instruction(s) of the program were left out");
    } else if (CALLS.has(type)) {
      const name = textOf(item.name) || type.replace(/_call$/, "");
      const words = argumentsOf(item.arguments ?? item.input ?? item.action);
      session.replied({ text: "", calls: [{ id, name, arguments: words }], key, at });
    } else if (OUTPUTS.has(type)) {
      this.#step++;
      const { text, media } =
        item.output === undefined
          ? { text: argumentsOf(item.tools), media: [] }
          : partsOf(item.output, session);
      session.result({ id, text, media, isError: null, at });
    } else if (PROVIDERS.test(type)) session.note(PROVIDER_CALLS);
    else session.note(type === "reasoning" ? REASONING : unreadRecord(item));
  }
}
