/** Pages of any list within any budget, put together again by the bench's decoder, which knows only the contract. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { deliver, hash, idOf, openList } from "../../../bench/coverage/adversarial";
import { parseCursor } from "../../../src/coverage/cursor";
import { envelopeText } from "../../../src/coverage/envelope";
import { indexList } from "../../../src/coverage/indexList";
import { bytesOf, readAll, readPage, readRecord } from "../../../src/coverage/readList";
import { isJson, type Snapshot, snapshotOf } from "../../../src/coverage/snapshot";
import { type Completeness, Envelope, type ListHints } from "../../../src/schema/coverage";
import { byteLength } from "../../../src/schema/text";

/** A record as its source may write it: any value, any blanks inside, spellings that no parser gives back. */
const letters = fc.string({ unit: "grapheme", maxLength: 60 });
const recordText = fc.oneof(
  fc.constantFrom("1", "-0", "1.0", "1e400", "9223372036854775807", "null", '""', "{}", "[ ]"),
  fc.constantFrom('"\\ud800"', '"\\u0000"', '{"a":1,"a":2}', '{ "a" : [1,\n2] }', '"\\",]}"', '"\ufeff"'),
  letters.map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value, null, 1)),
  fc
    .tuple(fc.integer({ min: 50, max: 900 }), fc.constantFrom("a", "é", "中", "😀"))
    .map(([width, letter]) => `{"id":1,"text":"${letter.repeat(width)}"}`),
);
const blanks = fc.constantFrom("", " ", "\n", "\r\n  ", "\t");

/** `members` as they stand in every envelope; `complete` what the last page says. */
type Source = {
  readonly records: readonly string[];
  readonly text: string;
  readonly status: string | null;
  readonly members: string;
  readonly complete: Completeness;
};

/** What a source says of its list's end, and what that means. */
const END: readonly (readonly [member: string, complete: Completeness])[] = [
  ['"page":1', true],
  ['"next":null', true],
  ['"has_more":false', true],
  ['"next":""', false],
  ['"total":99', false],
  ['"pageInfo":{"hasNextPage":true,"isLast":true}', "unknown"],
];

/** A list at the root or in an object with its status, and a word about its end, before or behind it. */
const source: fc.Arbitrary<Source> = fc
  .record({
    records: fc.array(recordText, { maxLength: 60 }),
    blank: blanks,
    place: fc.constantFrom("root", "first", "last"),
    status: fc.oneof(
      letters.map((text) => JSON.stringify(text)),
      fc.constantFrom("null", '""', "{}"),
    ),
    end: fc.constantFrom(...END),
    mark: fc.constantFrom("", "\ufeff"),
  })
  .map(({ records, blank, place, status, mark, end: [end, complete] }) => {
    const list = `[${blank}${records.join(`${blank},${blank}`)}${blank}]`;
    if (place === "root") {
      const text = `${mark}${blank}${list}${blank}`;
      return { records, text, status: null, members: "{}", complete: true };
    }
    const members = [`"status"${blank}:${blank}${status}`, end];
    if (place === "first") members.push(`"records":${list}`);
    else members.unshift(`"records":${list}`);
    const text = `${mark}{${members.join(`${blank},`)}}`;
    return { records, text, status, members: `{"status":${status},${end}}`, complete };
  });

/** The smallest budget that the list has pages for. */
function minimumOf(text: string, hints?: Partial<ListHints>): number {
  const index = indexList(text, hints);
  assert.ok(index.kind === "list");
  const refused = snapshotOf(text, index, { id: idOf(text), budgetBytes: 1, hash });
  assert.ok(refused.kind === "refused" && refused.reason === "budget_too_small");
  return refused.minimumBytes ?? 0;
}

async function pagesOf(text: string, snapshot: Snapshot): Promise<{ text: string; page: Envelope }[]> {
  const pages: { text: string; page: Envelope }[] = [];
  for (let cursor: string | null = "@1"; cursor !== null; ) {
    const parsed = parseCursor(cursor);
    assert.ok(parsed.kind === "page");
    const read = await readPage(snapshot, parsed, bytesOf(text));
    assert.ok(read.kind === "page");
    const page = Envelope.parse(JSON.parse(read.text));
    pages.push({ text: read.text, page });
    cursor = page.cursor;
  }
  return pages;
}

