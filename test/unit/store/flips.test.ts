/** One bit flipped in any file of a store: nothing wrong is served, verify says precisely what is gone, nothing else is lost. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { newTally } from "../../support/faults";
import { FLIPPED, flipOne, soundStore } from "../../support/flips";
import { randomFrom } from "../../support/random";

const folder = await mkdtemp(path.join(os.tmpdir(), "clk-flips-"));
suiteTeardown(() => rm(folder, { recursive: true, force: true }));
let made: ReturnType<typeof soundStore> | undefined;
const store = () => (made ??= soundStore(path.join(folder, "template")));

/** Small files, every seventh bit of them; of the others, so many. */
const TIMES = 12;
const SMALL = ["format.json", "usage.log"];

for (const kind of FLIPPED) {
  test(`C27 a bit flipped in ${kind}: nothing wrong is served, and what is gone is told`, async function () {
    this.timeout(20_000);
    const sound = await store();
    const tally = newTally();
    const random = randomFrom(kind.length);
    const copy = path.join(folder, "copy");
    if (SMALL.includes(kind))
      for (let bit = 0; await flipOne(sound, copy, kind, random, tally, bit); ) bit += 7;
    else for (let n = 0; n < TIMES; n++) await flipOne(sound, copy, kind, random, tally);
    assert.deepEqual(tally.losses, []);
    assert.ok((tally.faults[`a bit of ${kind}`] ?? 0) >= 10);
  });
}
