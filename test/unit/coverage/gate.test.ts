/** What was returned, inspected and is available, the sentence that is said once, and the line before a page. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { openList } from "../../../bench/coverage/adversarial";
import {
  countsFrom,
  type GateMove,
  type GateState,
  openGate,
  throughGate,
  verdictOf,
} from "../../../src/coverage/gate";
import { type LabelFacts, labelOf, pageLabel, parseLabel } from "../../../src/coverage/label";
import { type Ranges, sizeOf, withoutRange, withRange } from "../../../src/coverage/ranges";
import type { Handle } from "../../../src/schema/claim";

const HANDLE = `claim:${"0123456789abcdef".repeat(2)}` as Handle;
const OTHER = `claim:${"fedcba9876543210".repeat(2)}` as Handle;
const TOOL = "fetch_result";

const listed: GateMove = { kind: "listed", handle: HANDLE, tool: "list_issues", total: 5, complete: true };
const paged = (first: number, last: number, references: number[] = []): GateMove => ({
  kind: "paged",
  handle: HANDLE,
  first,
  last,
  references,
});
const replied: GateMove = { kind: "replied" };

const after = (...moves: readonly GateMove[]): GateState => moves.reduce(throughGate, openGate);

/** returned/inspected/available of the first list, what comes next, and the verdict of an exhaustive session. */
function check(expected: string, ...moves: readonly GateMove[]): void {
  const state = after(...moves);
  const [counts] = countsFrom(state);
  const figures = `${counts?.returned}/${counts?.inspected}/${counts?.available} next ${counts?.next}`;
  assert.equal(`${figures}: ${verdictOf(state, true, TOOL).kind}`, expected);
}

suite("coverage/gate", () => {
  test("returned = in a page, inspected = was in a request that got a reply, available = the rest", () => {
    check("0/0/5 next @1: say", listed);
    check("2/0/3 next @3: say", listed, paged(1, 2));
    check("2/2/3 next @3: say", listed, paged(1, 2), replied);
    check("5/2/0 next null: say", listed, paged(1, 2), replied, paged(3, 5));
    check("5/5/0 next null: open", listed, paged(1, 2), replied, paged(3, 5), replied);
    check("3/3/2 next @1: say", listed, paged(3, 5), replied);
    check("2/2/3 next @3: say", listed, paged(1, 2), paged(1, 2), replied);
  });

  test("a reference is not returned before its record was read alone", () => {
    check("4/4/1 next #2: say", listed, paged(1, 5, [2]), replied);
    const record: GateMove = { kind: "record", handle: HANDLE, index: 2 };
    check("5/4/0 next null: say", listed, paged(1, 5, [2]), replied, record);
    check("5/5/0 next null: open", listed, paged(1, 5, [2]), replied, record, replied);
  });

  test("a page that left the conversation before a reply was not inspected; one that was stays so", () => {
    const withdrawn: GateMove = { kind: "withdrawn", handle: HANDLE, first: 1, last: 2 };
    check("0/0/5 next @1: say", listed, paged(1, 2), withdrawn, replied);
    check("2/2/3 next @3: say", listed, paged(1, 2), replied, withdrawn, replied);
  });

  test("a record that left before a reply was not read; what is named next begins a page that was there", () => {
    const record: GateMove = { kind: "record", handle: HANDLE, index: 2 };
    const gone: GateMove = { kind: "record_withdrawn", handle: HANDLE, index: 2 };
    check("4/4/1 next #2: say", listed, paged(1, 5, [2]), replied, record, gone, replied);
    check("5/5/0 next null: open", listed, paged(1, 5, [2]), replied, record, replied, gone, replied);
    const again: GateMove = { kind: "withdrawn", handle: HANDLE, first: 1, last: 3 };
    check(
      "2/2/3 next #2: say",
      listed,
      paged(1, 3, [2]),
      replied,
      paged(1, 3, [2]),
      again,
      paged(4, 5, [4, 5]),
      replied,
    );
  });

  test("only who wants everything is held back, once; an answer given anyway is incomplete", () => {
    const state = after(listed, paged(1, 2), replied);
    assert.equal(verdictOf(state, false, TOOL).kind, "open");
    const verdict = verdictOf(state, true, TOOL);
    assert.equal(
      verdict.kind === "say" ? verdict.sentence : verdict.kind,
      `[Not everything has been read: 3 of 5 records of list_issues (next: fetch_result with handle='${HANDLE}@3'). Read the rest, or say in the answer what was not read.]`,
    );
    assert.equal(verdictOf(throughGate(state, { kind: "said" }), true, TOOL).kind, "incomplete");
    assert.equal(verdictOf(after(listed, { kind: "said" }, paged(1, 5), replied), true, TOOL).kind, "open");
  });

  test("a source that has more, may have more, or was jumped over keeps the gate shut", () => {
    const sentence = (changes: object): string => {
      const verdict = verdictOf(
        after({ ...listed, ...changes } as GateMove, paged(1, 5), replied),
        true,
        TOOL,
      );
      return verdict.kind === "say"
        ? verdict.sentence.slice(31, verdict.sentence.indexOf(". Read"))
        : verdict.kind;
    };
    assert.equal(sentence({ complete: false }), "list_issues has more records than it returned");
    assert.equal(sentence({ complete: "unknown" }), "whether list_issues has more records is unknown");
    assert.equal(sentence({ skipped: 90 }), "90 records that were never requested from list_issues");
    assert.equal(sentence({}), "open");
  });

  test("whatever happens, inspected ≤ returned ≤ total, available is the difference, and nothing inspected is forgotten (property)", () => {
    const handle = fc.constantFrom(HANDLE, OTHER);
    const pair = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 4 }));
    const move: fc.Arbitrary<GateMove> = fc.oneof(
      handle.map(
        (one): GateMove => ({ ...(listed as GateMove & { kind: "listed" }), handle: one, total: 9 }),
      ),
      fc.tuple(handle, pair, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 })).map(
        ([one, [first, more], references]): GateMove => ({
          kind: "paged",
          handle: one,
          first,
          last: Math.min(9, first + more),
          references: references.filter((index) => index >= first && index <= first + more),
        }),
      ),
      fc.tuple(handle, pair).map(([one, [index]]): GateMove => ({ kind: "record", handle: one, index })),
      fc.tuple(handle, pair).map(
        ([one, [first, more]]): GateMove => ({
          kind: "withdrawn",
          handle: one,
          first,
          last: Math.min(9, first + more),
        }),
      ),
      fc.constant(replied),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let state = openGate;
        for (const one of moves) {
          const before = countsFrom(state);
          state = throughGate(state, one);
          for (const counts of countsFrom(state)) {
            const { returned, inspected, available, total } = counts;
            assert.ok(inspected <= returned && returned <= total && available === total - returned);
            const earlier = before.find((two) => two.handle === counts.handle);
            assert.ok(inspected >= (earlier?.inspected ?? 0));
          }
        }
      }),
    );
  });

  test("ranges are the sets that they say (property)", () => {
    const range = fc.tuple(fc.nat(30), fc.nat(5)).map(([first, more]) => [first, first + more] as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(range, fc.boolean()), { maxLength: 20 }), (changes) => {
        let ranges: Ranges = [];
        const set = new Set<number>();
        for (const [[first, last], isAdded] of changes) {
          ranges = isAdded ? withRange(ranges, [first, last]) : withoutRange(ranges, [first, last]);
          for (let n = first; n <= last; n++) isAdded ? set.add(n) : set.delete(n);
        }
        const numbers = ranges.flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, n) => first + n),
        );
        assert.deepEqual(
          numbers,
          [...set].sort((a, b) => a - b),
        );
        assert.equal(sizeOf(ranges), set.size);
      }),
    );
  });
});

