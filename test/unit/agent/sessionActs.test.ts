/** Acts find the run of their session, or the session itself once the run is over. */
import assert from "node:assert/strict";
import { SessionActs } from "../../../src/agent/sessionActs";
import type { SessionAct } from "../../../src/schema/act";

const PIN: SessionAct = { kind: "pin", call: "t1c0", isPinned: true };

test("no run: at once; a run that ends without taking it: after that, and every act is done once", async () => {
  const acts = new SessionActs();
  const done: string[] = [];
  const idle = (word: string) => async () => void done.push(word);
  await acts.act("a", PIN, idle("at once"));
  let waiting: Promise<void> | null = null;
  await acts.run(async (queue, started) => {
    started("a");
    started("a"); // every event says so
    waiting = acts.act("a", PIN, idle("after the run"));
    await acts.act("b", PIN, idle("another session"));
    queue.end(); // the log is being closed
    await new Promise(setImmediate);
    done.push("the run ends");
  });
  await waiting;
  await acts.act("a", PIN, idle("later"));
  assert.deepEqual(done, ["at once", "another session", "the run ends", "after the run", "later"]);
});

test("a run that fails lets its acts go too, and keeps none of another run", async () => {
  const acts = new SessionActs();
  const done: string[] = [];
  let waiting: Promise<void> | null = null;
  const failing = acts.run(async (_queue, started) => {
    started("a");
    waiting = acts.act("a", PIN, async () => void done.push("idle"));
    throw new Error("the disk is gone");
  });
  await assert.rejects(failing, /the disk is gone/);
  await waiting;
  assert.deepEqual(done, ["idle"]);
});
