/** Places in stored content of any size: the next and the last match and a line are what a string of the whole says, read a stretch at a time. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { charLength, indexOfChar, inOneCase, lineCount, type SafeText } from "../../../src/schema/text";
import { blobsIn } from "../../../src/store/blobs";

const root = mkdtempSync(path.join(os.tmpdir(), "clk-places-"));
const blobs = blobsIn(root);
suiteTeardown(() => rmSync(root, { recursive: true, force: true }));

const safe = (text: string) => text.toWellFormed() as SafeText;
const UNITS = ["a", "B", "é", "漢", "😀", "\r\n", "\n", "\r", "Σ", "tide ", ".*", "\u0301"];
const anyText = (maxLength: number) =>
  fc.array(fc.constantFrom(...UNITS), { maxLength }).map((units) => units.join(""));

/** With a string of the whole. None of the units changes its length with its case. */
function naive(content: string, needle: string) {
  const [all, wanted] = [inOneCase(content), inOneCase(needle)];
  const found = (index: number) =>
    index < 0 ? null : { offset: charLength(all.slice(0, index)), chars: charLength(wanted) };
  return {
    next: (from: number) => found(all.indexOf(wanted, indexOfChar(all, from))),
    previous: (before: number) => {
      const last = indexOfChar(all, before) - wanted.length;
      return last < 0 ? null : found(all.lastIndexOf(wanted, last));
    },
  };
}

const lineOf = (content: string, offset: number): number => {
  const end = indexOfChar(content, offset);
  return (
    [...content.matchAll(/\r\n|\r|\n/g)].filter(({ index, 0: { length } }) => index + length <= end).length +
    1
  );
};
const charOfLine = (content: string, line: number): number => {
  const ends = [...content.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: { length } }) => index + length);
  return line <= 1 ? 0 : charLength(content.slice(0, ends[line - 2] ?? content.length));
};

/** Several frames, often several stretches, of what repeats; somewhere in it what does not. */
const anyContent = fc
  .tuple(anyText(40), fc.integer({ min: 1, max: 90_000 }), anyText(12), fc.nat(100))
  .map(([part, times, rare, share]) => {
    const filler = part.repeat(Math.min(times, Math.ceil(1_500_000 / Math.max(1, part.length))));
    const at = Math.floor((filler.length * share) / 100);
    return safe(`${filler.slice(0, at)}${rare}needle${filler.slice(at)}`);
  });
const anyNeedle = fc.constantFrom(
  "needle",
  "NEEDLE",
  "a",
  "😀",
  "\r\n",
  "tide tide",
  "σ",
  "漢\u0301",
  "aB",
  ".*.*",
);

test("for every content: the next match, the last before a place and every line are those of the whole string", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyContent,
      anyNeedle,
      fc.array(fc.nat(100), { maxLength: 4 }),
      async (content, needle, shares) => {
        const name = await blobs.put(content);
        const total = charLength(content);
        const expected = naive(content, needle);
        const needleAt = charLength(content.slice(0, content.indexOf("needle")));
        const places = [0, 1, needleAt, needleAt + 6, total, total + 7];
        for (const place of [...places, ...shares.map((share) => Math.floor((total * share) / 100))]) {
          assert.deepEqual(
            await blobs.find(name, needle, place, "next"),
            expected.next(place),
            `next ${place}`,
          );
          const previous = expected.previous(place);
          assert.deepEqual(await blobs.find(name, needle, place, "previous"), previous, `previous ${place}`);
        }
        const lines = lineCount(content);
        for (const line of [1, 2, Math.ceil(lines / 2), lines, lines + 9])
          assert.equal(await blobs.charOfLine(name, line), charOfLine(content, line), `line ${line}`);
        for (const place of [0, needleAt, Math.floor(total / 2), total])
          assert.equal(await blobs.lineOf(name, place), lineOf(content, place), `line of ${place}`);
      },
    ),
    { numRuns: 40 },
  );
});

test("a line of 4 MB: what stands before, in and after it is found from both sides, and so are the lines around it", async () => {
  const long = "x😀".repeat(1_600_000 / 2);
  const content = safe(`first\r\n${long}tide${long}\rlast tide\n`);
  assert.ok(long.length * 2 > 2_000_000 && Buffer.byteLength(content) > 4_000_000);
  const name = await blobs.put(content);
  const { next, previous } = naive(content, "TIDE");
  const total = charLength(content);
  for (const place of [0, 800_000, 1_600_007, 1_600_011, total - 6, total]) {
    assert.deepEqual(await blobs.find(name, "TIDE", place, "next"), next(place), `next ${place}`);
    assert.deepEqual(await blobs.find(name, "TIDE", place, "previous"), previous(place), `previous ${place}`);
  }
  for (const line of [1, 2, 3, 4]) {
    const start = charOfLine(content, line);
    assert.equal(await blobs.charOfLine(name, line), start);
    if (line < 4) assert.equal(await blobs.lineOf(name, start), line);
  }
});

test("100 MB are looked through from the end without keeping others from their turn", async function () {
  this.timeout(120_000);
  const content = safe(`needle${"the tide goes out at noon, and comes back\n".repeat(2_500_000)}`);
  const name = await blobs.put(content);
  let turns = 0;
  let isLooking = true;
  const others = () => {
    turns += 1;
    if (isLooking) setImmediate(others);
  };
  setImmediate(others);
  const found = await blobs.find(name, "NEEDLE", Number.MAX_SAFE_INTEGER, "previous");
  isLooking = false;
  assert.deepEqual(found, { offset: 0, chars: 6 });
  assert.ok(turns >= Buffer.byteLength(content) / (1024 * 1024), `${turns} turns`);
});
