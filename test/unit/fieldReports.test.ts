// test: docs/field-reports.md says for every field report of the store, the log, the claim check, pairing, ageing, lists,
// the request's text and the view of a session which test proves the right behaviour, or why there is none yet.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { namedTests, tableUnder } from "../support/namedTests";
import { sharedTest } from "../support/sharedData";

const ID = /^[\w.-]+\/[\w.-]+#\d+$/;
/** What the column `mechanism` says of the store, the event log or the claim check; budgets store and redeem like it. */
const OURS =
  /claim|coverage|stor[ea]|event log|multi-window|fetch_result|head cut|thresholds|empty results|tool_result_stored|^settings$|(?:turn|result) budget/;
/** Kinds of report that are ours whatever their mechanism is called. */
const KINDS = new Set([
  "pairing",
  "duplicate ids",
  "odd ids",
  "empty",
  "binary",
  "non-text parts",
  "nul/utf16",
  "unicode",
  "compaction",
  "compaction loop",
  "compaction loss",
  "prompt cache",
  "coverage",
  "webview",
  "ansi",
  "long lines",
]);

const proved = () => namedTests("field-reports.md", "## Proved").map(({ about: [id = ""] }) => id);
const later = () =>
  tableUnder("field-reports.md", "## Not yet").map((line) => {
    const [id = "", behaviour = "", reason = ""] = line.slice(2, -2).split(" | ");
    assert.ok(behaviour && reason.length > 10, `not "report, behaviour and reason": ${line}`);
    return id.trim();
  });

test("every test that docs/field-reports.md names exists, and no report is both proved and waiting", () => {
  const ids = proved();
  assert.ok(ids.length >= 50);
  for (const id of [...ids, ...later()]) assert.match(id, ID);
  assert.deepEqual(
    later().filter((id) => ids.includes(id)),
    [],
  );
});

sharedTest(
  "every field report of the store, the event log, the claim check, pairing, ageing, the request's text or the view of a session is in one of both tables, and they are real",
  ["field/reports.tsv"],
  (file) => {
    const rows = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"));
    const told = new Set([...proved(), ...later()]);
    const due = rows.flatMap(([id = "", kind = "", , , , mechanism = ""]) =>
      OURS.test(mechanism) || KINDS.has(kind) ? [id] : [],
    );
    assert.ok(due.length >= 80);
    const kinds = new Set(rows.map(([, kind = ""]) => kind));
    assert.deepEqual(
      [...KINDS].filter((kind) => !kinds.has(kind)),
      [],
      "no such kind",
    );
    assert.deepEqual(
      due.filter((id) => !told.has(id)),
      [],
      "in no table",
    );
    const all = new Set(rows.map(([id]) => id));
    assert.deepEqual(
      [...told].filter((id) => !all.has(id)),
      [],
      "no such report",
    );
  },
);
