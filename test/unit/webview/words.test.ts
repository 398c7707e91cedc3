// test/unit/webview: sentences: the one at the top, receipts, results, and text of unknown origin.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Digest } from "../../../src/schema/claim";
import type { ToView } from "../../../src/schema/inspector";
import { DecisionReason } from "../../../src/schema/policy";
import type { Receipt } from "../../../src/schema/receipt";
import type { SessionHead } from "../../../src/schema/view";
import { reasonName, receiptLine } from "../../../webview-ui/callWords";
import { matchesText } from "../../../webview-ui/finder";
import { createFormat } from "../../../webview-ui/format";
import { markedFirst } from "../../../webview-ui/header";
import { apply, EMPTY_MODEL, type PageModel } from "../../../webview-ui/model";
import { oneLine, prettyJson, visibleSegments } from "../../../webview-ui/visibleText";
import { announcement, summaryOf } from "../../../webview-ui/words";
import { headWith, longSession, openedWith, turnWith } from "../../support/inspectorViews";

const f = createFormat("en-US", "UTC");
const NO_TOTALS = headWith().totals;
const summary = (totals: Partial<SessionHead["totals"]>, format = f) =>
  summaryOf({ totals: { ...NO_TOTALS, ...totals }, lists: [] }, format);

test("the sentence says what happened, and nothing of what did not", () => {
  assert.equal(summary({}), "No tool calls yet.");
  assert.equal(summary({ calls: 1 }), "1 call; no results stored.");
  assert.equal(
    summary({
      calls: 5,
      storedResults: 2,
      storedChars: 92_104,
      hiddenChars: 91_500,
      readBacks: 1,
      clamped: 1,
      proposed: 2,
    }),
    "5 calls; 2 results stored (92,104 characters, 91,500 not shown); 1 read back; 1 limit lowered, 2 proposed.",
  );
  assert.equal(
    summary({ calls: 2, proposed: 1, repairs: 3 }),
    "2 calls; no results stored; 1 lower limit proposed; 3 repairs.",
  );
});

test("numbers are written as the person's locale writes them", () => {
  const german = createFormat("de-DE", "UTC");
  assert.match(summary({ calls: 1, storedResults: 1, storedChars: 92_104 }, german), /92\.104 characters/);
});

test("a sentence of the log has its counts in the locale of who reads it; every other number stays", () => {
  const german = createFormat("de-DE", "UTC");
  const stays =
    "model gpt-20250807 of 2025-08-07 at 127.0.0.1:65000, version 10000.2, src/12345/a.ts, 999, port 11434, error 10054 in 2026";
  assert.equal(german.sentence(stays), stays);
  assert.equal(
    german.sentence(
      "It is shown: 98957 characters, limit 5120 (limit: 5120 characters), over 1200 requests.",
    ),
    "It is shown: 98.957 characters, limit 5.120 (limit: 5.120 characters), over 1.200 requests.",
  );
});

test("every reason that Thimble has is said in words", () => {
  for (const reason of DecisionReason.options) assert.notEqual(reasonName(reason), reason);
  assert.equal(reasonName("not_found"), "not found");
  assert.equal(reasonName("constructor"), "constructor");
  assert.equal(reasonName("The user said no."), "The user said no.");
});

const digest = "0".repeat(64) as Digest;
const receipt = (fields: Partial<Receipt>): string =>
  receiptLine(
    {
      decision: "pass",
      reason: "within_budget",
      tool: "search",
      original_args_sha256: digest,
      effective_args_sha256: digest,
      changes: [],
      policy: { name: "p", version: "1.0.0", sha256: digest, rules_sha256: digest },
      model_round_trips: 0,
      actual: null,
      continuation: null,
      contract: null,
      mode: "enforce",
      exemption: null,
      proposed_changes: [],
      arguments_source: "raw",
      estimator: null,
      ...fields,
    },
    f,
  );
const lowered = { path: "/limit", from: 500, to: 10, dimension: "items" } as const;

test("a receipt says what was lowered, what would have been, and why a call ran as asked", () => {
  assert.equal(receipt({}), "ran as asked: within the policy's limit");
  assert.equal(receipt({ decision: "clamp", changes: [lowered] }), "limit 500 → 10 (enforced)");
  assert.equal(
    receipt({ proposed_changes: [lowered], reason: "observe_only", mode: "observe" }),
    "limit 500 → 10 proposed, ran as asked (observe)",
  );
  assert.equal(
    receipt({ decision: "error", reason: "not_found", changes: [lowered] }),
    "limit 500 → 10 (enforced); failed: not found",
  );
  assert.equal(
    receipt({
      decision: "clamp",
      changes: [{ ...lowered, path: "/options/per~1page", from: "9223372036854775807" }],
    }),
    "options.per/page 9223372036854775807 → 10 (enforced)",
  );
});

