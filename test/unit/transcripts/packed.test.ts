/** Rollouts that Codex packed: read as if they were not, or refused with what to do; no file makes more of itself than it may. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { Failure } from "../../../src/schema/failure";
import { bytesOf, canUnpack } from "../../../src/transcripts/packed";
import { CODEX_PACKED } from "../../support/recordings";
import { withFolder } from "../../support/storeFolder";
import { pictureOf, readOne, readText } from "../../support/transcripts";

/** Of Node before 22.15 only the refusal is proved here; VS Code's own Node reads one in test/host. */
const unpackingTest = canUnpack ? test : test.skip;

const refused = (why: RegExp) => (cause: unknown) =>
  cause instanceof Failure && cause.code === "import-unreadable" && why.test(cause.message);

const LF = 10; // blank lines: nothing else makes so many

const SKIPPED = Buffer.from("502a4d180400000061626364", "hex"); // a frame that is for others

/** A frame of blocks that say one byte so many times: 128 kB out of four bytes. */
function bomb(blocks: number): Buffer {
  const head = Buffer.from("28b52ffd0070", "hex"); // a window of 16 MB
  const block = (isLast: boolean) => {
    const word = (128 * 1024 * 8 + 2 + (isLast ? 1 : 0)) >>> 0;
    return Buffer.from([word & 255, (word >> 8) & 255, (word >> 16) & 255, LF]);
  };
  return Buffer.concat([head, ...Array.from({ length: blocks }, (_, n) => block(n === blocks - 1))]);
}

async function unpackedBytes(packed: Buffer, maximumBytes?: number): Promise<number> {
  let bytes = 0;
  await withFolder(async (folder) => {
    const file = path.join(folder, "packed");
    await writeFile(file, packed);
    for await (const chunk of bytesOf(file, maximumBytes)) bytes += chunk.length;
  });
  return bytes;
}

if (!canUnpack)
  test("an older Node says what it cannot do, and what to do", () =>
    assert.rejects(
      readText(CODEX_PACKED),
      refused(/Zstandard.*cannot read: use 22\.15 or later, or unpack it/),
    ));

unpackingTest("a packed rollout is read as if it were not", async () => {
  assert.deepEqual(pictureOf(await readOne(CODEX_PACKED, "Codex")), [
    "u: List the files",
    'a: [t1c0 shell {"command":["ls"]}]',
    "t: t1c0 a\nb",
    "a: a and b",
  ]);
});

unpackingTest("frames behind the first are read too, and those that are for others passed over", async () => {
  const once = await unpackedBytes(CODEX_PACKED);
  assert.equal(await unpackedBytes(Buffer.concat([CODEX_PACKED, CODEX_PACKED])), 2 * once);
  const session = await readOne(Buffer.concat([CODEX_PACKED, SKIPPED]), "Codex");
  assert.equal(pictureOf(session).length, 4);
});

unpackingTest("cut off, damaged, followed by something else: refused (property)", async () => {
  const damaged = refused(/compressed, and damaged or cut off/);
  await assert.rejects(readText(Buffer.concat([CODEX_PACKED, Buffer.from("junk")])), damaged);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: CODEX_PACKED.length - 1 }), (length) =>
      assert.rejects(readText(CODEX_PACKED.subarray(0, length)), damaged),
    ),
    { numRuns: 40 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: CODEX_PACKED.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const bent = Buffer.from(CODEX_PACKED);
        bent[at] = (bent[at] ?? 0) ^ flip;
        await readText(bent).catch((cause: unknown) => assert.ok(refused(/./)(cause), `${cause}`));
      },
    ),
    { numRuns: 100 },
  );
});

unpackingTest("what unpacks to more than a file may have is refused on the way", async () => {
  const blocks = 64; // 8 MB in 262 bytes
  assert.equal(await unpackedBytes(bomb(blocks)), blocks * 128 * 1024);
  await assert.rejects(
    unpackedBytes(bomb(blocks), 1024 * 1024),
    refused(/unpacked it is larger than 512 MB/),
  );
});

unpackingTest("600 MB out of 20 kB: refused before most of it is made, in bounded memory", async () => {
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const before = process.memoryUsage().rss;
  await assert
    .rejects(readText(bomb(4800)), refused(/more than 1,000 times as large/))
    .finally(() => clearInterval(watch));
  assert.ok(most - before < 200 * 1024 * 1024, `${Math.round((most - before) / 1024 / 1024)} MB more`);
});

unpackingTest(
  "more pieces than anybody writes, a window of 2 GB, something packed that is no session: refused",
  async () => {
    const pieces = Buffer.concat([CODEX_PACKED, ...Array.from({ length: 1100 }, () => SKIPPED)]);
    await assert.rejects(unpackedBytes(pieces), refused(/more than 1,000 pieces/));
    await assert.rejects(readText(Buffer.from("28b52ffd00a8010000", "hex")), refused(/damaged or cut off/));
    await assert.rejects(readText(bomb(1)), refused(/compressed, and not a record per line/));
  },
);

test("what is not packed comes as it is, however short", async () => {
  for (const text of ["", "a", "(\u00b5", "abcdefgh\n"])
    assert.equal(await unpackedBytes(Buffer.from(text)), Buffer.byteLength(text));
  assert.equal(await unpackedBytes(await readFile("package.json")), (await readFile("package.json")).length);
});
