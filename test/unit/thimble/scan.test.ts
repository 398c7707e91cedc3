/** The scanner against public suites: what is JSON, and what a pointer names. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { pathOf, scan } from "../../../src/thimble/scan";
import { sharedTest } from "../../support/sharedData";

const PARSING = "suites/JSONTestSuite/test_parsing";

/** What a pointer finds, as a picture: the token's text, or why there is none. */
function at(text: string, pointer: string): string {
  const scanned = scan(text, [pathOf(pointer)]);
  if (scanned.kind === "invalid") return `invalid at ${scanned.offset}: expected ${scanned.expected}`;
  const [found] = scanned.found;
  return found?.kind === "token" ? text.slice(found.token.start, found.token.end) : `(${found?.kind})`;
}

const accepts = (text: string): boolean => scan(text, []).kind === "valid";

suite("thimble/scan", () => {
  // Files that are not UTF-8 are read with U+FFFD in place of what cannot be decoded: arguments reach us as text.
  sharedTest(
    "every file of JSONTestSuite is accepted, refused or survived as its name says",
    [PARSING],
    (folder) => {
      const wrong = readdirSync(folder).filter((name) => {
        const accepted = accepts(readFileSync(join(folder, name), "utf8"));
        return name.startsWith("y_") ? !accepted : name.startsWith("n_") && accepted;
      });
      assert.deepEqual(wrong, []);
      assert.ok(readdirSync(folder).length > 300);
    },
  );

  sharedTest("every file of JSONTestSuite is judged as JSON.parse judges it", [PARSING], (folder) => {
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      if (/^n_structure_(100000|open_array_object)/.test(name)) continue; // JSON.parse may overflow the stack
      assert.equal(accepts(text), parses(text), name);
    }
  });

  sharedTest(
    "RFC 6901 section 5: every pointer finds its value",
    ["suites/rfc6901-section5.json"],
    (file) => {
      const suite = JSON.parse(readFileSync(file, "utf8"));
      const text = JSON.stringify(suite.document, null, 1);
      for (const [pointer, value] of Object.entries(suite.pointers)) {
        const expected = pointer === "" ? suite.document : value;
        assert.deepEqual(JSON.parse(at(text, pointer)), expected, pointer);
      }
    },
  );

  test("any JSON value is accepted, and every pointer into it finds what JSON.parse finds", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const [pointer, expected] of pointersIn(value)) {
          assert.deepEqual(JSON.parse(at(text, pointer)), JSON.parse(JSON.stringify(expected)), pointer);
        }
      }),
    );
  });

  test("any damage to a JSON text is judged as JSON.parse judges it", () => {
    const damage = fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "0",
      "-",
      ".",
      "e",
      "\u0001",
      "\ufeff",
      "t",
    );
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        fc.nat(3),
        damage,
        (value, where, length, inserted) => {
          const text = JSON.stringify(value);
          const offset = where % (text.length + 1);
          const damaged = text.slice(0, offset) + inserted + text.slice(offset + length);
          assert.equal(accepts(damaged), parses(damaged), damaged);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("100 000 nested arrays and objects are read without the stack", () => {
    assert.equal(accepts("[".repeat(100_000) + "]".repeat(100_000)), true);
    assert.equal(accepts(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`), true);
    assert.equal(accepts("[".repeat(100_000)), false);
  });

  test("nested pointers, escapes in pointers and in names, array elements", () => {
    const text = String.raw`{"o":{"per_page":1},"a/b":2,"m~n":3,"q":[{"limit":4},5],"\u006cimit":6,"":7,"~1":8}`;
    const found = ["/o/per_page", "/a~1b", "/m~0n", "/q/0/limit", "/q/1", "/limit", "/", "/~01"].map((p) =>
      at(text, p),
    );
    assert.deepEqual(found, ["1", "2", "3", "4", "5", "6", "7", "8"]);
    const missing = ["/x", "/o/x", "/q/01", "/q/-", "/q/2", "/q/1/0", "/o/per_page/0"].map((p) =>
      at(text, p),
    );
    assert.deepEqual(new Set(missing), new Set(["(missing)"]));
  });

  test("a name that occurs twice on the pointer's path is ambiguous, elsewhere it is not", () => {
    assert.equal(at('{"limit":5,"limit":500}', "/limit"), "(ambiguous)");
    assert.equal(at(String.raw`{"limit":5,"l\u0069mit":500}`, "/limit"), "(ambiguous)");
    assert.equal(at('{"o":{"limit":5},"o":{}}', "/o/limit"), "(ambiguous)");
    assert.equal(at('{"o":1,"o":{"limit":5}}', "/o/limit"), "(ambiguous)");
    assert.equal(at('{"x":1,"x":2,"limit":5}', "/limit"), "5");
    assert.equal(at('[{"limit":5},{"limit":6}]', "/1/limit"), "6");
    assert.equal(at('{"o":{"limit":5},"p":{"limit":6,"limit":7}}', "/o/limit"), "5");
  });

  test("several pointers are found in one pass, containers whole", () => {
    const text = '{ "a": [1, {"b": 2}], "c": {} }';
    const scanned = scan(text, ["", "/a", "/a/1", "/a/1/b", "/c", "/d"].map(pathOf));
    assert.equal(scanned.kind, "valid");
    const seen = scanned.kind === "valid" ? scanned.found : [];
    const slices = seen.map((f) =>
      f.kind === "token" ? `${f.token.kind} ${text.slice(f.token.start, f.token.end)}` : f.kind,
    );
    assert.deepEqual(slices, [
      `object ${text}`,
      'array [1, {"b": 2}]',
      'object {"b": 2}',
      "number 2",
      "object {}",
      "missing",
    ]);
  });

  test("a fault is told with its place and what was expected", () => {
    assert.equal(at('{"limit":', "/limit"), "invalid at 9: expected a JSON value, not the end of the text");
    assert.equal(at('{"limit":999}}', "/limit"), "invalid at 13: expected nothing after the value");
    assert.equal(at('\ufeff{"limit":999}', "/limit"), "invalid at 0: expected a JSON value");
    assert.equal(at('{"limit":1,}', "/limit"), "invalid at 11: expected a property name in double quotes");
    assert.equal(at("[01]", ""), "invalid at 2: expected a comma or ]");
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function* pointersIn(value: unknown, pointer = ""): Generator<[string, unknown]> {
  yield [pointer, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* pointersIn(member, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}
