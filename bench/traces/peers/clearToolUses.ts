/**
 * bench traces: context editing of the Anthropic API, `clear_tool_uses_20250919` with its defaults (documentation, Context
 * editing): above 100,000 input tokens all results but those of the 3 latest tool uses are cleared, oldest first. It is
 * done by the server on the whole history that each request brings, so that what counts is the history before any
 * clearing. `clear_at_least` is not set, inputs stay. The placeholder is not documented.
 */
import type { Change, Policy } from "../../../src/inspector/whatIf/types";
import { CLEARED } from "./cleared";

const TRIGGER_TOKENS = 100_000;
const KEEP_USES = 3;

export const clearToolUses: Policy = {
  name: "clear-tool-uses",
  open() {
    const results: number[] = [];
    let seen = 0;
    let cleared = 0; // of `results`
    return (items, { wholeTokens }) => {
      for (; seen < items.length; seen++) if (items[seen]?.kind === "result") results.push(seen);
      if (wholeTokens <= TRIGGER_TOKENS) return [];
      const changes: Change[] = [];
      for (; cleared < results.length - KEEP_USES; cleared++)
        changes.push({ at: results[cleared] ?? 0, shown: CLEARED });
      return changes;
    };
  },
};
