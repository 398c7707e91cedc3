/** A fork at a turn: the conversation as it was when that turn was over, and nothing of what came after. */
import assert from "node:assert/strict";
import { foldHistory } from "../../../src/history/fold";
import type { ScriptReply } from "../../../src/models/script";
import { StoreCare } from "../../../src/store/care";
import { tool } from "../../support/house";
import { assertClean, LONG, typesOf } from "../../support/lifetime";
import { actIn, ofType, runIn } from "../../support/runs";
import { assertSound } from "../../support/sound";
import { clock, hasCode, withStore } from "../../support/storeFolder";

let reads = 0;
const TOOLS = [
  tool("read_file", () => `${reads++}: ${LONG}`, { class: "read" }),
  tool("short", () => "short"),
];
const calls = (...names: string[]): ScriptReply => ({
  calls: names.map((name) => ({ name, arguments: {} })),
});
const ANSWER: ScriptReply = { say: "Done." };

/** Two questions: turns 1 to 3, and 4 to 5. Turn 1 has two calls; 1, 2 and 4 store a result. */
const TWO_RUNS = [
  { question: "First?", replies: [calls("read_file", "short"), calls("read_file"), ANSWER] },
  { question: "Second?", replies: [calls("read_file"), ANSWER] },
];

test("at any turn: all results of its calls, no later question, only claims made up to there, and it goes on", async () => {
  await withStore(async (store, root) => {
    let session: string | undefined;
    for (const run of TWO_RUNS)
      session = (await runIn(store, { ...run, tools: TOOLS, ...(session && { session }) })).session;
    assert.ok(session);
    const events = await store.events(session);
    const care = await StoreCare.open(root, "file:///work", clock);
    for (const [turn, results, question] of [
      [1, 1, "First?"],
      [2, 2, "First?"],
      [3, 2, "First?"],
      [4, 3, "Second?"],
      [5, 3, "Second?"],
    ] as const) {
      const { session: fork, results: copied } = await care.fork(session, { throughTurn: turn });
      const forked = await store.events(fork);
      assert.equal(copied, results, `turn ${turn}`);
      assert.equal(forked[1]?.type === "adopted" && forked[1].claims.length, results);
      const history = foldHistory(forked);
      assert.deepEqual([history.turn, history.question, history.pending.size], [turn, question, 0]);
      assert.ok(ofType(forked, "requested").every((event) => event.turn <= turn));
      const { end } = await runIn(store, { session: fork, replies: [ANSWER], tools: TOOLS });
      assert.equal(end.end, "answered");
      assertSound(await store.events(fork));
    }
    assert.deepEqual(await store.events(session), events, "the other one is as it was");
    for (const turn of [0, 6])
      await assert.rejects(
        care.fork(session, { throughTurn: turn }),
        (cause) => hasCode("turn-missing")(cause) && /turns 1 to 5/.test(String(cause)),
      );
    await assertClean(root);
  });
});

test("a turn that a crash cut short is mended when the fork goes on", async () => {
  await withStore(async (store) => {
    const { session } = await runIn(store, { replies: [calls("short", "short"), ANSWER], tools: TOOLS });
    const events = await store.events(session);
    const crashed = await store.create({ workspace: "work", title: "Crashed" });
    const until = typesOf(events).indexOf("remembered") + 1; // of two calls, one came back
    for (const { n: _n, at: _at, origin: _origin, ...event } of events.slice(1, until))
      await crashed.append(event);
    await crashed.close();
    const fork = await store.fork(crashed.id, { throughTurn: 1 });
    assert.equal(foldHistory(await store.events(fork)).pending.size, 1);
    const { end } = await runIn(store, { session: fork, replies: [ANSWER], tools: TOOLS });
    assert.equal(end.end, "answered");
    const forked = await store.events(fork);
    assert.deepEqual(
      ofType(forked, "repaired").flatMap(({ repairs }) => repairs.map(({ kind, call }) => [kind, call])),
      [["result_missing", "t1c1"]],
    );
    assertSound(forked);
  });
});

test("what was forgotten later is forgotten in the fork too; what the person pinned before going on is pinned", async () => {
  await withStore(async (store, root) => {
    const [first, second] = TWO_RUNS;
    const { session } = await runIn(store, { ...(first ?? assert.fail()), tools: TOOLS });
    await actIn(store, session, { kind: "pin", call: "t1c0", isPinned: true });
    await runIn(store, { session, ...(second ?? assert.fail()), tools: TOOLS });
    const [one, , three] = ofType(await store.events(session), "tool_result_stored");
    assert.ok(one && three);
    for (const { handle } of [one, three]) await actIn(store, session, { kind: "forget", handle });
    const fork = await store.fork(session, { throughTurn: 3 });
    await assert.rejects(store.content(fork, one.handle), hasCode("blob-forgotten"));
    await assert.rejects(store.content(fork, three.handle), hasCode("blob-missing"), "it never had that one");
    const events = await store.events(fork);
    assert.deepEqual(
      ofType(events, "forgotten").map(({ handle }) => handle),
      [one.handle],
    );
    assert.equal(foldHistory(events).results.get("t1c0")?.isPinned, true);
    await assertClean(root);
  });
});
