// test/unit/webview: what is open, focused and selected, and how keys move it.
import assert from "node:assert/strict";
import { filterOf } from "../../../webview-ui/filter";
import { createFormat } from "../../../webview-ui/format";
import { moveFor, rowStartingWith } from "../../../webview-ui/moves";
import { createMemory, type Outline, outlineOf } from "../../../webview-ui/outline";
import {
  heldOpen,
  nearestIndex,
  type Place,
  type Spot,
  START,
  savedFrom,
  toggled,
  withoutGone,
} from "../../../webview-ui/place";
import { placeAt, placePassing } from "../../../webview-ui/reveal";
import { headWith, rowFrom, turnWith } from "../../support/inspectorViews";

const f = createFormat("en-US", "UTC");
const whole = [turnWith(1), turnWith(2, { asked: "Go on." })];
const rows = new Map(whole.map((turn, at) => [at, rowFrom(at, turn)]));
const turns = new Map(whole.map((turn, at) => [at, turn]));

/** Two turns, of which the second is the newest: each has a request and a reply, the second an "asked". */
function outline(place: Partial<Place> = {}, more: Partial<Parameters<typeof outlineOf>[0]> = {}): Outline {
  return outlineOf({
    head: headWith({ session: "s" }),
    loaded: { turnCount: 2, rows, turns, stale: new Set() },
    place: { ...START, ...place },
    filter: "none",
    memory: createMemory(),
    f,
    ...more,
  });
}
const keysOf = (given: Outline): string[] =>
  Array.from({ length: given.length }, (_, at) => given.row(at)?.row.key ?? "none");
const CLOSED = ["s", "s/t1"];
const SECOND = ["s/t2", "s/t2/asked", "s/t2/request", "s/t2/reply"];

test("what the person opened or closed wins over the default", () => {
  assert.deepEqual(keysOf(outline()), [...CLOSED, ...SECOND]);
  assert.deepEqual(keysOf(outline({ turns: { 0: true, 1: false } })), [
    ...CLOSED,
    "s/t1/request",
    "s/t1/reply",
    "s/t2",
  ]);
  assert.deepEqual(keysOf(outline({ open: { s: false } })), ["s"]);
});

test("rows carry their ARIA level, position and set size", () => {
  const { level, position, setSize } = outline().row(4) ?? {};
  assert.deepEqual({ level, position, setSize }, { level: 3, position: 2, setSize: 3 });
  const turn = outline().row(2);
  assert.deepEqual([turn?.level, turn?.position, turn?.setSize], [2, 2, 2]);
});

test("every row is found where it is, and a turn that is not here has as many rows as it is likely to have", () => {
  for (const given of [
    outline({ turns: { 0: true } }),
    outline({ turns: { 0: true } }, { loaded: { turnCount: 500, rows, turns: new Map(), stale: new Set() } }),
    outline({}, { filter: filterOf({ turns: [{ at: 1, keys: ["s/t2/asked"] }], total: 1, isCut: false }) }),
  ])
    for (let index = 0; index < given.length; index++) {
      const shown = given.row(index);
      assert.ok(shown, `row ${index}`);
      assert.equal(given.indexOf({ key: shown.row.key, at: shown.at }), index, shown.row.key);
    }
  assert.equal(outline().row(outline().length), undefined);
});

test("a newer turn does not close the one that the person looks at", () => {
  const place = { ...START, selected: { key: "s/t1/request", at: 0 } };
  assert.deepEqual(heldOpen(place, 0).turns, { 0: true });
  assert.equal(heldOpen(START, 0), START);
  assert.equal(heldOpen({ ...place, turns: { 0: false } }, 0).turns[0], false);
  assert.equal(heldOpen(place, 1), place, "an older turn is the person's own");
});

test("a turn that was opened only by passing closes when the next is chosen; what the person opened or closed stays", () => {
  const pass = (place: Place, ...places: number[]) =>
    places.reduce((now, at) => placePassing(now, { key: `s/t${at + 1}`, at }), place);
  assert.deepEqual(pass(START, 3, 2, 1).turns, { 1: true });
  assert.deepEqual(pass({ ...START, turns: { 2: true, 1: false } }, 3, 2, 1, 1, 0).turns, {
    0: true,
    1: false,
    2: true,
  });
  const shown = outline(pass(START, 0));
  const [turn, request] = [shown.row(1), shown.row(2)];
  assert.ok(turn && request);
  assert.deepEqual(pass(toggled(pass(START, 0), request, true), 1).turns, { 0: true, 1: true }); // worked in
  assert.deepEqual(pass(toggled(toggled(pass(START, 0), turn, false), turn, true), 1).turns[0], true);
  assert.deepEqual(pass(placeAt(pass(START, 0), { key: "s/t1/reply", at: 0 }), 1).turns[0], true); // led to
});