suite("coverage/pages", () => {
  const over = fc.oneof(fc.nat(40), fc.nat(400), fc.nat(4000));

  test("any list, any budget from the least up: every page is valid and within it, and the source's bytes come back (property)", async () => {
    await fc.assert(
      fc.asyncProperty(source, over, async ({ records, text, status, complete }, more) => {
        const budgetBytes = minimumOf(text) + more;
        const decoded = await deliver(openList(text, budgetBytes), bytesOf(text));
        assert.deepEqual(decoded.records, records);
        assert.ok(decoded.largestPageBytes <= budgetBytes);
        assert.equal(decoded.source.status ?? null, status);
        assert.equal(decoded.complete, complete);
      }),
      { numRuns: 300 },
    );
  });

  test("any list: remaining strictly falls, only the last page is complete, status is the same everywhere (property)", async () => {
    await fc.assert(
      fc.asyncProperty(source, over, async ({ records, text, members, complete }, more) => {
        const snapshot = openList(text, minimumOf(text) + more);
        const pages = await pagesOf(text, snapshot);
        let before = Number.POSITIVE_INFINITY;
        for (const [position, { page, text: envelope }] of pages.entries()) {
          assert.ok(page.remaining < before);
          before = page.remaining;
          const isLast = position === pages.length - 1;
          assert.deepEqual([page.complete, page.cursor === null], [isLast ? complete : false, isLast]);
          assert.ok(
            envelope.startsWith(
              `{"snapshot":"${idOf(text)}","source":${members},"total":${records.length},"returned":`,
            ),
          );
          assert.equal(page.returned, page.records.length);
          assert.equal(byteLength(envelope), snapshot.pages[position]?.bytes);
        }
        assert.equal(before, 0);
      }),
      { numRuns: 200 },
    );
  });

  test("a record is a reference exactly where it fits no page of its own (property)", async () => {
    await fc.assert(
      fc.asyncProperty(source, over, async ({ records, text, members, complete }, more) => {
        const budgetBytes = minimumOf(text) + more;
        const { pages } = openList(text, budgetBytes);
        const referenced = new Set(pages.flatMap((page) => page.references.map(({ index }) => index)));
        for (const [at, record] of records.entries()) {
          const remaining = records.length - at - 1;
          const alone = envelopeText(
            { snapshot: idOf(text), source: members, total: records.length },
            {
              returned: 1,
              remaining,
              complete: remaining === 0 ? complete : false,
              cursor: remaining === 0 ? null : (`@${at + 2}` as Envelope["cursor"]),
              records: [record],
              references: [],
            },
          );
          assert.equal(referenced.has(at + 1), byteLength(alone) > budgetBytes);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("a page is read again as the same bytes, whatever was read before it, and from its own bytes only (property)", async () => {
    await fc.assert(
      fc.asyncProperty(source, over, fc.infiniteStream(fc.nat()), async ({ text }, more, picks) => {
        const snapshot = openList(text, minimumOf(text) + more);
        const pages = await pagesOf(text, snapshot);
        const bytes = bytesOf(text);
        for (const pick of picks.take(8)) {
          const position = pick % pages.length;
          const entry = snapshot.pages[position];
          let asked = 0;
          const again = await readPage(snapshot, { kind: "page", first: entry?.first ?? 0 }, (from, to) => {
            asked += to - from;
            return bytes(from, to);
          });
          assert.equal(again.kind === "page" ? again.text : again.reason, pages[position]?.text);
          const own = (entry?.runs ?? []).reduce((sum, run) => sum + run.to - run.from, 0);
          assert.equal(asked, own);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("everything in one call, and each record alone: the source's own slices, proved (property)", async () => {
    await fc.assert(
      fc.asyncProperty(source, over, async ({ records, text, members, complete }, more) => {
        const snapshot = openList(text, minimumOf(text) + more);
        const all = await readAll(snapshot, bytesOf(text), hash);
        assert.ok(all.kind === "all");
        assert.deepEqual(all.records, records);
        assert.deepEqual([all.source, all.complete], [members, complete]);
        assert.equal(all.pages, snapshot.pages.length);
        for (const [at, record] of records.entries()) {
          const read = await readRecord(snapshot, at + 1, bytesOf(text), hash);
          assert.equal(read.kind === "record" ? read.text : read.reason, record);
        }
      }),
      { numRuns: 100 },
    );
  });

  const line = fc
    .string({ unit: fc.constantFrom(...'ab"\\\t\u0000\u001b\u007f é中😀\r\ufeff'), maxLength: 300 })
    .map((text) => `${text}x`);

  test("any lines: each comes back letter for letter, with the header on every page (property)", async () => {
    const end = fc.constantFrom("\n", "\r\n", "\n\n \n");
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        end,
        over,
        async (lines, feed, more) => {
          const text = ["header", ...lines].join(feed);
          const hints: Partial<ListHints> = { lines: { headerLines: 1, complete: true } };
          const index = indexList(text, hints);
          assert.ok(index.kind === "list");
          const budgetBytes = minimumOf(text, hints) + more;
          const snapshot = snapshotOf(text, index, { id: idOf(text), budgetBytes, hash });
          assert.ok(snapshot.kind === "snapshot" && !isJson(snapshot.format));
          const decoded = await deliver(snapshot, bytesOf(text));
          const referenced = new Set(
            snapshot.pages.flatMap((page) => page.references.map(({ index: one }) => one)),
          );
          const said = decoded.records.map((record, at) =>
            referenced.has(at + 1) ? record : JSON.parse(record),
          );
          assert.deepEqual(said, lines);
          assert.ok(decoded.largestPageBytes <= budgetBytes);
          assert.equal(decoded.source.header, '"header"');
        },
      ),
      { numRuns: 200 },
    );
  });

  test("JSON Lines: each line's value is a record, its own bytes (property)", async () => {
    const value = fc.oneof(
      fc.dictionary(letters, fc.jsonValue({ maxDepth: 1 })),
      fc.array(fc.jsonValue({ maxDepth: 1 })),
    );
    const values = fc.array(value, { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom("\n", "\r\n", " \n\n\t"), over, async (given, feed, more) => {
        const lines = given.map((one) => JSON.stringify(one));
        const text = lines.join(feed);
        const budgetBytes = minimumOf(text) + more;
        const snapshot = openList(text, budgetBytes);
        assert.equal(snapshot.format, "jsonl");
        const decoded = await deliver(snapshot, bytesOf(text));
        assert.deepEqual(decoded.records, lines);
        assert.ok(decoded.largestPageBytes <= budgetBytes);
      }),
      { numRuns: 200 },
    );
  });

  test("the envelope, byte for byte: several records and several references share a page, in order", async () => {
    const big = `"${"x".repeat(500)}"`;
    const text = `{"status":"ok","records":[1,${big},"é", {"a": 2},${big},3],"next":"p2"}`;
    const snapshot = openList(text, 512);
    const [first, ...rest] = await pagesOf(text, snapshot);
    const reference = (index: number) => `{"index":${index},"bytes":502,"sha256":"${hash(big)}"}`;
    assert.equal(
      first?.text,
      `{"snapshot":"${idOf(text)}","source":{"status":"ok","next":"p2"},"total":6,"returned":4,"remaining":0,"complete":false,"cursor":null,` +
        `"records":[1,"é",{"a": 2},3],"references":[${reference(2)},${reference(5)}]}`,
    );
    assert.deepEqual(rest, []);
  });

  test("a record that fills a page to its last byte stands in it; one byte less of budget, and it is a reference", () => {
    const text = `["${"x".repeat(600)}"]`;
    const alone = openList(text, 4096).pages[0]?.bytes ?? 0;
    assert.deepEqual(openList(text, alone).pages[0]?.references, []);
    assert.equal(openList(text, alone - 1).pages[0]?.references.length, 1);
  });

  test("bytes that are not what was indexed are no page, also where their counts add up", async () => {
    const text = `[111,"${"x".repeat(600)}",2,2]`;
    const snapshot = openList(text, 512);
    assert.deepEqual(
      snapshot.pages.map(({ runs }) => runs.map(({ count }) => count)),
      [[1, 2]],
    );
    const shifted = text.replace("111", "1,1").replace("2,2", "222");
    for (const altered of [shifted, text.replace("2,2", "222")]) {
      const page = await readPage(snapshot, null, bytesOf(altered));
      assert.deepEqual(page, { kind: "refused", reason: "corrupt_page" });
    }
  });

  test("what is left out beside the list is counted, never silently lost", () => {
    const index = indexList('{"note":"twelve bytes","records":[1]}');
    assert.ok(index.kind === "list");
    assert.equal(index.leftOutBytes, 14);
  });

  test("a snapshot reads a source that another process kept: plain data, JSON and back", async () => {
    const text = `[${Array.from({ length: 50 }, (_, id) => `{"id":${id}}`).join(",")}]`;
    const snapshot = openList(text, 400);
    const kept: Snapshot = JSON.parse(JSON.stringify(snapshot));
    assert.deepEqual(await pagesOf(text, kept), await pagesOf(text, snapshot));
  });
});
