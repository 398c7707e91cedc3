/** Cursors, chains of pages, sources that page themselves, and whose limit a list stopped at. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { pageCursor, parseCursor, parseCursorHandle, recordCursor } from "../../../src/coverage/cursor";
import { beginTrail, followPage, type PageFacts, type Trail } from "../../../src/coverage/follow";
import { type LimitedBy, limitedBy, limitWords } from "../../../src/coverage/limitedBy";
import { beginSource, nextOfSource } from "../../../src/coverage/sourceCursor";
import type { SnapshotId } from "../../../src/schema/coverage";

const HANDLE = `claim:${"0123456789abcdef".repeat(2)}`;
const SNAPSHOT = "0123456789abcdef" as SnapshotId;
const OTHER = "fedcba9876543210" as SnapshotId;

/** A page of five records in pages of two, as changed. */
const page = (first: number, changes: Partial<PageFacts> = {}): PageFacts => {
  const returned = Math.min(2, 6 - first);
  const remaining = 5 - (first + returned - 1);
  const isLast = remaining === 0;
  return {
    snapshot: SNAPSHOT,
    source: '{"status":"ok"}',
    total: 5,
    returned,
    references: 0,
    remaining,
    complete: isLast,
    cursor: isLast ? null : pageCursor(first + returned),
    ...changes,
  };
};

/** Follows one page after another; why the first one that is refused is. */
function follow(...pages: readonly PageFacts[]): string {
  let trail: Trail = beginTrail();
  for (const one of pages) {
    const next = followPage(trail, one);
    if (next.kind === "refused") return next.reason;
    trail = next;
  }
  return trail.isEnded ? "ended" : "goes on";
}

