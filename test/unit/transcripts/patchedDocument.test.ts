/** Documents kept as patches: replayed they are what was written, and no patch reaches further than its document. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { PatchedDocument } from "../../../src/transcripts/patchedDocument";

type Patch = Readonly<Record<string, unknown>>;

/** The value at the end, and what was not done on the way. */
function replayed(patches: readonly Patch[], maximumChars?: number) {
  const document = new PatchedDocument(maximumChars);
  const notes = patches.map((patch) => document.apply(patch, JSON.stringify(patch).length));
  return { value: document.value, notes: notes.filter((note) => note !== null) };
}
const begin = (v: unknown): Patch => ({ kind: 0, v });
const copy = <T>(value: T): T => structuredClone(value);

const NOWHERE = "patch(es) led nowhere, and were not read";

test("set, push, splice and delete; a list that is not there begins", () => {
  const { value, notes } = replayed([
    begin({ a: { b: 1 }, list: [1, 2, 3], gone: true }),
    { kind: 1, k: ["a", "b"], v: 2 },
    { kind: 1, k: ["list", 0], v: { c: [] } },
    { kind: 2, k: ["list", 0, "c"], v: ["x"] },
    { kind: 2, k: ["list"], v: [4], i: 2 },
    { kind: 2, k: ["list"], i: 2 },
    { kind: 2, k: ["fresh"], v: [5] },
    { kind: 3, k: ["gone"] },
    { kind: 1, k: ["a", "unset"] },
  ]);
  assert.deepEqual(value, { a: { b: 2 }, list: [{ c: ["x"] }, 2], fresh: [5] });
  assert.deepEqual(notes, []);
});

