/** CONFORMANCE §1 Head and its head line: where text is cut, and where it never is. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { headOf, isCut, safeCut, tailOf } from "../../../src/claims/cut";
import { charLength, indexOfChar } from "../../../src/schema/text";
import { unbreakableText, wholeSequences } from "../../support/texts";

const HEAD = 512;

/** Name, content, head as chars and as how it ends. */
function check(cases: [string, string, number, string][], chars = HEAD): void {
  for (const [name, content, expected, ending] of cases) {
    const head = headOf(content, chars);
    assert.equal(charLength(head), expected, name);
    assert.ok(head.endsWith(ending), `${name}: ends in ${JSON.stringify(head.slice(-20))}`);
    assert.ok(content.startsWith(head), `${name}: is the content's own start`);
  }
}

test("C2 text without any boundary is cut hard, at the limit", () => {
  check([["x", "x".repeat(6000), 512, "x"]]);
});

test("C4 boundaries in the first half do not count", () => {
  const content = `first line\nsecond line\n${"z".repeat(6000)}`;
  assert.equal(headOf(content, HEAD), `first line\nsecond line\n${"z".repeat(489)}`);
});

test("C5 a sentence's full stop stays", () => {
  const sentence = `${"a".repeat(399)}.`;
  check([
    ["at 400", `${sentence} ${"b".repeat(6000)}`, 400, "a."],
    ["with its bracket", `${"a".repeat(398)}.) ${"b".repeat(6000)}`, 400, "a.)"],
    ["at the limit itself", `${"a".repeat(511)}. ${"b".repeat(6000)}`, 512, "a."],
    ["one char past it: hard", `${"a".repeat(512)}. ${"b".repeat(6000)}`, 512, "a"],
    ["a decimal point is none", `${"a".repeat(399)}.5${"b".repeat(6000)}`, 512, "b"],
    ["the last of several", `${"a".repeat(300)}. ${"b".repeat(100)}! ${"c".repeat(6000)}`, 403, "b!"],
    ["in another script", `${"文".repeat(400)}。 ${"b".repeat(6000)}`, 401, "。"],
  ]);
});

test("§1 a head ends after the last newline past half of it, else before the last white space", () => {
  check([
    ["newline", `${"a".repeat(300)}\n${"b".repeat(6000)}`, 301, "a\n"],
    ["blank line", `${"a".repeat(300)}\n\n${"b".repeat(6000)}`, 302, "\n\n"],
    ["CRLF stays whole", `${"a".repeat(300)}\r\n${"b".repeat(6000)}`, 302, "a\r\n"],
    ["CRLF across the limit", `${"a".repeat(511)}\r\n${"b".repeat(6000)}`, 511, "a"],
    ["word", `${"a".repeat(400)} ${"b".repeat(6000)}`, 400, "a"],
    ["word before the half is none", `${"a".repeat(200)} ${"b".repeat(6000)}`, 512, "b"],
    ["a newline at the half is past it only by itself", `${"a".repeat(256)}\n${"b".repeat(6000)}`, 257, "\n"],
  ]);
});

test("§1 a head of JSON does not parse", () => {
  const lines = `${JSON.stringify({ a: "x".repeat(400) })}\n`.repeat(20);
  const head = headOf(lines, HEAD);
  assert.throws(() => JSON.parse(head), SyntaxError);
  assert.ok(lines.startsWith(head));
  for (const content of [`[1]\n${" ".repeat(6000)}`, `{"a":1}${" ".repeat(6000)}`])
    assert.throws(() => JSON.parse(headOf(content, 8)), SyntaxError);
});

test("B3 a tail starts after the first newline in its first half, else where it may", () => {
  const cases: [string, string, number, string][] = [
    ["whole", "abc", 10, "abc"],
    ["newline", `${"a".repeat(50)}\nbbb\ncccccc`, 12, "bbb\ncccccc"],
    ["newline right before it", "aaaaaa\nbbbbbb", 6, "bbbbbb"],
    ["newline past the half", `${"a".repeat(50)}bbbbbbbb\nc`, 10, "bbbbbbbb\nc"],
    ["none", "abcdefghij", 4, "ghij"],
    ["nothing", "abc", 0, ""],
    ["not inside a pair", "😀😀😀", 2, "😀😀"],
    ["not inside a combining sequence", `${"a".repeat(20)}e\u0301\u0301bcd`, 4, "bcd"],
    ["not inside an escape sequence", `${"a".repeat(20)}\x1b[31mred`, 5, "red"],
    ["not before a mark that joins a newline", `${"a".repeat(20)}\n\u0301bcdefgh`, 9, "bcdefgh"],
  ];
  for (const [name, text, chars, expected] of cases) assert.equal(tailOf(text, chars), expected, name);
});

test("C20 heads and tails of any text are slices of it, no longer than asked, cut between whole sequences", () => {
  fc.assert(
    fc.property(unbreakableText(), fc.integer({ min: 1, max: 60 }), (text, chars) => {
      const head = headOf(text, chars);
      const tail = tailOf(text, chars);
      assert.ok(text.startsWith(head) && charLength(head) <= chars);
      assert.ok(text.endsWith(tail) && charLength(tail) <= chars);
      const ends = wholeSequences(text);
      const fits = (length: number) => ends.has(length) || length === indexOfChar(text, chars); // one sequence fills it
      if (!/^\s*[[{]/.test(head)) assert.ok(fits(head.length), `head ${JSON.stringify(head)}`);
      assert.ok(ends.has(text.length - tail.length), `tail ${JSON.stringify(tail)}`);
    }),
    { numRuns: 1500 },
  );
});

test("C20 a place is a cut exactly between whole sequences", () => {
  fc.assert(
    fc.property(unbreakableText(), (text) => {
      const ends = wholeSequences(text);
      for (let i = 1; i < text.length; i++) assert.equal(isCut(text, i), ends.has(i), `at ${i}`);
    }),
    { numRuns: 500 },
  );
});

test("C20 a long run of marks or escapes costs no more than its length", function () {
  this.timeout(2000);
  const marks = `${"x".repeat(2_000_000)}e${"\u0301".repeat(200_000)}`;
  assert.ok(safeCut(marks, marks.length - 1, marks.length - 4096) >= marks.length - 4096);
  assert.equal(tailOf(marks, 1000), "");
  assert.ok(headOf(`${"\x1b]".repeat(500_000)}`, 4096).length <= 4096);
});