const shown = (text: string) =>
  visibleSegments(text)
    .map((segment) => (segment.isEscape ? `‹${segment.text}›` : segment.text))
    .join("");

test("control characters, ANSI, bidi overrides and hidden text are shown, not obeyed", () => {
  assert.equal(shown("a\u001b[31mb\u0000\r\n\tc\u007f"), "a‹␛›[31mb‹␀␍›\n\tc‹␡›");
  assert.equal(shown("x\u202egnp.exe\u2066"), "x‹⟦U+202E⟧›gnp.exe‹⟦U+2066⟧›");
  assert.equal(shown("a\u200bb\u{e0041}\u0085\ud800"), "a‹⟦U+200B⟧›b‹⟦U+E0041⟧⟦U+0085⟧⟦U+D800⟧›");
  assert.equal(shown("👩‍💻 é <b>&amp;"), "👩‍💻 é <b>&amp;");
});

test("no text reaches the page with a character that moves or hides others", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const out = shown(text);
      return (
        out.isWellFormed() &&
        !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u.test(out)
      );
    }),
  );
});

test("a line of 4 MB costs no more than its start", () => {
  assert.ok(shown("x".repeat(4_000_000)).length < 20_100);
  assert.equal(oneLine(`${"😀".repeat(2_000_000)}`, 5).isWellFormed(), true);
});

test("a row is one line: breaks fold, the end is cut between characters", () => {
  assert.equal(oneLine("a\n  b\tc "), "a b c");
  assert.equal(oneLine("abcdef", 3), "abc…");
});

test("pretty arguments keep every token as the model wrote it", () => {
  assert.equal(
    prettyJson('{"id":12345678901234567890,"s":"a,{\\"b\\":1}","e":{},"l":[1,-0,[]]}'),
    '{\n  "id": 12345678901234567890,\n  "s": "a,{\\"b\\":1}",\n  "e": {},\n  "l": [\n    1,\n    -0,\n    []\n  ]\n}',
  );
  assert.equal(prettyJson('{"limit":'), '{"limit":');
  const tokens = (text: string) => text.match(/"(?:[^"\\]|\\.)*"|[^\s]/gu);
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(tokens(prettyJson(text)), tokens(text));
    }),
  );
});

test("a screen reader hears that a session runs, each new turn, and how it ended", () => {
  const increment = (turnCount: number, running: boolean, ended: string | null = null): ToView => {
    const { calls: _, ...turn } = turnWith(turnCount, {
      ended: ended === null ? null : { n: 9, end: ended, message: "" },
    });
    return {
      type: "changed",
      session: "s1",
      head: { running },
      turnCount,
      rows: [],
      turns: [{ at: turnCount - 1, turn }],
      calls: [],
      columns: [],
      stale: [],
    };
  };
  const messages = [
    openedWith(longSession(1)),
    increment(1, true),
    increment(2, true),
    increment(2, true),
    increment(3, true),
    increment(3, false, "answered"),
    openedWith(longSession(9, { session: "s2" })),
  ];
  const said: string[] = [];
  messages.reduce((before: PageModel, message) => {
    const after = apply(before, message);
    said.push(announcement(before, after));
    return after;
  }, EMPTY_MODEL);
  assert.deepEqual(
    said.filter((text) => text !== ""),
    ["The session runs.", "Turn 2.", "Turn 3.", "Session: answered."],
  );
});

test("how long ago something was is said in the largest unit that fits", () => {
  const now = 1_700_000_000_000;
  assert.deepEqual(
    [0, 90, 7200, 200_000].map((seconds) => f.ago(now - seconds * 1000, now)),
    ["now", "1 minute ago", "2 hours ago", "2 days ago"],
  );
  assert.equal(f.ago(now + 5000, now), "now", "a clock that was set back");
});

test("what tells a fork from its session comes first in the picker", () => {
  assert.equal(markedFirst("Look at all of it (fork)"), "(fork) Look at all of it");
  assert.equal(markedFirst("A (fork) (imported)"), "(imported) A (fork)");
  assert.equal(markedFirst("What is a (fork)?"), "What is a (fork)?");
});

test("what was found is counted in words", () => {
  const found = (total: number, turns: number, isCut = false) =>
    matchesText({ turns: Array.from({ length: turns }, (_, at) => ({ at, keys: [] })), total, isCut }, f);
  assert.equal(found(12, 4), "12 matches in 4 turns");
  assert.equal(found(1, 1), "1 match in 1 turn");
  assert.equal(found(0, 0), "No matches");
  assert.equal(found(5000, 200, true), "More than 5,000 matches in 200 turns");
  assert.equal(matchesText(null, f), "Looking…");
  assert.equal(
    matchesText({ turns: [{ at: 0, keys: [] }], total: 12, isCut: false }, f, 2),
    "3 of 12 matches in 1 turn",
  );
});