const NOTHING_DONE: readonly (readonly [what: string, patch: Patch, note?: string])[] = [
  ["a path into nothing", { kind: 1, k: ["b", "c"], v: 1 }],
  ["a path through a text", { kind: 1, k: ["text", 0], v: 1 }],
  ["a name in a list", { kind: 1, k: ["list", "length"], v: 1e9 }],
  ["a place far behind a list", { kind: 1, k: ["list", 1e9], v: 1 }],
  ["a list made long by what is kept of it", { kind: 2, k: ["list"], v: [1], i: 1e9 }],
  ["what is kept of a list is no count", { kind: 2, k: ["list"], i: -1 }],
  ["something pushed that is no list", { kind: 2, k: ["list"], v: { length: 1e9 } }],
  ["a push onto a text", { kind: 2, k: ["text"], v: [1] }],
  ["a prototype", { kind: 1, k: ["__proto__", "polluted"], v: 1 }],
  ["a prototype itself", { kind: 1, k: ["__proto__"], v: { polluted: 1 } }],
  ["what every object has", { kind: 1, k: ["constructor", "prototype", "polluted"], v: 1 }],
  ["no path", { kind: 1, v: 1 }],
  ["an empty path", { kind: 1, k: [], v: 1 }],
  ["a path without end", { kind: 1, k: Array.from({ length: 1000 }, () => "a"), v: 1 }],
  ["a state that is none", begin([1])],
  ["a kind that is not known", { kind: 9, k: ["a"] }, "patch(es) of a kind that is not known were not read"],
];
for (const [what, patch, note = NOWHERE] of NOTHING_DONE)
  test(`nothing is done, and it is told: ${what}`, () => {
    const state = { list: [1], text: "t", a: {} };
    const { value, notes } = replayed([begin(copy(state)), patch]);
    assert.deepEqual(value, state);
    assert.deepEqual(notes, [note]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

test("a name that every object has is a name like others, and an object's own", () => {
  const { value, notes } = replayed([begin({}), { kind: 2, k: ["toString"], v: [1] }]);
  assert.deepEqual(Object.entries(value as object), [["toString", [1]]]);
  assert.deepEqual(notes, []);
});

test("patches cannot go deeper step by step than what is read whole", () => {
  const steps = Array.from({ length: 300 }, () => "a");
  const { value, notes } = replayed([
    begin({}),
    ...steps.map((_, n) => ({ kind: 1, k: steps.slice(0, n + 1), v: {} })),
  ]);
  assert.equal(JSON.stringify(value).split("{").length - 1, 51);
  assert.equal(notes.length, 250);
});

test("patches before any state lead nowhere; a later state takes the place of one before", () => {
  const { value, notes } = replayed([
    { kind: 2, k: ["requests"], v: [1] },
    begin({ n: 1 }),
    begin({ n: 2 }),
    { kind: 1, k: ["m"], v: 3 },
  ]);
  assert.deepEqual(value, { n: 2, m: 3 });
  assert.deepEqual(notes, [
    NOWHERE,
    "later state(s) of the whole session took the place of what stood before",
  ]);
});

test("what is held has a bound, however often it is replaced", () => {
  const { value, notes } = replayed(
    [
      begin({ n: "" }),
      ...Array.from({ length: 100 }, (_, n) => ({ kind: 1, k: ["n"], v: `${n}`.repeat(50) })),
    ],
    1000,
  );
  assert.ok(notes.length > 80 && notes.every((note) => /may have 64 MB/.test(note)), `${notes.length}`);
  assert.notDeepEqual(value, { n: "" });
});

type Turn = { readonly text: string; readonly parts: readonly string[]; readonly state?: number };
const turn: fc.Arbitrary<Turn> = fc.record(
  { text: fc.string(), parts: fc.array(fc.string(), { maxLength: 5 }), state: fc.nat(4) },
  { requiredKeys: ["text", "parts"], noNullPrototype: true },
);

/** The patches between two states, as whoever keeps them would write them: lists from the first difference on. */
function patchesOf(before: readonly Turn[], after: readonly Turn[]): readonly Patch[] {
  const patches: Patch[] = [];
  for (const [n, { text, parts, state }] of after.slice(0, before.length).entries()) {
    const old = before[n];
    if (!old) break;
    if (text !== old.text) patches.push({ kind: 1, k: ["requests", n, "text"], v: text });
    if (state === undefined && old.state !== undefined)
      patches.push({ kind: 3, k: ["requests", n, "state"] });
    else if (state !== old.state) patches.push({ kind: 1, k: ["requests", n, "state"], v: state });
    const same = parts.findIndex((part, at) => part !== old.parts[at]);
    const i = same < 0 ? parts.length : same;
    if (i < old.parts.length || i < parts.length)
      patches.push({ kind: 2, k: ["requests", n, "parts"], v: parts.slice(i), i });
  }
  if (after.length > before.length) patches.push({ kind: 2, k: ["requests"], v: after.slice(before.length) });
  else if (after.length < before.length) patches.push({ kind: 2, k: ["requests"], i: after.length });
  return patches;
}

test("whatever a document goes through, its patches bring it back (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.array(turn, { maxLength: 4 }), { minLength: 1, maxLength: 6 }), (states) => {
      const patches = states.flatMap((state, n) =>
        n === 0 ? [begin({ requests: state })] : patchesOf(states[n - 1] ?? [], state),
      );
      const { value, notes } = replayed(copy(patches));
      assert.deepEqual(value, { requests: states.at(-1) });
      assert.deepEqual(notes, []);
    }),
    { numRuns: 500 },
  );
});

test("whatever stands in a patch, nothing is thrown and nothing but the document changes (property)", () => {
  const step = fc.oneof(
    fc.constantFrom<unknown>("a", "b", "__proto__", "constructor", "length", 0, 1, 2, -1, 1.5, 1e9, null, {}),
    fc.nat(4),
  );
  const value = fc.constantFrom<unknown>(undefined, null, 1, "t", [], [1, 2], {}, { a: { b: [] } }, [[], {}]);
  const patch = fc.record(
    {
      kind: fc.constantFrom<unknown>(0, 1, 2, 3, 4, "1", null),
      k: fc.oneof(fc.array(step, { maxLength: 4 }), fc.constantFrom<unknown>(null, "a", { length: 1 })),
      v: value,
      i: fc.constantFrom<unknown>(undefined, 0, 1, 5, 2 ** 32, -1, "0", null),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(patch, { maxLength: 12 }), (patches) => {
      const written = JSON.stringify(patches);
      const { value: made } = replayed(copy([begin({ a: [], b: {} }), ...patches]));
      assert.ok(JSON.stringify(made).length <= written.length * 12 + 100);
      assert.deepEqual(Object.keys(Object.prototype), []);
      assert.equal(({} as { a?: unknown }).a, undefined);
    }),
    { numRuns: 2000 },
  );
});
