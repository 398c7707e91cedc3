// test/unit/webview: what the page knows after each message, and what it asks for: never everything, never twice.
import assert from "node:assert/strict";
import fc from "fast-check";
import { MAXIMUM_COLUMNS, type ToViewOf } from "../../../src/schema/inspector";
import { MAXIMUM_ROWS, MAXIMUM_TURNS, placeOf } from "../../../webview-ui/loaded";
import {
  apply,
  bounded,
  EMPTY_MODEL,
  type PageModel,
  turnOf,
  withSelectedTurn,
} from "../../../webview-ui/model";
import { EMPTY_PLOT, plotWith } from "../../../webview-ui/plotColumns";
import { type Sight, wants } from "../../../webview-ui/wants";
import { answerTo } from "../../support/inspectorHost";
import {
  callWith,
  columnOf,
  detailsWith,
  longSession,
  openedWith,
  rowFrom,
  turnWith,
} from "../../support/inspectorViews";

const session = longSession(10_000);
const opened = () => apply(EMPTY_MODEL, openedWith(session));
const changed = (more: Partial<ToViewOf<"changed">>): ToViewOf<"changed"> => ({
  type: "changed",
  session: "s1",
  head: null,
  turnCount: 10_000,
  rows: [],
  turns: [],
  calls: [],
  columns: [],
  stale: [],
  ...more,
});
const sight = (from: number, to: number, more: Partial<Sight> = {}): Sight => ({
  around: { from, to },
  closed: Array.from({ length: to - from }, (_, at) => from + at),
  open: [],
  details: null,
  ...more,
});

/** Asks and is answered until nothing is wanted. */
function served(model: PageModel, seen: Sight): PageModel {
  const wanted = wants(model, seen);
  const answers = wanted.messages.flatMap((message) => answerTo(session, message));
  return answers.length === 0 ? wanted.model : served(answers.reduce(apply, wanted.model), seen);
}

test("a page begins with the newest turns; what is in sight and missing is asked for with its neighbours, once", () => {
  const model = opened();
  assert.deepEqual(wants(model, sight(9950, 10_000)).messages, []);
  const { model: asked, messages } = wants(model, sight(5000, 5040, { open: [5001] }));
  assert.deepEqual(messages, [
    { type: "wantRows", session: "s1", from: 4900, count: 200 },
    { type: "wantRows", session: "s1", from: 5100, count: 40 },
    { type: "wantTurns", session: "s1", places: [5001] },
  ]);
  assert.deepEqual(wants(asked, sight(5000, 5040, { open: [5001] })).messages, []);
  const there = served(model, sight(5000, 5040, { open: [5001] }));
  assert.equal(there.loaded.rows.get(5039)?.turn, 5040);
  assert.equal(there.loaded.turns.get(5001)?.calls.length, 2);
  assert.deepEqual(there.asked.rows.size + there.asked.turns.size, 0);
});

test("only so much is kept: what is far goes, the newest turn and what is held stay", () => {
  let model = opened();
  for (let from = 0; from < 9000; from += 60) {
    const open = Array.from({ length: 30 }, (_, at) => from + at);
    model = served(model, sight(from, from + 40, { open }));
    model = bounded(model, { from, to: from + 40 }, new Set([3]));
    assert.ok(model.loaded.rows.size <= MAXIMUM_ROWS);
    assert.ok(model.loaded.turns.size <= MAXIMUM_TURNS);
    assert.deepEqual(wants(model, sight(from, from + 40, { open })).messages, []);
  }
  assert.ok(model.loaded.rows.has(3) && model.loaded.turns.has(3) && model.loaded.turns.has(9999));
});

test("an increment reaches the turns that are here; one that begins is here from its start", () => {
  const { calls: _, ...begun } = turnWith(10_001, { reply: null });
  const before = opened();
  const model = apply(
    before,
    changed({
      turnCount: 10_001,
      turns: [
        { at: 10_000, turn: begun },
        { at: 7, turn: { ...begun, turn: 8 } },
      ],
      calls: [{ at: 10_000, place: 0, call: callWith("t10001c0") }],
      rows: [rowFrom(10_000, turnWith(10_001))],
      head: { running: true },
    }),
  );
  assert.deepEqual(
    model.loaded.turns.get(10_000)?.calls.map(({ call }) => call),
    ["t10001c0"],
  );
  assert.equal(model.loaded.turns.has(7), false, "a turn that is not here stays away");
  assert.equal(model.head?.running, true);
  assert.equal(model.head?.title, "A session");
  assert.equal(model.selectedTurn, 10_000, "the newest is followed");
  const held = apply(withSelectedTurn(before, 9000), changed({ turnCount: 10_001 }));
  assert.equal(held.selectedTurn, 9000);
  const done = apply(
    model,
    changed({ calls: [{ at: 10_000, place: 0, call: callWith("t10001c0", { state: "failed" }) }] }),
  );
  assert.equal(done.loaded.turns.get(10_000)?.calls[0]?.state, "failed");
});

test("what was too large to be told, or was missed, is asked for again if it is shown", () => {
  const named = apply(opened(), changed({ stale: [9999, 5] }));
  const missed = apply(opened(), changed({ calls: [{ at: 9999, place: 5, call: callWith("t10000c5") }] }));
  for (const model of [named, missed]) {
    assert.deepEqual(wants(model, sight(9950, 9960)).messages, []);
    const wanted = wants(model, sight(9950, 10_000, { open: [9999] }));
    assert.deepEqual(wanted.messages, [{ type: "wantTurns", session: "s1", places: [9999] }]);
    assert.deepEqual(wants(wanted.model, sight(9950, 10_000, { open: [9999] })).messages, []);
  }
});

