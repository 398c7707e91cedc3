/** CONFORMANCE §5, Response side: the first whole records, as the source's own bytes; ambiguity leaves the result as it is. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { estimatedTokens } from "../../../src/history/tokens";
import type { ProjectionReason } from "../../../src/schema/branch";
import { byteLength, charLength } from "../../../src/schema/text";
import type { TokenCounter } from "../../../src/schema/tokens";
import { type ProjectionBounds, project, recordsAt } from "../../../src/thimble/project";
import { pathOf, scan } from "../../../src/thimble/scan";
import { countOf, membersOf, partsOf, type Slice } from "../../../src/thimble/slices";

const FREE: ProjectionBounds = { items: null, bytes: null, chars: null, tokens: null };
/** Texts are more tokens together than they are one by one: no counter is trusted to add up. */
const growing: TokenCounter = { name: "growing", count: (text) => Math.floor(text.length ** 2 / 1000) };
const at = (items: string, cursor: string | null = null) => ({ items, cursor });

/** `text`, and how much of the source it says that it has. */
function picture(
  content: string,
  where: { items: string | null; cursor: string | null },
  bounds = FREE,
): string {
  const found = project(content, where, bounds);
  if (found.kind === "passed") return found.reason;
  const { records, totalRecords, copied, leftOut } = found.records;
  return `${found.text} | ${records}/${totalRecords}, ${copied.join(" ") || "nothing"} copied, ${leftOut} left out`;
}

