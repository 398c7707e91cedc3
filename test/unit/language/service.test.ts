/** The policy language, without a protocol. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { diagnose, hover, type ServiceOptions } from "../../../src/language/service";
import { artifactWith, contractWith } from "../../support/thimble";

const ALONE: ServiceOptions = { schemaCheckedElsewhere: false };
const BESIDE_JSON: ServiceOptions = { schemaCheckedElsewhere: true };

/** Diagnostics as pictures: `line:character-line:character severity code`. */
function pictures(text: string, options = ALONE): string[] {
  return diagnose(text, options).map(({ range: { start, end }, severity, code }) => {
    return `${start.line}:${start.character}-${end.line}:${end.character} ${severity} ${code}`;
  });
}

const lines = (eol: string, ...contracts: object[]): string =>
  JSON.stringify(artifactWith(contracts.map(contractWith)), null, 1).replaceAll("\n", eol);

suite("language/service", () => {
  test("a ceiling above the range and a duplicate contract are told with their ranges", () => {
    assert.deepEqual(pictures(lines("\n", {}, { maximum: 20, range: { maximum: 15 } })), [
      "19:15-19:23 1 duplicate_contract",
      "21:14-21:16 1 ceiling_above_range",
    ]);
  });

  test("lines end at LF, CRLF and CR alike", () => {
    const expected = pictures(lines("\n", {}, {}));
    assert.deepEqual(pictures(lines("\r\n", {}, {})), expected);
    assert.deepEqual(pictures(lines("\r", {}, {})), expected);
  });

  test("beside a JSON language service nothing is said twice", () => {
    const wrong = lines("\n", {}).replace('"enforce"', '"strict"');
    assert.deepEqual(pictures(wrong).length, 1);
    assert.deepEqual(pictures(wrong, BESIDE_JSON), []);
    assert.deepEqual(pictures("{", BESIDE_JSON), []);
    assert.equal(pictures(lines("\n", {}, {}), BESIDE_JSON).length, 1);
  });

  test("a contract that may not act is a warning or information, not an error", () => {
    assert.match(pictures(lines("\n", { safe_to_reduce: false }))[0] ?? "", / 2 not_safe_to_reduce$/);
    assert.match(pictures(lines("\n", { read_only: undefined }))[0] ?? "", / 3 not_known_read_only$/);
  });

  test("any text is diagnosed without a throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.ok(diagnose(text, ALONE).length > 0);
        assert.equal(hover(text, { line: 0, character: 0 }), null);
      }),
    );
    assert.deepEqual(pictures(""), ["0:0-0:0 1 syntax"]);
  });

  test("over a contract the hover says what it will do, elsewhere nothing", () => {
    const text = lines("\n", { mode: "observe" }, { tool: "list", maximum: undefined });
    assert.match(
      hover(text, { line: 9, character: 5 })?.text ?? "",
      /^\/limit of search above 10 would be lowered\. Mode at most observe/,
    );
    assert.match(
      hover(text, { line: 19, character: 5 })?.text ?? "",
      /of list above 10 \(default_budget\) is lowered/,
    );
    assert.equal(hover(text, { line: 1, character: 2 }), null);
    assert.equal(hover(text, { line: 999, character: 2 }), null);
    assert.equal(hover(lines("\n", {}, {}), { line: 9, character: 5 }), null);
    const never = hover(lines("\n", { safe_to_reduce: false }), { line: 9, character: 5 });
    assert.match(never?.text ?? "", /never acts/);
  });
});