suite("coverage/following", () => {
  test("a cursor has one spelling, and at most 16 characters", () => {
    assert.deepEqual(parseCursor("@13"), { kind: "page", first: 13 });
    assert.deepEqual(parseCursor("#7"), { kind: "record", index: 7 });
    assert.deepEqual(parseCursor(""), { kind: "refused", reason: "empty_cursor" });
    for (const given of [
      "@",
      "@0",
      "@01",
      "@1.0",
      "@+1",
      "@1e1",
      " @1",
      "@1\n",
      "#-1",
      "@@1",
      `@${"1".repeat(16)}`,
    ]) {
      assert.deepEqual(
        parseCursor(given),
        { kind: "refused", reason: "malformed_cursor" },
        JSON.stringify(given),
      );
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (number) => {
        assert.deepEqual(parseCursor(pageCursor(number)), { kind: "page", first: number });
        assert.deepEqual(parseCursor(recordCursor(number)), { kind: "record", index: number });
        assert.ok(pageCursor(number).length <= 16);
      }),
    );
  });

  test("a cursor behind a handle is a handle; anything else is none", () => {
    assert.deepEqual(parseCursorHandle(`${HANDLE}@13`), {
      handle: HANDLE,
      cursor: { kind: "page", first: 13 },
    });
    assert.deepEqual(parseCursorHandle(`${HANDLE}#7`), {
      handle: HANDLE,
      cursor: { kind: "record", index: 7 },
    });
    for (const given of [
      HANDLE,
      `${HANDLE}@`,
      `${HANDLE}@0`,
      `${HANDLE}@1@2`,
      "@13",
      "claim:x@1",
      `/etc@1`,
      `${HANDLE}@1${" ".repeat(2000)}`,
      "",
    ]) {
      assert.equal(parseCursorHandle(given), null, given.slice(0, 60));
    }
  });

  test("pages follow one another until the last", () => {
    assert.equal(follow(page(1), page(3), page(5)), "ended");
    assert.equal(follow(page(1), page(3)), "goes on");
    assert.equal(
      follow(page(1, { total: 0, returned: 0, remaining: 0, complete: true, cursor: null })),
      "ended",
    );
  });

  test("a page of another snapshot, an altered one, a skipped one and one that leads back are refused, each with its reason", () => {
    assert.equal(follow(page(1), page(3, { snapshot: OTHER })), "foreign_cursor");
    assert.equal(follow(page(1), page(3, { source: '{"status":"failed"}' })), "altered_page");
    assert.equal(follow(page(1), page(3, { total: 6, remaining: 2 })), "altered_page");
    assert.equal(follow(page(1), page(3, { returned: 1 })), "altered_page");
    assert.equal(follow(page(1, { complete: true })), "altered_page");
    assert.equal(follow(page(1, { cursor: null })), "altered_page");
    assert.equal(follow(page(1, { cursor: pageCursor(4) })), "unknown_cursor");
    assert.equal(follow(page(1, { cursor: "" })), "empty_cursor");
    assert.equal(follow(page(1, { cursor: "@03" })), "malformed_cursor");
    assert.equal(follow(page(1, { cursor: "#3" })), "cycling_cursor");
    assert.equal(follow(page(1), page(1)), "cycling_cursor");
    assert.equal(follow(page(1), page(3), page(3)), "cycling_cursor");
    assert.equal(follow(page(1), page(3, { cursor: "@1" })), "cycling_cursor");
    assert.equal(follow(page(1), page(3), page(5), page(5)), "cycling_cursor");
  });

  test("whatever pages somebody hands over, following them ends (property)", () => {
    const figure = fc.integer({ min: 0, max: 6 });
    const any = fc.record({
      snapshot: fc.constant(SNAPSHOT),
      source: fc.constant("{}"),
      total: fc.constantFrom(5, 6),
      returned: figure,
      references: figure,
      remaining: figure,
      complete: fc.constantFrom(true, false, "unknown" as const),
      cursor: fc.oneof(
        fc.constant(null),
        figure.map((number) => `@${number}`),
      ),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 30 }), (pages) => {
        let trail: Trail = beginTrail();
        let accepted = 0;
        for (const one of pages) {
          const next = followPage(trail, one);
          if (next.kind === "refused") continue; // a client that never gives up
          assert.ok(trail.page === null || one.remaining < trail.page.remaining);
          trail = next;
          accepted++;
        }
        assert.ok(accepted <= 7);
      }),
      { numRuns: 2000 },
    );
  });

  test("a source's list ends where its cursor is absent; the empty text is a cursor; one that was there before stops, unknown", () => {
    assert.deepEqual(nextOfSource(beginSource(), null), { kind: "ended", complete: true });
    assert.deepEqual(nextOfSource(beginSource(), "null"), { kind: "ended", complete: true });
    const empty = nextOfSource(beginSource(), '""');
    assert.ok(empty.kind === "next" && empty.cursor === '""');
    const second = nextOfSource(empty.trail, '"a/b"');
    assert.ok(second.kind === "next");
    assert.deepEqual(nextOfSource(second.trail, '""'), { kind: "stopped", complete: "unknown" });
    assert.deepEqual(nextOfSource(second.trail, '"a\\/\\u0062"'), { kind: "stopped", complete: "unknown" });
    const exact = nextOfSource(second.trail, "9223372036854775807");
    assert.ok(exact.kind === "next" && nextOfSource(exact.trail, "9223372036854775806").kind === "next");
  });

  test("our clamp, the server's cap, the tool's own limit and what was asked for are told apart", () => {
    const rows: [
      requested: number | null,
      sent: number | null,
      returned: number,
      more: boolean | null,
      LimitedBy,
    ][] = [
      [500, 500, 37, false, "nobody"],
      [500, 10, 10, false, "nobody"],
      [500, 10, 10, true, "our_clamp"],
      [500, 10, 10, null, "our_clamp"],
      [500, 500, 100, true, "server_cap"],
      [500, 200, 100, true, "server_cap"],
      [500, 500, 100, null, "unknown"],
      [null, null, 30, true, "tool_limit"],
      [null, null, 30, null, "unknown"],
      [10, 10, 10, true, "asked_for"],
      [10, 10, 10, null, "asked_for"],
    ];
    const words = new Set<string>();
    for (const [requested, sent, returned, saysMore, expected] of rows) {
      const facts = { requested, sent, returned, saysMore };
      assert.equal(limitedBy(facts), expected, JSON.stringify(facts));
      words.add(limitWords(expected, facts).replace(/\d+/g, "n"));
    }
    assert.equal(words.size, 6);
  });
});
