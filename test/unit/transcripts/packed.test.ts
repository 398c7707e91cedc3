/** Packed rollouts where Node cannot unpack them, and what is not packed. What VS Code's own Node reads: test/host/packed.test.ts. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../../src/schema/failure";
import { bytesOf, canUnpack } from "../../../src/transcripts/packed";
import { CODEX_PACKED } from "../../support/recordings";
import { withFolder } from "../../support/storeFolder";
import { readText } from "../../support/transcripts";

async function bytesIn(text: string | Buffer): Promise<number> {
  let bytes = 0;
  await withFolder(async (folder) => {
    const file = path.join(folder, "packed");
    await writeFile(file, text);
    for await (const chunk of bytesOf(file)) bytes += chunk.length;
  });
  return bytes;
}

test("a Node that cannot unpack says so, and what to do", async () => {
  if (canUnpack) return; // from 22.15 on
  await assert.rejects(
    readText(CODEX_PACKED),
    (cause) =>
      cause instanceof Failure &&
      cause.code === "import-unreadable" &&
      /Zstandard.*cannot read: use 22\.15 or later, or unpack it/.test(cause.message),
  );
});

test("what is not packed comes as it is, however short", async () => {
  for (const text of ["", "a", "(\u00b5", "abcdefgh\n"])
    assert.equal(await bytesIn(Buffer.from(text)), Buffer.byteLength(text));
  assert.equal(await bytesIn(await readFile("package.json")), (await readFile("package.json")).length);
});

test("a file that somebody writes to while it is read is read to a bound", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "grows");
    await writeFile(file, "x".repeat(1000));
    const read = async () => {
      for await (const _ of bytesOf(file, 999));
    };
    await assert.rejects(
      read,
      (cause) => cause instanceof Failure && /it is larger than 512 MB/.test(cause.message),
    );
  });
});
