/**
 * bench traces: opencode's prune (sst/opencode, session/compaction.ts; called when a run of the loop is over, session/
 * prompt.ts). From the end back, the two latest turns of the person are skipped, then 40,000 tokens of tool
 * output are protected; the output that crosses that and all before it are cleared if they are more than 20,000 tokens,
 * up to the first that is cleared already. Tokens are characters / 4, rounded. Failed results and `skill` are left
 * alone. The setting `compaction.prune` is on.
 */
import type { Change, Item, Policy } from "../../../src/inspector/whatIf/types";
import { CLEARED } from "./cleared";

const PROTECT_TOKENS = 40_000;
const MINIMUM_TOKENS = 20_000;
const SKIPPED_TURNS = 2;
const PROTECTED_TOOLS: readonly string[] = ["skill"];

export const opencode: Policy = {
  name: "opencode",
  open: () => (items) => {
    const end = items.findLastIndex(({ kind }) => kind !== "user") + 1;
    return end === 0 || end === items.length ? [] : pruned(items.slice(0, end)); // a run was over, and the person went on
  },
};

export function pruned(items: readonly Item[]): readonly Change[] {
  let turns = 0;
  let total = 0;
  let freed = 0;
  const changes: Change[] = [];
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind === "user") turns++;
    if (item?.kind !== "result" || turns < SKIPPED_TURNS) continue;
    if (item.isError || PROTECTED_TOOLS.includes(item.tool)) continue;
    if (item.shown === CLEARED) break;
    const tokens = Math.round(item.text.length / 4);
    total += tokens;
    if (total <= PROTECT_TOKENS) continue;
    freed += tokens;
    changes.push({ at, shown: CLEARED });
  }
  return freed > MINIMUM_TOKENS ? changes : [];
}
