/** What a page is sent of closed turns, of the plot and of a session; what is left of a session that stopped; short words of it. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { fillWords } from "../../../src/inspector/fillWords";
import { settle, viewOf } from "../../../src/inspector/project";
import { pathOfRow, rowOfPath } from "../../../src/inspector/rowLink";
import { intoSeries, plotOf, rowsFrom } from "../../../src/inspector/rows";
import { addTurn, noTurns } from "../../../src/inspector/turnPages";
import type { Handle } from "../../../src/schema/claim";
import type { Logged } from "../../../src/schema/event";
import { MAXIMUM_COLUMNS, type PlotColumn, TurnRow } from "../../../src/schema/inspector";
import { ATTENTION_KINDS } from "../../../src/schema/view";
import { Attack, anyRun } from "../../support/anySession";
import { eventWith, logged } from "../../support/everyEvent";
import { foldOf } from "../../support/inspectorDetails";
import { turnWith } from "../../support/inspectorViews";

test("a column stands for a power of two of turns, and shows the one with the largest request; of equals the newest", () => {
  const figure = fc.record({
    tokens: fc.array(fc.nat(50), { minLength: 8, maxLength: 8 }),
    naive: fc.nat(900),
  });
  const anyTurns = fc.array(fc.option(figure, { freq: 5 }), { maxLength: 1100, size: "max" });
  fc.assert(
    fc.property(anyTurns, (given) => {
      const turns = noTurns();
      const series: number[] = [];
      const columns = given.map((one, at): PlotColumn | null => {
        addTurn(turns, turnWith(2 * at + 1));
        return one && { at, turn: 2 * at + 1, ...one, isEstimate: at % 3 === 0 };
      });
      for (const column of columns) if (column) intoSeries(series, column);
      const plot = plotOf({ series, turns });
      assert.ok(plot.columns.length <= MAXIMUM_COLUMNS && Number.isInteger(Math.log2(plot.turnsPerColumn)));
      assert.ok(plot.turnsPerColumn === 1 || (given.length / plot.turnsPerColumn) * 2 > MAXIMUM_COLUMNS);
      const size = ({ tokens }: PlotColumn) => tokens.reduce((sum, part) => sum + part, 0);
      for (let at = 0; at < given.length; at += plot.turnsPerColumn) {
        const stood = columns.slice(at, at + plot.turnsPerColumn).filter((one) => one !== null);
        const largest = Math.max(...stood.map(size));
        const expected = stood.findLast((one) => size(one) === largest) ?? null;
        assert.deepEqual(plot.columns[at / plot.turnsPerColumn], expected);
      }
      assert.equal(plot.columns.length, Math.ceil(given.length / plot.turnsPerColumn));
    }),
    { numRuns: 60 },
  );
});

test("any session, wherever its log ends: once nobody runs it nothing of it is busy, and what was open was interrupted", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 2 }), fc.nat(), async (runs, cut) => {
      const attack = new Attack();
      for (const [n, run] of runs.entries()) await attack.run(run, `Question ${n}?`);
      const events = attack.events.slice(0, 1 + (cut % attack.events.length));
      const live = foldOf(events);
      const busy = rowsFrom(live, 0, 10_000).filter(({ tone }) => tone === "busy");
      assert.ok(
        busy.every(({ at }) => at === live.turns.numbers.length - 1),
        "only the newest turn is busy",
      );
      const fold = settle(foldOf(events));
      const rows = rowsFrom(fold, 0, 10_000);
      for (const row of rows) {
        TurnRow.parse(row);
        assert.notEqual(row.tone, "busy", `turn ${row.turn}`);
      }
      const view = viewOf(fold);
      assert.equal(view?.running, false);
      const open = view?.turns.flatMap(({ calls }) =>
        calls.filter(({ state }) => ["proposed", "waiting", "running"].includes(state)),
      );
      assert.deepEqual(open, []);
    }),
    { numRuns: 40 },
  );
});

const BEGINNING = [
  eventWith("session_started"),
  eventWith("configured"),
  eventWith("asked"),
  eventWith("requested"),
];
const attentionOf = (events: readonly Logged[]) =>
  foldOf(events).head?.attention.map(({ kind, key }) => [kind, key]);

test("what may need a person is told by kind, at the row that shows it, once the log says it", () => {
  const handle = `claim:${"a".repeat(32)}` as Handle;
  const call = { call: "t1c0", id: "a", name: "search_text", arguments: "{}" };
  const refused = eventWith("redemption_refused", { call: "t1c0", reason: "unknown" });
  const replied = eventWith("replied", { calls: [call] });
  const answered = eventWith("replied", { turn: 2, calls: [], end: "answered", text: "All." });
  const cases: Record<(typeof ATTENTION_KINDS)[number], [events: Parameters<typeof logged>[0], key: string]> =
    {
      refused: [[replied, refused], "s1/t1/t1c0"],
      corrupt: [[replied, { ...refused, reason: "corrupt" }], "s1/t1/t1c0"],
      recovery: [[eventWith("overflowed")], "s1/t1"],
      damaged: [[eventWith("recovered")], "s1"],
      unread: [
        [
          replied,
          eventWith("covered", { handle }),
          eventWith("remembered", { call: "t1c0", shown: "page", handle }),
          eventWith("requested", { turn: 2 }),
          answered,
        ],
        "s1/t2/reply",
      ],
    };
  for (const kind of ATTENTION_KINDS) {
    const [events, key] = cases[kind];
    assert.deepEqual(attentionOf(logged([...BEGINNING, ...events])), [[kind, key]]);
  }
  const many = logged([...BEGINNING, replied, ...Array.from({ length: 80 }, () => refused)]);
  assert.equal(attentionOf(many)?.length, 50);
});

test("each event that has no row of its own is a sentence in the turn under way, before the first turn of the session", () => {
  const before = foldOf(
    logged([
      eventWith("session_started"),
      eventWith("adopted"),
      eventWith("configured"),
      eventWith("recovered"),
    ]),
  );
  assert.deepEqual(before.head?.notices, [
    "Begun as a copy of session s0, with its stored results (0). Missing there, so missing here: 1.",
    "The session log was mended: a torn line was moved aside.",
  ]);
  const view = viewOf(
    foldOf(
      logged([
        ...BEGINNING,
        eventWith("recovered", { what: "claim_index", detail: "two were missing" }),
        eventWith("configured", { intent: null }),
        eventWith("configured", { intent: null, system: "Another." }),
        eventWith("resumed", { turn: 1 }),
        eventWith("gated", { turn: 1, verdict: "say", text: "Read on." }),
        eventWith("gated", { turn: 1 }),
        eventWith("pruned"),
        eventWith("forgotten", { call: null }),
      ]),
    ),
  );
  assert.deepEqual(
    view?.turns[0]?.notes.map(({ tone, text }) => [tone, text]),
    [
      ["warning", "The index of stored results was rebuilt: two were missing."],
      ["plain", "Changed: intent none."],
      ["plain", "Settings or tools changed."],
      ["plain", "Opened again after turn 1."],
      ["warning", "The model was told what it had not read (search_text: 20 of 40 records read)."],
      ["warning", "The answer is incomplete: not everything was read (search_text: 20 of 40 records read)."],
      [
        "warning",
        "From here on the model is not sent the first 2 messages: the request did not fit. The log keeps them.",
      ],
      ["plain", `You deleted the content of claim:${"a".repeat(32)}. What was shown of it stays in the log.`],
    ],
  );
});

test("a link leads to a row of a session, whichever the page has; any other path leads nowhere", () => {
  for (const key of [
    "s1",
    "s1/t3",
    "s1/t3/asked",
    "s1/t3/t3c0/stored",
    "s1/t3/t3c0/stored/reader12",
    "s1/notice0",
  ])
    assert.deepEqual(rowOfPath(pathOfRow(key)), { session: "s1", key });
  const hostile = [
    ...[
      "",
      "/",
      "/session",
      "/session/",
      "/session//t1",
      "session/s1",
      "/Session/s1",
      "/session/s1/",
      "//session/s1",
    ],
    ...["/session/s1/../s2", "/session/..", "/session/s1/t1/..%2f", "/session/s1/%2e%2e", "/session/s1\\t1"],
    ...[
      "/session/S1",
      "/session/s1?x",
      "/session/s1#x",
      "/session/s1\n",
      "/session/s1/t1\n",
      "/session/s1/t1\0",
    ],
    ...[
      "/session/s1/t1/a/b/c/d",
      `/session/${"a".repeat(65)}`,
      `/session/s1/${"a".repeat(41)}`,
      "/session/s１",
    ],
    ...[
      "/x/session/s1",
      "/session/s1/claim:0",
      "/session/s1/t1 ",
      "/session/file:///etc/passwd",
      "/session/ſ1",
    ],
  ];
  for (const path of hostile) assert.equal(rowOfPath(path), null, JSON.stringify(path));
});

test("how full the window is, in words: nothing before the first request, about where it is an estimate, no size that nobody says", () => {
  const filled = (tokens: number, windowTokens: number | null, isEstimate = false) => {
    const turns = noTurns();
    const { request } = turnWith(1);
    assert.ok(request);
    const fill = { tokens: [tokens, 0, 0, 0, 0, 0, 0, 0], naive: 0, counter: "c", isEstimate };
    addTurn(turns, turnWith(1, { request: { ...request, fill } }));
    addTurn(turns, turnWith(2, { request: null }));
    const head = foldOf(logged(BEGINNING.slice(0, 2))).head ?? assert.fail();
    return fillWords({ turns, head: { ...head, windowTokens } });
  };
  assert.deepEqual(filled(12_345, 128_000), {
    text: "$(dashboard) 12K / 128K",
    tooltip: "Cloakroom: the last request had 12,345 tokens of 128,000",
  });
  assert.deepEqual(filled(950, null, true), {
    text: "$(dashboard) 950",
    tooltip: "Cloakroom: the last request had about 950 tokens; the size of the model's window is not known",
  });
  assert.equal(fillWords(foldOf(logged(BEGINNING.slice(0, 3)))), null);
  assert.equal(fillWords(foldOf([])), null);
});