suite("coverage/label", () => {
  const facts: LabelFacts = {
    handle: HANDLE,
    first: 1,
    last: 12,
    total: 241,
    references: [],
    complete: false,
    leftOutBytes: 0,
  };

  test("the line before a page, word for word", () => {
    const lines = [
      labelOf(facts, TOOL),
      labelOf({ ...facts, first: 230, last: 241, complete: true }, TOOL),
      labelOf({ ...facts, first: 230, last: 241, complete: false }, TOOL),
      labelOf({ ...facts, first: 230, last: 241, complete: "unknown" }, TOOL),
      labelOf({ ...facts, first: 1, last: 0, total: 0, complete: true }, TOOL),
      labelOf({ ...facts, references: [3, 7], leftOutBytes: 90 }, TOOL),
    ];
    assert.deepEqual(lines, [
      `[Records 1–12 of 241; 229 more. Next: fetch_result with handle='${HANDLE}@13'.]`,
      "[Records 230–241 of 241; this is the end.]",
      "[Records 230–241 of 241; the source has more.]",
      "[Records 230–241 of 241; whether the source has more is unknown.]",
      "[No records of 0; this is the end.]",
      `[Records 1–12 of 241; 229 more. Next: fetch_result with handle='${HANDLE}@13'. 2 of them too large to show: read one with fetch_result, handle='${HANDLE}#3'. 90 bytes beside the list are not in its pages: fetch_result with handle='${HANDLE}'.]`,
    ]);
  });

  test("of a snapshot's pages: ranges that meet, the source's word at the end", () => {
    const text = `{"has_more":true,"records":[1,"${"x".repeat(900)}",${"3,".repeat(300)}4]}`;
    const snapshot = openList(text, 600);
    const labels = snapshot.pages.map((page) => pageLabel(HANDLE, snapshot, page, TOOL));
    assert.deepEqual(labels, [
      `[Records 1–170 of 303; 133 more. Next: fetch_result with handle='${HANDLE}@171'. 1 of them too large to show: read one with fetch_result, handle='${HANDLE}#2'.]`,
      "[Records 171–303 of 303; the source has more.]",
    ]);
  });

  test("what is written is read back (property)", () => {
    const figures = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000));
    const complete = fc.constantFrom(true, false, "unknown" as const);
    fc.assert(
      fc.property(
        figures,
        complete,
        fc.array(fc.nat(9)),
        fc.nat(5),
        ([first, more, rest], end, references, left) => {
          const total = first + more + rest;
          const last = total === 0 ? 0 : Math.max(1, first + more);
          const label = labelOf(
            { ...facts, first: 1, last, total, references, complete: end, leftOutBytes: left },
            TOOL,
          );
          const isLast = last === total;
          assert.deepEqual(parseLabel(`${label}\n{"records":[]}`), {
            first: 1,
            last,
            total,
            next: isLast ? null : { handle: HANDLE, first: last + 1 },
            complete: isLast ? end : false,
          });
        },
      ),
    );
    assert.equal(parseLabel("[Records 1–12 of many.]"), null);
  });
});
