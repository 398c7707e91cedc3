// test/host: rollouts that Codex packed, which VS Code's own Node can read, whatever Node the command line has: read as if they
// were not packed, or refused; no file makes more of itself than it may.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { Failure } from "../../src/schema/failure";
import { bytesOf, canUnpack } from "../../src/transcripts/packed";
import { CODEX_PACKED } from "../support/recordings";
import { withFolder } from "../support/storeFolder";
import { pictureOf, readOne, readText } from "../support/transcripts";

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

async function unpackedBytes(
  packed: Buffer,
  maximumBytes?: number,
  each: (bytes: number) => void = () => undefined,
): Promise<number> {
  let bytes = 0;
  await withFolder(async (folder) => {
    const file = path.join(folder, "packed");
    await writeFile(file, packed);
    for await (const chunk of bytesOf(file, maximumBytes)) {
      bytes += chunk.length;
      each(chunk.length);
    }
  });
  return bytes;
}

suite("packed rollouts of Codex", () => {
  test("a packed rollout is read as if it were not", async () => {
    assert.ok(canUnpack, process.version);
    assert.deepEqual(pictureOf(await readOne(CODEX_PACKED, "Codex")), [
      "u: List the files",
      'a: [t1c0 shell {"command":["ls"]}]',
      "t: t1c0 a\nb",
      "a: a and b",
    ]);
  });

  test("frames behind the first are read too, and those that are for others passed over", async () => {
    const once = await unpackedBytes(CODEX_PACKED);
    assert.equal(await unpackedBytes(Buffer.concat([CODEX_PACKED, CODEX_PACKED])), 2 * once);
    const session = await readOne(Buffer.concat([CODEX_PACKED, SKIPPED]), "Codex");
    assert.equal(pictureOf(session).length, 4);
  });

  test("cut off, damaged, followed by something else: refused (property)", async () => {
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

  test("what unpacks to more than a file may have is refused on the way", async () => {
    const blocks = 64; // 8 MB in 262 bytes
    assert.equal(await unpackedBytes(bomb(blocks)), blocks * 128 * 1024);
    await assert.rejects(
      unpackedBytes(bomb(blocks), 1024 * 1024),
      refused(/unpacked it is larger than 512 MB/),
    );
  });

  test("600 MB out of 20 kB: refused before most of it is made", async () => {
    const packed = bomb(4800);
    let bytes = 0;
    await assert.rejects(
      unpackedBytes(packed, undefined, (chunk) => {
        bytes += chunk;
      }),
      refused(/more than 1,000 times as large/),
    );
    assert.ok(bytes > 0 && bytes <= 1000 * packed.length, `${bytes} bytes`);
  });

  test("more pieces than anybody writes, a window of 2 GB, something packed that is no session: refused", async () => {
    const pieces = Buffer.concat([CODEX_PACKED, ...Array.from({ length: 1100 }, () => SKIPPED)]);
    await assert.rejects(unpackedBytes(pieces), refused(/more than 1,000 pieces/));
    await assert.rejects(readText(Buffer.from("28b52ffd00a8010000", "hex")), refused(/damaged or cut off/));
    await assert.rejects(readText(bomb(1)), refused(/compressed, and not a record per line/));
  });
});
