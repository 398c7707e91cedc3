// test/unit/webview: what can be done with a row is what the agent does not refuse.
import assert from "node:assert/strict";
import { agedLine, agedPageLine } from "../../../src/claims/ticket";
import type { CallView, SessionHead } from "../../../src/schema/view";
import { actsOf, LEAST_CHARS } from "../../../webview-ui/acts";
import { callRow } from "../../../webview-ui/callRows";
import { createFormat } from "../../../webview-ui/format";
import { EMPTY_MODEL } from "../../../webview-ui/model";
import {
  callWith,
  handleOf,
  headWith,
  resultWith,
  storedCall,
  storedWith,
  turnWith,
} from "../../support/inspectorViews";

const LONG = resultWith("x".repeat(300), { shownChars: 3000 });

/** The actions of a call's row, or of a row below it, without those that every row has. */
function offered(more: Partial<CallView>, head: Partial<SessionHead> = {}, below = ""): string[] {
  const turn = turnWith(1, { calls: [callWith("c", { result: LONG, ...more })] });
  const row = callRow("s1/t1/c", turn.calls[0] ?? assert.fail(), createFormat("en-US", "UTC"));
  const shown = below === "" ? row : row.children().find(({ key }) => key === `s1/t1/c/${below}`);
  assert.ok(shown);
  const loaded = { ...EMPTY_MODEL.loaded, turnCount: 1, turns: new Map([[0, turn]]) };
  const acts = actsOf({ ...EMPTY_MODEL, head: headWith(head), loaded }, shown, 0);
  return acts.map(({ action }) => action).filter((action) => action !== "copyLink");
}
const [cut] = storedCall("c").shortened;
const CUT = { ...(cut ?? assert.fail()), charsAfter: 900 };
const OF_CONTENT = ["openStored", "viewContent", "copyHandle"];

test("a result is shortened once more only where that can be", () => {
  assert.deepEqual(offered({}), ["pin", "shorten"]);
  assert.deepEqual(offered({ shortened: [{ ...CUT, level: 1 }] }), ["pin", "shorten"]);
  assert.deepEqual(offered({ shortened: [{ ...CUT, level: null }] }), ["pin", "shorten"]);
  const never: Partial<CallView>[] = [
    {
      shortened: [
        { ...CUT, level: 1 },
        { ...CUT, level: 2 },
      ],
    }, // one line already
    { shortened: [{ ...CUT, level: null, charsAfter: LEAST_CHARS }] },
    { result: resultWith("Short.") },
    { result: { ...LONG, shown: "cut" } }, // nowhere else
    { result: { ...LONG, shown: "branch" } },
  ];
  for (const call of never) assert.deepEqual(offered(call), ["pin"], JSON.stringify(call));
  assert.deepEqual(offered({}, { isStoring: false }), ["pin"]);
  assert.deepEqual(offered({ isPinned: true }), ["unpin"]);
  assert.deepEqual(offered({ result: null, state: "running" }), []);
});

test("what the person deleted is not opened, shortened or deleted again, from no row", () => {
  const stored = storedWith();
  const result = { ...LONG, shown: "ticket" as const };
  const shortened = [{ ...CUT, level: 1 as const }];
  assert.deepEqual(offered({ stored, result }), [...OF_CONTENT, "pin", "shorten", "forget"]);
  assert.deepEqual(offered({ stored, result, shortened }, {}, "shortened0"), OF_CONTENT);
  const deleted = { stored: { ...stored, isForgotten: true }, result, shortened };
  for (const [below, acts] of [
    ["", ["pin"]],
    ["stored", ["pin"]],
    ["result", ["pin"]],
    ["shortened0", []],
  ] as const)
    assert.deepEqual(offered(deleted, {}, below), acts, below);
});

test("an imported session stays as it came", () => {
  assert.deepEqual(offered({ stored: storedWith() }, { kind: "imported" }), OF_CONTENT);
});

test("no line that stands for a result is shorter than what is left as it is", () => {
  const about = { tool: "t", subject: "", handle: handleOf(1) };
  assert.ok(agedLine({ ...about, lines: 1, kind: "SQL", totalChars: 0 }).length > LEAST_CHARS);
  assert.ok(agedPageLine({ ...about, first: 0, last: -1, total: 0 }).length > LEAST_CHARS);
});
