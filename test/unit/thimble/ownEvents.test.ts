/** What a fork copied happened once: in the session that it was copied from. */
import assert from "node:assert/strict";
import type { ScriptReply } from "../../../src/models/script";
import type { Logged } from "../../../src/schema/event";
import { metricsFrom } from "../../../src/thimble/metrics";
import { ownFrom } from "../../../src/thimble/ownEvents";
import { scorecardOf } from "../../../src/thimble/scorecard";
import { hash, tool } from "../../support/house";
import { runIn } from "../../support/runs";
import { withStore } from "../../support/storeFolder";

const TOOLS = [tool("read_file", () => "A clause of a contract. ".repeat(400), { class: "read" })];
const ANSWER: ScriptReply = { say: "Done." };
const READ: ScriptReply = { calls: [{ name: "read_file", arguments: { path: "a.md" } }] };

/** As a log from before, which does not say how many events were copied; what came later has a later time. */
const fromBefore = (events: readonly Logged[], own: number): Logged[] =>
  events.map((event, n) => {
    const at = n < own ? 1000 : 2000;
    return event.type === "adopted" ? { ...event, at, copied: undefined } : { ...event, at };
  });

test("the calls of a session and of its fork are each counted once, also in a fork of the fork", async () => {
  await withStore(async (store) => {
    const { session } = await runIn(store, { replies: [READ, ANSWER], tools: TOOLS });
    const fork = await store.fork(session);
    assert.equal(metricsFrom(await store.events(fork), hash).calls.length, 0);
    await runIn(store, { session: fork, replies: [READ, READ, ANSWER], tools: TOOLS });
    const again = await store.fork(fork);
    const logs = await Promise.all([session, fork, again].map((one) => store.events(one)));
    const metrics = logs.map((events) => metricsFrom(events, hash));
    assert.deepEqual(
      metrics.map(({ calls, copiedCalls, runs, requests }) => [
        calls.length,
        copiedCalls,
        runs.answered,
        requests.count,
      ]),
      [
        [1, 0, 1, 2],
        [2, 1, 1, 3],
        [0, 3, 0, 0],
      ],
    );
    const card = scorecardOf(metrics);
    assert.equal(
      card.rows.reduce((sum, { calls }) => sum + calls, 0),
      3,
    );
    assert.match(
      card.notes.join("\n"),
      new RegExp(`${fork} is a fork: 1 call of the session .* not counted again`),
    );
    for (const events of logs) {
      const own = ownFrom(events);
      assert.equal(ownFrom(fromBefore(events, own)), own);
    }
  });
});