test("details are asked for once, and again when their turn has changed; meanwhile they are shown", () => {
  const key = "s1/t10000/t10000c0";
  const seen = sight(9990, 10_000, { details: key });
  const wanted = wants(opened(), seen);
  assert.deepEqual(wanted.messages, [{ type: "wantDetails", session: "s1", key }]);
  assert.deepEqual(wants(wanted.model, seen).messages, []);
  const there = served(opened(), seen);
  assert.ok(there.details.has(key));
  assert.deepEqual(wants(there, seen).messages, []);
  const stale = apply(there, changed({ stale: [9999] }));
  assert.ok(stale.details.has(key));
  assert.equal(wants(stale, seen).messages.length, 1);
  let many = there;
  for (let at = 0; at < 50; at++)
    many = apply(many, { type: "details", session: "s1", details: detailsWith(`s1/k${at}`) });
  assert.equal(many.details.size, 20);
});

test("windows of a text follow one another; any other is not taken", () => {
  const key = "s1/t1";
  const text = (given: string, offset: number, next = offset + given.length) => ({
    ...{ text: given, offset, totalChars: 9 },
    next: next < 9 ? next : null,
  });
  const window = (given: string, offset: number): ToViewOf<"text"> => ({
    type: "text",
    session: "s1",
    key,
    part: "now",
    text: text(given, offset),
  });
  let model = apply(opened(), {
    type: "details",
    session: "s1",
    details: detailsWith(key, { now: text("abc", 0) }),
  });
  for (const message of [window("def", 3), window("def", 3), window("i", 8), window("ghi", 6)])
    model = apply(model, message);
  assert.deepEqual(
    model.texts.get(`${key}\nnow`)?.map((one) => one.text),
    ["def", "ghi"],
  );
});

test("what follows a window is where the host says, not where code units end: stored content is counted in characters", () => {
  const details = detailsWith("s1/t1", {
    returned: { text: "🌊🌊", offset: 0, totalChars: 3, next: 2 },
  });
  const model = apply(opened(), { type: "details", session: "s1", details });
  const more = { text: "🌊", offset: 2, totalChars: 3, next: null };
  const told = { type: "text" as const, session: "s1", key: "s1/t1", part: "returned", text: more };
  assert.deepEqual(apply(model, told).texts.get("s1/t1\nreturned"), [more]);
  assert.equal(apply(model, { ...told, text: { ...more, offset: 4 } }).texts.size, 0);
});

test("what is said of another session, or of an earlier query, changes nothing", () => {
  const model = apply(opened(), {
    type: "found",
    session: "s1",
    query: 2,
    found: { turns: [], total: 0, isCut: false },
  });
  for (const message of [
    { type: "rows" as const, session: "s2", rows: [] },
    { type: "found" as const, session: "s1", query: 1, found: { turns: [], total: 9, isCut: false } },
    changed({ session: "s2", turnCount: 1 }),
  ])
    assert.equal(apply(model, message), model);
});

test("another session begins with nothing of the one before", () => {
  const other = apply(opened(), openedWith(longSession(3, { session: "s2" })));
  assert.deepEqual([...other.loaded.rows.keys()], [0, 1, 2]);
  assert.equal(other.selectedTurn, 2);
  assert.equal(turnOf("s2", "s2/t3/t3c0"), 3);
  assert.equal(turnOf("s2", "s2/limit0"), null);
});

test("a turn's place is known where turns are dense, guessed where they are not, and found in few steps", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 2, maxLength: 400 }), fc.nat(), (gaps, pick) => {
      let number = 0;
      const numbers = gaps.map((gap) => (number += gap + 1));
      const target = pick % numbers.length;
      const all = numbers.map((turn, at) => rowFrom(at, turnWith(turn)));
      const rows = new Map(all.slice(-1).map((row) => [row.at, row]));
      for (let steps = 0; steps <= numbers.length; steps++) {
        const loaded = { turnCount: numbers.length, rows, turns: new Map(), stale: new Set<number>() };
        const place = placeOf(loaded, numbers[target] ?? 0);
        if (place?.isExact) return place.at === target;
        const row = all[place?.at ?? -1];
        if (row === undefined || rows.has(row.at)) return false;
        rows.set(row.at, row);
      }
      return false;
    }),
  );
  const { loaded } = opened();
  assert.equal(placeOf(loaded, 20_000), null);
});

test("the plot halves itself when a turn has no column any more, and keeps the larger of two", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 200, maxLength: 1500, size: "max" }), (tokens) => {
      let plot = EMPTY_PLOT;
      tokens.forEach((count, at) => {
        plot = plotWith({ ...plot, turnCount: at + 1 }, [columnOf(at, count)]);
      });
      assert.ok(plot.columns.length <= MAXIMUM_COLUMNS);
      assert.equal(plot.columns.length, Math.ceil(tokens.length / plot.turnsPerColumn));
      plot.columns.forEach((column, at) => {
        const stood = tokens.slice(at * plot.turnsPerColumn, (at + 1) * plot.turnsPerColumn);
        assert.equal(column?.tokens[0], Math.max(...stood));
      });
    }),
    { numRuns: 30 },
  );
});
