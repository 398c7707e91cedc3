/** Windows, lines and searches over stored content read only what they need, prove it, and agree with the whole. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { windowOf } from "../../../src/claims/window";
import { charLength, indexOfChar, type SafeText } from "../../../src/schema/text";
import { blobsIn } from "../../../src/store/blobs";
import { FRAME_BYTES, trailerOf } from "../../../src/store/frames";
import { unbreakableText } from "../../support/texts";

const root = mkdtempSync(path.join(os.tmpdir(), "clk-windows-"));
const blobs = blobsIn(root);
suiteTeardown(() => rmSync(root, { recursive: true, force: true }));

const safe = (text: string) => text.toWellFormed() as SafeText;
const UNITS = ["a", "é", "漢", "😀", "e\u0301", "\r\n", "\n", "\r", "\x1b[31m", "word "];

/** Long enough for several frames, with every width of code point at every frame's edge. */
function longText(seed: number, units: number): string {
  let state = seed;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return Array.from({ length: units }, () => UNITS[next() % UNITS.length]).join("");
}

test("C20 a window of stored content is the window of the whole, at and around every frame's edge", async () => {
  const content = safe(longText(7, 60_000));
  const name = await blobs.put(content);
  const total = charLength(content);
  const edges: number[] = [0, 1, total - 1, total, total + 5];
  for (let bytes = FRAME_BYTES; bytes < Buffer.byteLength(content); bytes += FRAME_BYTES) {
    const char = charLength(Buffer.from(content).subarray(0, bytes).toString("utf8"));
    for (let near = char - 6; near <= char + 6; near++) edges.push(near, near - 4096);
  }
  for (const offset of edges.filter((edge) => edge >= 0)) {
    assert.deepEqual(await blobs.window(name, offset), windowOf(content, offset), `at ${offset}`);
    assert.deepEqual(await blobs.window(name, offset, 7), windowOf(content, offset, 7), `7 at ${offset}`);
  }
});

test("C20 windows read one after another are the content", async () => {
  await fc.assert(
    fc.asyncProperty(unbreakableText(), async (text) => {
      const content = safe(text.repeat(3));
      const name = await blobs.put(content);
      let read = "";
      for (let offset: number | null = 0; offset !== null; ) {
        const window = await blobs.window(name, offset, 50);
        read += window.text;
        assert.ok(window.next === null || window.next > offset);
        offset = window.next;
      }
      assert.equal(read, content);
    }),
    { numRuns: 60 },
  );
});

test("a line starts where an editor says, and a line past the end is the end", async () => {
  const content = safe(longText(11, 40_000));
  const name = await blobs.put(content);
  const starts = [0, ...[...content.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  for (const line of [1, 2, 3, 100, 4000, starts.length - 1, starts.length]) {
    assert.equal(
      await blobs.charOfLine(name, line),
      charLength(content.slice(0, starts[line - 1])),
      `line ${line}`,
    );
  }
  assert.equal(await blobs.charOfLine(name, starts.length + 1), charLength(content));
  assert.equal(await blobs.charOfLine(await blobs.put(safe("")), 9), 0);
});

test("a search finds every match of the whole, also across frames and stretches, with its offset and line", async () => {
  const filler = longText(13, 30_000).replaceAll("needle", "");
  const content = safe(Array.from({ length: 12 }, () => filler).join("the needle 😀"));
  const name = await blobs.put(content);
  const { matches, total, isCounted } = await blobs.search(name, "needle 😀");
  assert.deepEqual([total, isCounted, matches.length], [11, true, 11]);
  let from = 0;
  for (const { offset, line, excerpt } of matches) {
    const at = content.indexOf("needle 😀", from);
    assert.equal(offset, charLength(content.slice(0, at)));
    assert.equal(line, (content.slice(0, at).match(/\r\n|\r|\n/g)?.length ?? 0) + 1);
    assert.ok(excerpt.includes("needle 😀") && excerpt.length < 400);
    assert.ok(content.startsWith("needle 😀", indexOfChar(content, offset)));
    from = at + 1;
  }
  const many = await blobs.put(safe("ab".repeat(600_000)));
  const all = await blobs.search(many, "ab");
  assert.deepEqual([all.matches.length, all.isCounted], [20, false]);
  assert.deepEqual((await blobs.search(many, "abc")).total, 0);
});

test("C27 a window proves the frames it touches: an altered byte elsewhere does not matter to it, an altered table to all", async () => {
  const content = safe("x".repeat(FRAME_BYTES * 6));
  const name = await blobs.put(content);
  const file = path.join(root, name.sha256);
  const whole = readFileSync(file);
  const alterAt = (at: number) => {
    const altered = Buffer.from(whole);
    altered[at] = (altered[at] ?? 0) ^ 1;
    writeFileSync(file, altered);
  };
  const isCorrupt = (cause: { code?: string }) => cause.code === "blob-corrupt";
  alterAt(FRAME_BYTES * 5 + 3);
  assert.equal((await blobsIn(root).window(name, 0)).text, "x".repeat(4096));
  await assert.rejects(blobsIn(root).window(name, FRAME_BYTES * 5), isCorrupt);
  await assert.rejects(blobsIn(root).search(name, "y"), isCorrupt);
  await assert.rejects(blobsIn(root).read(name.sha256), isCorrupt);
  for (const at of [content.length + 10, whole.length - 20, whole.length - 1 - 16]) {
    alterAt(at);
    await assert.rejects(blobsIn(root).window(name, 0), isCorrupt, `byte ${at}`);
  }
  writeFileSync(file, whole.subarray(0, whole.length - 5));
  await assert.rejects(blobsIn(root).window(name, 0), isCorrupt);
  writeFileSync(file, "");
  await assert.rejects(blobsIn(root).window(name, 0), isCorrupt);
  await blobs.put(content); // the source tool runs again: the handle is healed
  assert.equal((await blobsIn(root).window(name, FRAME_BYTES * 5, 3)).text, "xxx");
});

test("a put of the same content writes nothing, not even a draft", async () => {
  const content = safe("the same content");
  await blobs.put(content);
  const before = readdirSync(root, { recursive: true }).length;
  const counted = blobsIn(root, { open: refuseWrites, mkdir: refuse, rename: refuse, rm: refuse } as never);
  await counted.put(content);
  assert.equal(readdirSync(root, { recursive: true }).length, before);
});

const refuse = () => assert.fail("the disk was written");
async function refuseWrites(file: string, flags: string) {
  assert.equal(flags, "r");
  return (await import("node:fs/promises")).open(file, flags);
}

test("both ways to make the frames make the same ones", () => {
  const lines = longText(17, 9000).replace(/[^\x20-\x7e\n]/g, "x");
  for (const text of ["", "a", "\n", "no line end", lines, "\n".repeat(FRAME_BYTES * 2 + 1)]) {
    const content = Buffer.from(text);
    assert.deepEqual(trailerOf(content, text), trailerOf(content));
  }
});