test("focus on a row that is gone goes to the nearest row above it", () => {
  const given = outline();
  const nearest = (spot: Spot | null) => given.row(nearestIndex(given, spot))?.row.key ?? null;
  assert.equal(nearest({ key: "s/t1/request", at: 0 }), "s/t1");
  assert.equal(nearest({ key: "s/t2/request", at: 1 }), "s/t2/request");
  assert.equal(nearest({ key: "s/@1/2", at: 1 }), "s/t2", "a placeholder that came");
  assert.equal(nearest({ key: "s/t9/request", at: 8 }), "s");
  assert.equal(nearest({ key: "other/t1", at: null }), null);
  assert.equal(nearest(null), null);
});

test("keys move as in every tree of VS Code", () => {
  const given = outline();
  const cases: readonly [focused: number, pressed: string, expected: string][] = [
    [-1, "ArrowDown", "focus s/t1"],
    [0, "ArrowUp", "focus s"],
    [5, "ArrowDown", "focus s/t2/reply"],
    [5, "Home", "focus s"],
    [0, "End", "focus s/t2/reply"],
    [0, "PageDown", "focus s/t2"],
    [5, "PageUp", "focus s/t2/asked"],
    [1, "ArrowRight", "open s/t1"],
    [2, "ArrowRight", "focus s/t2/asked"],
    [3, "ArrowRight", "focus s/t2/asked"],
    [2, "ArrowLeft", "close s/t2"],
    [5, "ArrowLeft", "focus s/t2"],
    [1, "ArrowLeft", "focus s"],
    [1, "Enter", "open s/t1"],
    [2, " ", "close s/t2"],
    [3, "Enter", "focus s/t2/asked"],
    [0, "F5", "null"],
  ];
  for (const [focused, pressed, expected] of cases) {
    const move = moveFor(given, focused, pressed, 3);
    const key = move === null ? "" : given.row(move.index)?.row.key;
    const kind = move?.kind === "toggle" ? (move.open ? "open" : "close") : move?.kind;
    assert.equal(move === null ? "null" : `${kind} ${key}`, expected, `${pressed} on ${focused}`);
  }
});

test("typing goes to the next row that starts so, among those that are here", () => {
  const given = outline();
  const key = (focused: number, typed: string) => given.row(rowStartingWith(given, focused, typed))?.row.key;
  assert.equal(key(0, "rep"), "s/t2/reply");
  assert.equal(key(0, "re"), "s/t2/request");
  assert.equal(key(4, "r"), "s/t2/reply");
  assert.equal(key(5, "r"), "s/t2/request");
  assert.equal(key(0, "x"), undefined);
  const far = outline({}, { loaded: { turnCount: 9000, rows, turns, stale: new Set() } });
  assert.equal(rowStartingWith(far, 1, "load"), -1, "a placeholder has no name");
});

test("with a filter only turns that have a match are rows, and what the match is below is open", () => {
  const keys = ["s/t2/t2c0/result"];
  const filter = filterOf({ turns: [{ at: 1, keys }], total: 1, isCut: false });
  assert.deepEqual(keysOf(outline({}, { filter })), ["s", ...SECOND]);
  assert.deepEqual(filter === "none" ? null : filter.opened, { "s/t2/t2c0": true });
  const many = Array.from({ length: 30 }, (_, at) => ({ at, keys: [] }));
  const closed = filterOf({ turns: many, total: 30, isCut: false });
  assert.equal(closed === "none" || closed.startsOpen, false);
});

test("what another version left behind is not read, and sessions that are gone are forgotten", () => {
  for (const left of [undefined, null, "x", { version: 1, places: {} }, { version: 3, places: null }]) {
    assert.deepEqual(savedFrom(left), { version: 3, places: {} });
  }
  const saved = { version: 3, places: { s: START, gone: START } } as const;
  assert.deepEqual(Object.keys(withoutGone(saved, new Set(["s"])).places), ["s"]);
});
