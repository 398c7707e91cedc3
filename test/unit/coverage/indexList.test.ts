/** What is a list, and where its records lie, against public suites and by example. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { indexList } from "../../../src/coverage/indexList";
import { bytesOf } from "../../../src/coverage/readList";
import { RecordTable } from "../../../src/coverage/recordTable";
import { Scanner, Unexpected, type Visitor } from "../../../src/coverage/scan";
import type { ListHints } from "../../../src/schema/coverage";
import { sharedTest } from "../../support/sharedData";

const PARSING = "suites/JSONTestSuite/test_parsing";
const NOTHING: Visitor = { depth: -1, name() {}, element() {}, open() {}, close() {} };

function accepts(text: string): boolean {
  try {
    const scanner = new Scanner(text);
    scanner.skipBlanks();
    scanner.value(NOTHING);
    scanner.skipBlanks();
    return scanner.at === text.length;
  } catch (error) {
    if (error instanceof Unexpected) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The records, each cut out by its code units; the bytes must say the same. */
function recordsOf(text: string, hints?: Partial<ListHints>): string[] | string {
  const index = indexList(text, hints);
  if (index.kind === "text") return index.reason;
  const bytes = bytesOf(text);
  return [...index.records].map(({ start, end, startByte, endByte }) => {
    const slice = text.slice(start, end);
    assert.equal(decoder.decode(bytes(startByte, endByte) as Uint8Array), slice);
    return slice;
  });
}

/** Format, records, source members and completeness, as a picture. */
function check(text: string, expected: string, hints?: Partial<ListHints>): void {
  const index = indexList(text, hints);
  if (index.kind === "text") {
    assert.equal(index.reason, expected, JSON.stringify(text).slice(0, 80));
    return;
  }
  const records = (recordsOf(text, hints) as string[]).map((one) => JSON.stringify(one).slice(1, -1));
  const source = index.source.map(({ key, text: value }) => `${key}:${value}`).join(",");
  const left = index.leftOutBytes > 0 ? ` left out ${index.leftOutBytes}` : "";
  const picture = `${index.format} ${records.length}: ${records.join(" | ")} {${source}} ${index.complete}${left}`;
  assert.equal(picture, expected, JSON.stringify(text));
}

