/** ARCHITECTURE, Storage: blobs are named by their digest, written once, and proved when they are read. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { blobsIn } from "../../../src/store/blobs";
import { sha256 } from "../../../src/store/digest";
import { failingDisk } from "../../support/failingDisk";
import { filesBelow, hasCode, safe, withFolder } from "../../support/storeFolder";

const TEXT = "a stored result\r\n\0 with bytes 😀 and no secret";

test("C7 the same text twice is one file, written once", async () => {
  await withFolder(async (root) => {
    const blobs = blobsIn(path.join(root, "blobs"));
    const { sha256: digest } = await blobs.put(safe(TEXT));
    const file = path.join(root, "blobs", digest);
    await utimes(file, 1, 1);
    assert.equal((await blobs.put(safe(TEXT))).sha256, digest);
    assert.equal((await stat(file)).mtimeMs, 1000);
    assert.deepEqual(await filesBelow(root), [file]);
    assert.equal(await blobs.read(digest), TEXT);
    assert.equal(digest, sha256(TEXT));
  });
});

test("C27 a byte that was altered is found wherever it is; putting the text again heals it", async () => {
  await withFolder(async (root) => {
    const blobs = blobsIn(root);
    const { sha256: digest } = await blobs.put(safe(TEXT));
    const file = path.join(root, digest);
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 1;
      await writeFile(file, altered);
      await assert.rejects(blobs.read(digest), hasCode("blob-corrupt"), `at ${at}`);
    }
    for (const altered of [
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.from("x")]),
      Buffer.alloc(0),
    ]) {
      await writeFile(file, altered);
      await assert.rejects(blobs.read(digest), hasCode("blob-corrupt"));
    }
    await blobs.put(safe(TEXT));
    assert.equal(await blobs.read(digest), TEXT);
    await rm(file);
    await assert.rejects(blobs.read(digest), hasCode("blob-missing"));
  });
});

test("a disk that cannot be read is not a missing blob", async () => {
  await withFolder(async (root) => {
    const blobs = blobsIn(root);
    const digest = sha256(TEXT);
    await mkdir(path.join(root, digest), { recursive: true });
    await assert.rejects(blobs.read(digest), hasCode("EISDIR"));
    await assert.rejects(blobs.put(safe(TEXT)), hasCode("EISDIR"));
    await rm(root, { recursive: true });
    await writeFile(root, "a file in the folder's place");
    await assert.rejects(
      blobs.put(safe(TEXT)),
      (cause) => hasCode("EEXIST")(cause) || hasCode("ENOTDIR")(cause),
    );
  });
});

test("C21 a disk that fails at any step of a put: it says so, no name stands for less than the whole, and the next put heals", async () => {
  const clean = failingDisk("rm", 99, "EIO");
  await withFolder(async (root) => void (await blobsIn(root, clean).put(safe(TEXT))));
  const kinds = new Set(clean.steps);
  for (const step of ["mkdir", "open", "append", "sync", "close", "rename"] as const) {
    assert.ok(kinds.has(step), `a put has a step ${step}`);
    const times = clean.steps.filter((one) => one === step).length;
    for (const code of step === "append" ? ["ENOSPC", "EIO", "SHORT"] : ["ENOSPC", "EACCES", "EIO"]) {
      for (let at = 1; at <= times; at++) {
        await withFolder(async (root) => {
          const put = blobsIn(root, failingDisk(step, at, code)).put(safe(TEXT));
          await assert.rejects(put, hasCode(code === "SHORT" ? "ENOSPC" : code), `${step} ${at} ${code}`);
          const blobs = blobsIn(root);
          const left = await filesBelow(root);
          assert.ok(
            left.length <= 1 && left.every((file) => !file.endsWith(".tmp")),
            `${step} ${at}: ${left}`,
          );
          if (left.length === 1) assert.equal(await blobs.read(sha256(TEXT)), TEXT);
          assert.equal((await blobs.put(safe(TEXT))).sha256, sha256(TEXT));
          assert.equal(await blobs.read(sha256(TEXT)), TEXT);
        });
      }
    }
  }
});

test("any text comes back as its bytes", async () => {
  await withFolder(async (root) => {
    const blobs = blobsIn(root);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
        const { sha256: digest } = await blobs.put(safe(`\ufeff${text}`));
        assert.equal(await blobs.read(digest), `\ufeff${text}`);
      }),
      { numRuns: 40 },
    );
  });
});