suite("thimble/project", () => {
  test("whole records and what stands beside them, byte for byte; the key says which of how many", () => {
    const source =
      '{ "total_count" : 12345678901234567890, "incomplete":false,\n"items":[ {"id": 1.50} , {"id":2},{"id":3}], "next":"a\\u0062=" }';
    assert.equal(
      picture(source, at("/items"), { ...FREE, items: 2 }),
      '{"/total_count":12345678901234567890,"/incomplete":false,"/next":"a\\u0062=","/items (first 2 of 3)":[{"id": 1.50},{"id":2}]} | 2/3, /total_count /incomplete /next copied, 0 left out',
    );
  });

  test("completeness is copied from every object around the records, a cursor that the contract names whatever its length", () => {
    const cursor = "c".repeat(2000);
    const source = `{"data":{"search":{"nodes":[1,2,3],"pageInfo":{"endCursor":"${cursor}"},"count":3}},"big":"${"x".repeat(300)}"}`;
    assert.equal(
      picture(source, at("/data/search/nodes", "/data/search/pageInfo/endCursor"), { ...FREE, items: 1 }),
      `{"/data/search/pageInfo/endCursor":"${cursor}","/data/search/count":3,"/data/search/nodes (first 1 of 3)":[1]} | 1/3, /data/search/pageInfo/endCursor /data/search/count copied, 2 left out`,
    );
  });

  test("numbers and literals come before texts, texts before the rest; what finds no room is counted", () => {
    const texts = Array.from({ length: 8 }, (_, i) => `"t${i}":"${"x".repeat(198)}"`).join(",");
    const found = project(`{${texts},"deep":{"a":1},"rows":[1,2],"total":2,"more":true}`, at("/rows"), FREE);
    assert.ok(found.kind === "projected");
    assert.deepEqual(found.records.copied, ["/t0", "/t1", "/t2", "/t3", "/t4", "/deep", "/total", "/more"]);
    assert.equal(found.records.copied.length + found.records.leftOut, 11);
  });

  const AMBIGUOUS: readonly (readonly [
    source: string,
    items: string | null,
    cursor: string | null,
    ProjectionReason,
  ])[] = [
    ['{"items":[1,2]}', null, null, "no_pointer"],
    ["items: 1, 2", "/items", null, "not_json"],
    ['{"items":[1,2]} trailing', "/items", null, "not_json"],
    ['\ufeff{"items":[1,2]}', "/items", null, "not_json"],
    ['{"items":[1,2],"items":[3]}', "/items", null, "ambiguous"],
    ['{"items":[1,2],"it\\u0065ms":[3]}', "/items", null, "ambiguous"],
    ['{"data":{"items":[1]},"data":{"items":[2]}}', "/data/items", null, "ambiguous"],
    ['{"items":[1],"total":1,"total":2}', "/items", null, "ambiguous"], // which total?
    ['{"items":[1],"page":{"next":"a","next":"b"}}', "/items", "/page/next", "ambiguous"],
    ['{"rows":[1,2]}', "/items", null, "pointer_missing"],
    ["[1,2]", "/items", null, "pointer_missing"],
    ['{"items":{"0":1}}', "/items", null, "not_an_array"],
    ['{"items":"[1,2]"}', "/items", null, "not_an_array"],
    ['{"items":null}', "/items", null, "not_an_array"],
    ['{"items":[]}', "/items", null, "no_record_fits"],
    [`{"items":["${"x".repeat(500)}"]}`, "/items", null, "no_record_fits"],
  ];
  for (const [source, items, cursor, reason] of AMBIGUOUS) {
    test(`doubt leaves the result as it is: ${reason} for ${source.slice(0, 50)}`, () => {
      assert.equal(
        picture(source, { items, cursor }, { ...FREE, items: 10, bytes: 400, chars: 400 }),
        reason,
      );
    });
  }

  const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" });
  const name = fc.constantFrom("a", "b", "total", "next/cursor", "til~de", "né", "", "__proto__");
  const sources = fc.record({
    rows: fc.array(json, { maxLength: 12 }),
    around: fc.uniqueArray(fc.tuple(name, json), { selector: ([key]) => key, maxLength: 5 }),
    space: fc.constantFrom(0, 1, "\t"),
    last: fc.boolean(),
  });

  test("any records: those kept are byte slices of the source, the first ones, within the bounds; the same each time (property)", () => {
    const bounds = fc.record({
      items: fc.option(fc.nat(8)),
      bytes: fc.option(fc.nat(400)),
      chars: fc.option(fc.nat(400)),
      tokens: fc.option(
        fc.record({ maximum: fc.nat(200), counter: fc.constantFrom(estimatedTokens, growing) }),
      ),
    });
    fc.assert(
      fc.property(sources, bounds, ({ rows, around, space, last }, limits) => {
        const others = around.map(
          ([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value, null, space)}`,
        );
        const list = `"rows": ${JSON.stringify(rows, null, space)}`;
        const source = `{${(last ? [...others, list] : [list, ...others]).join(" ,")}}`;
        const found = project(source, at("/rows"), limits);
        assert.deepEqual(project(source, at("/rows"), limits), found);
        assert.equal(recordsAt(source, "/rows"), rows.length);
        if (found.kind === "passed") return assert.equal(found.reason, "no_record_fits");
        const { records, totalRecords, copied, leftOut, bytes } = found.records;
        assert.deepEqual(
          [totalRecords, copied.length + leftOut, bytes],
          [rows.length, around.length, byteLength(found.text)],
        );
        assert.ok(limits.items === null || records <= limits.items);
        assert.ok(limits.bytes === null || bytes <= limits.bytes);
        assert.ok(limits.chars === null || charLength(found.text) <= limits.chars);
        const { maximum, counter } = limits.tokens ?? { maximum: 0, counter: { count: () => 0 } };
        assert.ok(counter.count(found.text) <= maximum);
        const shown = scan(found.text, [[]]);
        const outer =
          shown.kind === "valid" && shown.found[0]?.kind === "token" ? shown.found[0].token : assert.fail();
        const members = [...membersOf(found.text, outer)];
        assert.equal(members.at(-1)?.name, `/rows (first ${records} of ${rows.length})`);
        for (const [i, { name: pointer, value }] of members.entries()) {
          const slice = found.text.slice(value.start, value.end);
          if (i < members.length - 1) assert.equal(slice, sliceAt(source, pointer));
          else {
            const parts: Slice[] = [...partsOf(found.text, { kind: "array", ...value })];
            assert.equal(parts.length, records);
            parts.forEach((part, n) => {
              assert.equal(found.text.slice(part.start, part.end), sliceAt(source, `/rows/${n}`));
            });
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  test("a bound is the last size that is let pass: at every size there is, in bytes and in chars", () => {
    const source = JSON.stringify({
      total: 12,
      rows: Array.from({ length: 12 }, (_, id) => `é🌊${"x".repeat(id)}`),
    });
    const all = project(source, at("/rows"), FREE);
    assert.ok(all.kind === "projected");
    for (let bound = 0; bound <= all.records.bytes + 2; bound++) {
      for (const [bounds, sizeOf] of [
        [{ ...FREE, bytes: bound }, byteLength],
        [{ ...FREE, chars: bound }, charLength],
      ] as const) {
        const found = project(source, at("/rows"), bounds);
        if (found.kind === "projected") assert.ok(sizeOf(found.text) <= bound, `${bound}`);
      }
    }
    const whole = project(source, at("/rows"), { ...FREE, bytes: all.records.bytes + 1 });
    assert.equal(whole.kind === "projected" && whole.records.records, 12);
  });

  test("one record more than is shown would not have fitted (property)", () => {
    fc.assert(
      fc.property(
        fc.array(json, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 30, max: 300 }),
        (rows, bytes) => {
          const source = JSON.stringify({ rows });
          const found = project(source, at("/rows"), { ...FREE, bytes });
          const shown = found.kind === "projected" ? found.records.records : 0;
          if (shown === rows.length) return;
          const next = project(source, at("/rows"), { ...FREE, items: shown + 1 });
          assert.ok(next.kind === "projected" && next.records.bytes + 3 > bytes); // a comma, and longer numbers in the key
        },
      ),
    );
  });

  test("parts and members are found whatever the strings hold", () => {
    const text = '[ "a,b" , {"x":"]}","y":[1,[2]]} ,[],{} ,"\\"" , -1.5e3 ]';
    const parts = [...partsOf(text, { kind: "array", start: 0, end: text.length })];
    assert.deepEqual(
      parts.map(({ start, end }) => text.slice(start, end)),
      ['"a,b"', '{"x":"]}","y":[1,[2]]}', "[]", "{}", '"\\""', "-1.5e3"],
    );
    assert.equal(countOf(partsOf("[ ]", { kind: "array", start: 0, end: 3 })), 0);
  });

  test("100 000 records are projected in less than two seconds", () => {
    const source = JSON.stringify({
      rows: Array.from({ length: 100_000 }, (_, id) => ({ id, text: "x".repeat(80) })),
      total: 1e5,
    });
    const started = performance.now();
    const found = project(source, at("/rows"), { items: 10, bytes: 65_536, chars: 4096, tokens: null });
    assert.ok(
      found.kind === "projected" && found.records.records === 10 && found.records.totalRecords === 100_000,
    );
    assert.ok(performance.now() - started < 2000);
  });
});

function sliceAt(source: string, pointer: string): string {
  const scanned = scan(source, [pathOf(pointer)]);
  const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
  return found?.kind === "token" ? source.slice(found.token.start, found.token.end) : assert.fail(pointer);
}