suite("coverage/indexList", () => {
  sharedTest("every file of JSONTestSuite is accepted or refused as its name says", [PARSING], (folder) => {
    const wrong = readdirSync(folder).filter((name) => {
      const accepted = accepts(readFileSync(join(folder, name), "utf8"));
      return name.startsWith("y_") ? !accepted : name.startsWith("n_") && accepted;
    });
    assert.deepEqual(wrong, []);
    assert.ok(readdirSync(folder).length > 300);
  });

  sharedTest("every file of JSONTestSuite is judged as JSON.parse judges it", [PARSING], (folder) => {
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      if (/^n_structure_(100000|open_array_object)/.test(name)) continue; // JSON.parse may overflow the stack
      assert.equal(accepts(text), parses(text), name);
    }
  });

  sharedTest("every array of JSONTestSuite has the elements that JSON.parse finds", [PARSING], (folder) => {
    let lists = 0;
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      if (!/^[yi]_/.test(name) || !parses(text)) continue;
      const value: unknown = JSON.parse(text);
      if (!Array.isArray(value)) continue;
      lists++;
      const records = recordsOf(text);
      assert.ok(Array.isArray(records), name);
      assert.deepEqual(
        records.map((record) => JSON.parse(record)),
        value,
        name,
      );
    }
    assert.ok(lists > 80);
  });

  sharedTest(
    "the lists of the other suites: every element is its own bytes",
    ["suites/json-patch-tests/tests.json", "suites/json-patch-tests/spec_tests.json", "suites/rfc8785/input"],
    (...paths) => {
      const files = [...paths.slice(0, 2), ...["arrays.json"].map((name) => join(paths[2] ?? "", name))];
      for (const file of files) {
        const text = readFileSync(file, "utf8");
        const records = recordsOf(text);
        assert.ok(Array.isArray(records), file);
        assert.deepEqual(
          records.map((record) => JSON.parse(record)),
          JSON.parse(text),
        );
      }
    },
  );

  sharedTest(
    "RFC 6901 section 5: a pointer finds its array, or says that it is none",
    ["suites/rfc6901-section5.json"],
    (file) => {
      const suite = JSON.parse(readFileSync(file, "utf8"));
      const text = JSON.stringify(suite.document, null, 1);
      for (const [pointer, value] of Object.entries(suite.pointers)) {
        const expected = Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : "not_an_array";
        assert.deepEqual(recordsOf(text, { pointer }), expected, pointer);
      }
      assert.equal(recordsOf(text, { pointer: "/nothing" }), "pointer_missing");
    },
  );

  test("JSON: the root, a pointer's array, or the one array of an object", () => {
    check(' [1, "a" ,{"b":[2,3]}]\n', 'json 3: 1 | \\"a\\" | {\\"b\\":[2,3]} {} true');
    check('{"a":{"b":[1]},"c":[2,3]}', "json 2: 2 | 3 {} true left out 9");
    check('{"a":{"b":[1]},"c":[2,3]}', "json 1: 1 {} true left out 5", { pointer: "/a/b" });
    check("[[1],[2,[3]]]", "json 2: 2 | [3] {} true left out 3", { pointer: "/1" });
    check("[[1]]", "json 1: [1] {} true", { pointer: "" });
    check('{"a~/b":[1]}', "json 1: 1 {} true", { pointer: "/a~0~1b" });
    check('{"\\u0061":[1]}', "json 1: 1 {} true", { pointer: "/a" });
    check('{"a":[],"b":1}', "json 0:  {} true left out 1");
    check("[]", "json 0:  {} true");
  });

  test("what can be read in two ways, or is no list, is a text", () => {
    check('{"a":[1],"b":[2]}', "ambiguous");
    check('{"a":[1],"a":[2]}', "ambiguous");
    check('{"a":[1],"a":2}', "ambiguous", { pointer: "/a" });
    check('{"a":2,"\\u0061":[1]}', "ambiguous", { pointer: "/a" });
    check('{"status":1,"a":[1],"stat\\u0075s":2}', "ambiguous");
    check('{"a":1}', "not_a_list");
    check('{"a":{"b":[1]}}', "not_a_list");
    check('{"a":1}', "not_an_array", { pointer: "/a" });
    check('{"a":{"b":1}}', "pointer_missing", { pointer: "/a/c" });
    check('{"a":"x"}', "pointer_missing", { pointer: "/a/b" });
    check(`{"content":"${"x".repeat(2000)}","tags":["y"]}`, "too_much_beside");
    for (const text of ["[1,]", "[1", "[1]]", "{", '["\t"]', "[01]", "[1] [2]", "{'a':[1]}", '["\\x"]']) {
      check(text, "malformed");
    }
    check(`${"[".repeat(10_002)}${"]".repeat(10_002)}`, "too_deep");
    check('["\ud800"]', "not_utf8");
    for (const text of ["", " \n", "word", "true", "one line\nanother, longer one\n", "1\n2\n"]) {
      check(text, "not_a_list");
    }
  });

  test("status, total, cursor and next page are the source's own bytes, in its order; absence is not the empty text", () => {
    check(
      '{"status":"ok","a":[1],"total":9223372036854775807}',
      'json 1: 1 {"status":"ok","total":9223372036854775807} false',
    );
    check('{"next_cursor" : "" ,"a":[1]}', 'json 1: 1 {"next_cursor":""} false');
    check('{"next_cursor":null,"a":[1]}', 'json 1: 1 {"next_cursor":null} true');
    check('{"a":[1],"has_more":false,"cursor":"x"}', 'json 1: 1 {"has_more":false,"cursor":"x"} true');
    check('{"a":[1],"has_more":true}', 'json 1: 1 {"has_more":true} false');
    check('{"a":[1],"has_more":true,"isLast":true}', 'json 1: 1 {"has_more":true,"isLast":true} unknown');
    check(
      '{"a":[1],"incomplete_results":false,"next":"u"}',
      'json 1: 1 {"incomplete_results":false,"next":"u"} false',
    );
    check('{"total_count":1,"a":[1]}', 'json 1: 1 {"total_count":1} true');
    check(
      '{"pageInfo":{"hasNextPage":true, "endCursor":"Y"},"a":[1]}',
      'json 1: 1 {"pageInfo":{"hasNextPage":true, "endCursor":"Y"}} false',
    );
    check(
      '{"status":"a","data":{"status":"b","items":[1]}}',
      'json 1: 1 {"status":"a","/data/status":"b"} true',
      { pointer: "/data/items" },
    );
    check(`{"next":"${"n".repeat(600)}","a":[1]}`, "json 1: 1 {} true left out 602");
  });

  test("JSON Lines: a value on each line, blank lines and line ends belong to none", () => {
    check('{"a":1}\n{"b":2}\n', 'jsonl 2: {\\"a\\":1} | {\\"b\\":2} {} true');
    check('\ufeff{"a":"é"}\r\n\r\n  [2]  \r\n', 'jsonl 2: {\\"a\\":\\"é\\"} | [2] {} true');
    check('{"a":1}\n{"b":2', "malformed");
    check('{"a":1}\n2\n', "malformed");
    check('{\n"a":1}\n{"b":2}', "malformed");
    check('{"a":1} {"b":2}\n{"c":3}', "malformed");
  });

  test("matches and paths: each line is a record", () => {
    check("src/a.ts:3: x\nsrc/b.ts:14:y: z\n", "lines 2: src/a.ts:3: x | src/b.ts:14:y: z {} true");
    check("C:\\a.ts:3:x\r\nb.ts-4-y", "lines 2: C:\\\\a.ts:3:x | b.ts-4-y {} true");
    check("src/a.ts\n./b\nREADME.md\n", "lines 3: src/a.ts | ./b | README.md {} true");
    check("src/a.ts\nand/or this\n", "not_a_list");
    check("src/a.ts\n", "not_a_list");
  });

  test("a tool that says so: its header stays with every page, each line behind it is a record", () => {
    const lines = { headerLines: 1, complete: false } as const;
    check(
      "[Files 1–2 of 9.]\n[a] b\n\u0000é \n",
      'lines 2: [a] b | \\u0000é  {"header":"[Files 1–2 of 9.]"} false',
      { lines },
    );
    check("[Files 0 of 0; complete.]", 'lines 0:  {"header":"[Files 0 of 0; complete.]"} false', { lines });
  });

  test("tables: header kept, rows are records", () => {
    check("| a | b |\n|---|:-:|\n| 1 | 2 |\n", 'table 1: | 1 | 2 | {"header":"| a | b |\\n|---|:-:|"} true');
    check("a\tb\n1\t2\n3\t4", 'table 2: 1\\t2 | 3\\t4 {"header":"a\\tb"} true');
    check('a,b,c\n1,"x, y",2\n3,4,5', 'table 2: 1,\\"x, y\\",2 | 3,4,5 {"header":"a,b,c"} true');
    check('a,b,c\n1,"x\ny",2\n3,4,5', "not_a_list");
    check(
      "NAME   READY   STATUS\npod-a  1/1     Running\n",
      'table 1: pod-a  1/1     Running {"header":"NAME   READY   STATUS"} true',
    );
    check("a, b, c\nd, e\nf, g, h\n", "not_a_list");
  });

  test("a byte order mark belongs to no record; CRLF, NUL escapes and every kind of letter keep their bytes", () => {
    check('\ufeff["é",\r\n "中😀" ,"\\u0000"]\r\n', 'json 3: \\"é\\" | \\"中😀\\" | \\"\\\\u0000\\" {} true');
    check("\ufeffa/b\r\nc/é\r\n", "lines 2: a/b | c/é {} true");
  });

  test("hostile text takes time in proportion to its length: each of these would take years otherwise", () => {
    check(`${"A  ".repeat(133)}!\nb\n`, "not_a_list");
    check(`| a |\n|${"-".repeat(2_000_000)}x\n| b |\n`, "not_a_list");
    check(`a${"-1x".repeat(700_000)}\nb\n`, "not_a_list");
    check(`${".a".repeat(1_000_000)} \nb\n`, "not_a_list");
    check('{"":'.repeat(500_000), "too_deep");
    check(`${'{"a":1}\n'.repeat(100_000)}x`, "malformed");
    check(`[${" ".repeat(4_000_000)}`, "malformed");
  });

  test("any JSON value with any blanks: an array is a list of its elements, and nothing else is (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const records = recordsOf(text, { pointer: "" });
        if (!Array.isArray(value)) return assert.equal(typeof records, "string");
        assert.ok(Array.isArray(records));
        assert.deepEqual(
          records.map((record) => JSON.parse(record)),
          value.map((one) => JSON.parse(JSON.stringify(one))),
        );
      }),
    );
  });

  test("one character changed anywhere: a list exactly where JSON.parse reads an array (property)", () => {
    const text = '{"status":"ok","records":[{"id":1,"t":"\\u00e9"},[2.5e3],"x",null],"total":4}';
    const units = fc.constantFrom(...'{}[],:"\\0e.- \n\u0001éx');
    fc.assert(
      fc.property(fc.nat(text.length), units, fc.nat(1), (at, unit, cut) => {
        const changed = text.slice(0, at) + unit + text.slice(at + cut);
        const index = indexList(changed, { pointer: "/records" });
        if (index.kind === "text" && index.reason === "ambiguous") return;
        const value = parses(changed) ? JSON.parse(changed) : null;
        const isList = Array.isArray(value?.records);
        assert.equal(index.kind === "list", isList, changed);
        if (index.kind === "list") assert.equal(index.records.count, value.records.length);
      }),
      { numRuns: 2000 },
    );
  });

  test("a table of records gives back what was added, in no more bytes than the list has (property)", () => {
    const record = fc.record({
      gap: fc.nat(300),
      units: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 3_000_000 })),
      extra: fc.nat(200),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 400 }), (records) => {
        const table = new RecordTable();
        let at = 7;
        let byte = 9;
        const spans = records.map(({ gap, units, extra }) => {
          const start = at + 1 + gap;
          const startByte = byte + 1 + gap;
          at = start + units;
          byte = startByte + units + extra;
          return { start, end: at, startByte, endByte: byte };
        });
        for (const span of spans) table.add(span);
        assert.deepEqual([...table], spans);
      }),
    );
    const ones = indexList(`[${"1,".repeat(200_000)}1]`);
    assert.ok(ones.kind === "list" && ones.records.count === 200_001);
    assert.ok(ones.records.tableBytes <= 400_003 + 65_536);
  });
});
