// test/unit/webview: what is open, focused and selected, and how keys move it.
import assert from "node:assert/strict";
import {
  heldOpen,
  moveFor,
  nearestVisible,
  rowStartingWith,
  START,
  savedFrom,
  visibleRows,
} from "../../../webview-ui/place";
import { type Row, rowOf } from "../../../webview-ui/row";

const leaf = (key: string, label = key): Row => rowOf({ key, kind: "request", icon: "x", label });
const branch = (key: string, children: readonly Row[], startsOpen = false): Row =>
  rowOf({ key, kind: "turn", icon: "x", label: key, startsOpen, children: () => children });

/** Two turns below a session; `newest` is the one that is open by default. */
const rows = (newest: 1 | 2): readonly Row[] => [
  branch(
    "s",
    [
      branch("s/t1", [leaf("s/t1/a"), leaf("s/t1/b")], newest === 1),
      branch("s/t2", [leaf("s/t2/a", "Reply"), leaf("s/t2/b", "Request")], newest === 2),
    ],
    true,
  ),
];
const keys = (newest: 1 | 2, open: Record<string, boolean> = {}) =>
  visibleRows(rows(newest), open).map(({ row }) => row.key);

test("what the person opened or closed wins over the default", () => {
  assert.deepEqual(keys(2), ["s", "s/t1", "s/t2", "s/t2/a", "s/t2/b"]);
  assert.deepEqual(keys(2, { "s/t1": true, "s/t2": false }), ["s", "s/t1", "s/t1/a", "s/t1/b", "s/t2"]);
  assert.deepEqual(keys(2, { s: false }), ["s"]);
});

test("rows carry their ARIA level, position and set size", () => {
  const at = (key: string) => visibleRows(rows(2), {}).find(({ row }) => row.key === key);
  const { level, position, setSize } = at("s/t2/b") ?? {};
  assert.deepEqual({ level, position, setSize }, { level: 3, position: 2, setSize: 2 });
});

test("a newer turn does not close the one that the person looks at", () => {
  const place = { ...START, selected: "s/t1/a" };
  const held = heldOpen(place, visibleRows(rows(1), place.open));
  assert.ok(keys(2, { ...held.open }).includes("s/t1/a"));
  assert.equal(heldOpen(START, visibleRows(rows(1), {})), START);
  assert.ok(!keys(2).includes("s/t1/a"));
});

test("focus on a row that is gone goes to the nearest row above it", () => {
  const visible = visibleRows(rows(2), {});
  assert.equal(nearestVisible(visible, "s/t1/a"), "s/t1");
  assert.equal(nearestVisible(visible, "s/t2/a"), "s/t2/a");
  assert.equal(nearestVisible(visible, "other/t1"), null);
  assert.equal(nearestVisible(visible, null), null);
});

test("keys move as in every tree of VS Code", () => {
  const visible = visibleRows(rows(2), {});
  const cases: readonly [focused: string | null, pressed: string, expected: string][] = [
    [null, "ArrowDown", "focus s/t1"],
    ["s", "ArrowUp", "focus s"],
    ["s/t2/b", "ArrowDown", "focus s/t2/b"],
    ["s/t2/b", "Home", "focus s"],
    ["s", "End", "focus s/t2/b"],
    ["s", "PageDown", "focus s/t2/b"],
    ["s/t1", "ArrowRight", "open s/t1"],
    ["s/t2", "ArrowRight", "focus s/t2/a"],
    ["s/t2/a", "ArrowRight", "focus s/t2/a"],
    ["s/t2", "ArrowLeft", "close s/t2"],
    ["s/t2/b", "ArrowLeft", "focus s/t2"],
    ["s/t1", "ArrowLeft", "focus s"],
    ["s/t1", "Enter", "open s/t1"],
    ["s/t2", " ", "close s/t2"],
    ["s/t2/a", "Enter", "focus s/t2/a"],
    ["s", "F5", "null"],
  ];
  for (const [focused, pressed, expected] of cases) {
    const move = moveFor(visible, focused, pressed);
    const found =
      move === null
        ? "null"
        : `${move.kind === "toggle" ? (move.open ? "open" : "close") : move.kind} ${move.key}`;
    assert.equal(found, expected, `${pressed} on ${focused}`);
  }
});

test("typing goes to the next row that starts so", () => {
  const visible = visibleRows(rows(2), {});
  assert.equal(rowStartingWith(visible, "s", "re"), "s/t2/a");
  assert.equal(rowStartingWith(visible, "s/t2/a", "r"), "s/t2/b");
  assert.equal(rowStartingWith(visible, "s/t2/b", "r"), "s/t2/a");
  assert.equal(rowStartingWith(visible, "s", "x"), null);
});

test("what another version left behind is not read", () => {
  for (const left of [undefined, null, "x", { version: 0 }, { version: 1, places: null }, { version: 1 }]) {
    assert.deepEqual(savedFrom(left), { version: 1, places: {} });
  }
});
