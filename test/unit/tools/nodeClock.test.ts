/** The clock: a sleep that is cut short has ended, and leaves no timer behind. */
import assert from "node:assert/strict";
import { nodeClock } from "../../../src/tools/nodeClock";

test("a sleep ends early with its signal, also one that was aborted before, and keeps no process alive", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  await Promise.resolve(); // then the runner has set its own
  const before = timers();
  const stop = new AbortController();
  const started = nodeClock.now();
  const sleeping = nodeClock.sleep(60_000, stop.signal);
  assert.equal(timers(), before + 1);
  stop.abort();
  await sleeping;
  await nodeClock.sleep(60_000, stop.signal);
  assert.equal(timers(), before);
  assert.ok(nodeClock.now() - started < 5000);
  await nodeClock.sleep(5);
  assert.ok(nodeClock.now() - started >= 4);
});
