// test/unit/webview: rows of turns and calls, from literals: every kind of row, in order, and what it names.
import assert from "node:assert/strict";
import type { SessionView, TurnView } from "../../../src/schema/view";
import { belowTurn } from "../../../webview-ui/partRows";
import { turnRow } from "../../../webview-ui/turnRow";
import { f, fact, find, picture, rowsFrom } from "../../support/inspectorTree";
import { callWith, handleOf, headWith, richTurns, rowFrom, turnWith } from "../../support/inspectorViews";

test("a session is a tree of turns, and what became of each call is below it", () => {
  const rows = rowsFrom({ ...headWith(), turns: richTurns().slice(0, 3) });
  assert.deepEqual(picture(rows), [
    "A session: sample",
    "  Turn 1: What is the notice period?",
    "    Asked: What is the notice period?",
    "    Request: 1 message, 76 characters",
    "    Reply: Reply 1.",
    "    read_file: docs/contract.md · Stored result, 92,112 characters · Shortened ⇗",
    '      Arguments: {"path":"docs/contract.md"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Stored result: 92,112 characters, read; 26 shown ⇗",
    "      In the store: 92,112 bytes, 1,616 lines, read back once ⇗",
    "        Read back by: t2c0, turn 2",
    "      Shortened: to 181 characters before turn 5, by age ⇗",
    "  Turn 2: fetch_result",
    "    Request: 2 messages, 152 characters",
    "    Reply: Reply 2.",
    "    fetch_result: docs/contract.md · Read back: characters 4,096–8,191 of 92,112 ⇗",
    '      Arguments: {"path":"docs/contract.md"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Read back: characters 4,096–8,191 of 92,112 ⇗",
    "  Turn 3: search_text, run_command",
    "    You pinned a result.",
    "    Request: 3 messages, 228 characters",
    "    Reply: Reply 3.",
    "    search_text: docs/contract.md · limit 500 → 10 · 33 characters",
    '      Arguments: {"path":"docs/contract.md"}',
    "      Receipt: limit 500 → 10 (enforced)",
    "      Permission: Allowed by rule: reads run unasked",
    "      Shown whole: 33 characters",
    "    run_command: docs/contract.md · refused",
    '      Arguments: {"path":"docs/contract.md"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
  ]);
});

test("a shortening tells its cost: what is freed, what is sent again, how many requests there were, and the rule", () => {
  const details = find(rowsFrom({ ...headWith(), turns: richTurns() }), "s1/t1/t1c0/shortened0").details();
  assert.equal(fact(details, "Freed (C)"), "5,000 tokens of all results shortened then");
  assert.equal(fact(details, "Sent again (S)"), "1,200 tokens");
  assert.equal(fact(details, "Requests so far (n̂)"), "4");
  assert.match(fact(details, "Why now") ?? "", /^It pays/);
});

test("a row of a reader leads to the call that read the result back; a foreign id leads nowhere", () => {
  const rows = rowsFrom({ ...headWith(), turns: richTurns() });
  assert.equal(find(rows, "s1/t1/t1c0/stored/reader0").leadsTo, "s1/t2/t2c0");
  const [first] = richTurns();
  const [call] = first?.calls ?? [];
  assert.ok(first && call?.stored);
  const foreign = { ...call, stored: { ...call.stored, readBy: ["call_9"], isForgotten: true } };
  const other = rowsFrom({ ...headWith(), turns: [{ ...first, calls: [foreign] }] });
  assert.equal(find(other, "s1/t1/t1c0/stored/reader0").leadsTo, null);
  assert.equal(find(other, "s1/t1/t1c0/stored").opens, null, "its content was deleted");
});

test("a page of a list is a row: which records, how many there are", () => {
  const page = { handle: handleOf(2), first: 1, last: 10, references: 1, total: 241 };
  const turn = turnWith(1, { calls: [callWith("t1c0", { page })] });
  const row = find(rowsFrom({ ...headWith(), turns: [turn] }), "s1/t1/t1c0/page");
  assert.equal(`${row.label}: ${row.description}`, "Page: records 1–10 of 241, 1 by reference");
});

test("notices, repairs, failures and the end of a run are rows", () => {
  const failed: TurnView = turnWith(7, {
    request: null,
    notes: [{ n: 3, type: "media_replaced", tone: "warning", text: "An image was replaced by a line." }],
    reply: {
      n: 5,
      text: "",
      end: "failed",
      error: "The model is not there.",
      elapsedMs: 1,
      inputTokens: null,
      outputTokens: null,
      cachedTokens: null,
      unread: [],
    },
    repairs: [{ n: 4, kind: "result_missing", call: "t6c0", detail: "read_file had no result." }],
    ended: { n: 6, end: "failed", message: "The model is not there. Try another." },
  });
  const view: SessionView = {
    ...headWith({
      session: "s2",
      title: "Broken\noff",
      notices: ["The session log was mended: one torn line."],
      limits: [
        {
          label: "Not used",
          text: "2 contracts (a pack), the argument is no number.",
          details: ["a /b", "c /d"],
        },
      ],
    }),
    turns: [failed],
  };
  assert.deepEqual(picture(rowsFrom(view)), [
    "Broken off: sample",
    "  Not used: 2 contracts (a pack), the argument is no number.",
    "  The session log was mended: one torn line.",
    "  Turn 7: Failed: The model is not there.",
    "    An image was replaced by a line.",
    "    Repaired: read_file had no result.",
    "    Reply: Failed: The model is not there.",
    "    Failed: The model is not there. Try another.",
  ]);
  assert.deepEqual(find(rowsFrom(view), "s2/limit0").details().texts, [
    { label: "Contracts", text: "a /b\nc /d" },
  ]);
});

test("a closed turn is one row, out of what the host sent of it", () => {
  const turn = turnWith(12, { asked: "What is it?" });
  const row = turnRow(
    "s1",
    11,
    { row: { ...rowFrom(11, turn), stored: 2, tone: "warning" }, turn: undefined },
    false,
    f,
  );
  assert.deepEqual(
    [row.key, row.label, row.description, row.tone, row.icon],
    ["s1/t12", "Turn 12", "What is it?", "warning", "comment"],
  );
  assert.match(row.tooltip, /^Turn 12: What is it\?\n1,000 tokens, 2 stored\n/);
  const missing = turnRow("s1", 11, { row: undefined, turn: undefined }, false, f);
  assert.deepEqual([missing.key, missing.kind, missing.isParent], ["s1/@11", "placeholder", true]);
});

test("every row that an event made names it", () => {
  const turn = turnWith(1, { asked: "Go.", askedAt: 1, ended: { n: 9, end: "answered", message: "" } });
  const named = belowTurn("s1/t1", turn, false, f).map(
    ({ kind, event }) => `${kind} ${event?.n} ${event?.type}`,
  );
  assert.deepEqual(named, ["asked 1 asked", "request 2 requested", "reply 3 replied", "end 9 run_ended"]);
});
