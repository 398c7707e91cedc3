// test/host: session files that only VS Code's own Node can read.
import assert from "node:assert/strict";
import { canUnpack } from "../../src/transcripts/packed";
import { CODEX_PACKED } from "../support/recordings";
import { pictureOf, readOne } from "../support/transcripts";

suite("session files of other agents", () => {
  test("a packed rollout of Codex is read as if it were not, whatever Node the command line has", async () => {
    assert.ok(canUnpack, process.version);
    const picture = pictureOf(await readOne(CODEX_PACKED, "Codex"));
    assert.deepEqual(picture.at(-1), "a: a and b");
    assert.equal(picture.length, 4);
  });
});
