/** Metrics are facts of the log, each with its calls named (seed 003 §Metrics). */
import assert from "node:assert/strict";
import type { Logged } from "../../../src/schema/event";
import { byteLength } from "../../../src/schema/text";
import { callIdentityOf } from "../../../src/thimble/callIdentity";
import { addItems } from "../../../src/thimble/items";
import { metricsFrom } from "../../../src/thimble/metrics";
import { policyFrom } from "../../../src/thimble/policy";
import { hash } from "../../support/house";
import { copied, LIMIT_POLICY, limitSession, randomLimitSession } from "../../support/limitSessions";

const ASKED = '{"q":"open","limit":500}';
const next = (offset: number, limit = 10) => JSON.stringify({ q: "open", limit, offset });
const idle = ["other", '{"q":"something else"}'] as const;
const metricsOf = async (...args: Parameters<typeof limitSession>) =>
  metricsFrom(copied(await limitSession(...args)), hash);

suite("thimble/metrics", () => {
  test("a lowered call: requested, effective and actual items, measured bytes, tokens with their estimator, time, what was shown", async () => {
    const events = await limitSession([[["search", ASKED]]]);
    const [facts] = metricsFrom(events, hash).calls;
    const measured = events.find((event) => event.type === "measured");
    const remembered = events.find((event) => event.type === "remembered");
    assert.deepEqual(facts?.counts, { requested: 500, effective: 10, proposed: 10 });
    assert.deepEqual([facts?.items, facts?.bytes], [10, measured?.bytes]);
    assert.deepEqual(facts?.tokens, { estimated: measured?.tokensEstimated, estimator: "chars/3.3" });
    assert.equal(facts?.shownBytes, byteLength(remembered?.text ?? ""));
    assert.ok((facts?.shownBytes ?? 0) > (facts?.bytes ?? 0), "the disclosure is part of what it costs");
    assert.equal(typeof facts?.elapsedMs, "number");
    const [observed] = (await metricsOf([[["search", ASKED]]], { mode: "observe" })).calls;
    assert.deepEqual(observed?.counts, { requested: 500, effective: 500, proposed: 10 });
    assert.deepEqual([observed?.items, observed?.reason], [500, "observe_only"]);
    const [within] = (await metricsOf([[["search", '{"limit":4}']]])).calls;
    assert.deepEqual(within?.counts, { requested: 4, effective: 4, proposed: 4 });
    const [odd] = (await metricsOf([[["search", '{"limit":"500"}']]])).calls;
    assert.equal(odd?.counts, null);
  });

  test("a later page of the same list is a continuation, and follows from the clamp through the pages between", async () => {
    const { rereads, marks } = await metricsOf([
      [["search", ASKED]],
      [["search", next(10)]],
      [["search", '{ "offset": 20, "q": "open", "limit": 3 }']],
      [["search", '{"q":"closed","limit":5,"offset":20}']],
    ]);
    assert.deepEqual(
      rereads.map(({ call, of, kind, causedBy }) => [call, of, kind, causedBy]),
      [
        ["t2c0", "t1c0", "continued", "t1c0"],
        ["t3c0", "t2c0", "continued", "t1c0"],
      ],
    );
    assert.deepEqual(marks, [
      { call: "t1c0", kind: "continued", by: "t2c0" },
      { call: "t1c0", kind: "continued", by: "t3c0" },
    ]);
  });

  test("the same list again within three turns is asked again; in the fourth it is not; siblings are no answer to each other", async () => {
    const again = async (turns: number) =>
      (
        await metricsOf([
          [["search", ASKED]],
          ...Array.from({ length: turns - 1 }, () => [idle]),
          [["search", '{"q":"open","limit":2,"offset":0}']],
        ])
      ).rereads.filter(({ of }) => of === "t1c0");
    assert.deepEqual(
      (await again(3)).map(({ kind, turnsLater }) => [kind, turnsLater]),
      [["asked_again", 3]],
    );
    assert.deepEqual(await again(4), []);
    const siblings = await metricsOf([
      [
        ["search", ASKED],
        ["search", next(10)],
      ],
      [["search", next(20)]],
    ]);
    assert.deepEqual(
      siblings.rereads.map(({ call, of, causedBy }) => [call, of, causedBy]),
      [["t2c0", "t1c0", "t1c0"]],
    );
  });

  test("a stored result that is read back names the call that it came from; it is no cost of a clamp", async () => {
    const handle = '{"handle":"{{handle:list}}","offset":512}';
    const observed = await metricsOf([[["list", ASKED]], [["fetch_result", handle]]], { mode: "observe" });
    assert.deepEqual(observed.rereads, [
      { call: "t2c0", of: "t1c0", kind: "read_back", turnsLater: 1, causedBy: null },
    ]);
    assert.deepEqual(observed.marks, [], "nothing was lowered");
  });

  test("an intent that the user sets after a clamp is an override of what was lowered in the three turns before", async () => {
    const first = await limitSession([[["list", ASKED]], [idle], [idle], [idle], [["search", ASKED]]]);
    const second = copied(await limitSession([[["search", ASKED]]], { events: first, intent: "exhaustive" }));
    const configured = second.findLast((event) => event.type === "configured");
    const { overrides, marks } = metricsFrom(second, hash);
    assert.deepEqual(overrides, [
      { event: configured?.n, what: "intent", to: "exhaustive", calls: ["t5c0"] },
    ]);
    assert.deepEqual(
      marks.filter(({ call }) => call === "t5c0").map(({ kind }) => kind),
      ["asked_again", "override"],
    );
    const long = await limitSession([[["list", ASKED]], [idle], [idle], [idle], [idle]]);
    const late = metricsFrom(await limitSession([[idle]], { events: long, intent: "exhaustive" }), hash);
    assert.deepEqual(
      late.overrides.map(({ calls }) => calls),
      [[]],
      "too late to be held against the clamp",
    );
    const atOnce = await metricsOf([[["search", ASKED]]], { intent: "exhaustive" });
    assert.deepEqual(atOnce.overrides, [], "nothing had been lowered");
  });

  test("an exemption after a clamp is an override, once; the retrieval tool's own is none", async () => {
    const events = copied(
      await limitSession([
        [["search", ASKED]],
        [
          ["search", ASKED],
          ["fetch_result", '{"handle":"x","line":9}'],
        ],
        [["search", ASKED]],
      ]),
    );
    for (const event of events) {
      if (event.type !== "clamped" || event.call === "t1c0" || event.tool !== "search") continue;
      event.proposal = {
        ...event.proposal,
        decision: "pass",
        reason: "exempt",
        exemption: "ops-1",
        changes: [],
      };
    }
    const { overrides } = metricsFrom(events, hash);
    assert.deepEqual(
      overrides.map(({ what, to, calls }) => [what, to, calls]),
      [["exemption", "ops-1", ["t1c0"]]],
    );
  });

  test("which list: names are the contracts', in any order and writing; ids of 19 digits stay apart; no contract, no guess", () => {
    const policy = policyFrom(LIMIT_POLICY, hash);
    const id = (text: string, tool = "search") => callIdentityOf(tool, text, policy, hash);
    const same = (a: string, b: string, tool?: string) => id(a, tool).identity === id(b, tool).identity;
    assert.ok(same('{"q":"a","limit":500}', ' { "offset": 7, "limit": 1, "q": "\\u0061" }'));
    assert.ok(!same('{"q":"a"}', '{"q":"b"}'));
    assert.ok(!same('{"id":9007199254740992}', '{"id":9007199254740993}'));
    assert.ok(!same('{"id":1}', '{"id":"1"}'));
    assert.ok(!same('{"limit":1}', '{"limit":2}', "other"));
    assert.ok(!same("{}", "{}x") && same("{}x", "{}x"));
    assert.ok(!same('{"q":"\\ud800"}', '{"q":"\\ud801"}'));
    assert.notEqual(id("{}").identity, id("{}", "list").identity);
    const deep = `{"q":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    assert.ok(same(deep, deep));
    assert.deepEqual(
      ['{"limit":5}', '{"offset":0}', '{"offset":10}', '{"offset":null}'].map((text) => id(text).position),
      ["", "", "10", ""],
    );
    assert.deepEqual(
      ['{"page":1}', '{"page":2}'].map((text) => id(text, "list").position),
      ["", "2"],
    );
  });

  test("items add up exactly, beyond what a JSON number holds", () => {
    assert.equal(addItems(2, 3), 5);
    assert.equal(addItems(9007199254740991, 1), "9007199254740992");
    assert.equal(addItems("9223372036854775807", "9223372036854775807"), "18446744073709551614");
  });

  test("the same log gives the same metrics, and gives them whole: one entry per decision (property)", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const events = await randomLimitSession(seed);
      const metrics = metricsFrom(events, hash);
      assert.deepEqual(metricsFrom(copied(events), hash), metrics);
      assert.equal(metrics.calls.length, events.filter(({ type }) => type === "clamped").length);
      const known = new Set(metrics.calls.map(({ call }) => call));
      for (const { call, of, causedBy } of metrics.rereads)
        assert.ok(known.has(call) && known.has(of) && (causedBy === null || known.has(causedBy)));
      const lowered = new Set(metrics.calls.filter(({ isLowered }) => isLowered).map(({ call }) => call));
      for (const { call } of metrics.marks) assert.ok(lowered.has(call), "a mark is held against a clamp");
    }
  });

  test("ten times the calls of one list are hashed about ten times as often", async () => {
    const base = await limitSession([[["search", ASKED]], [["search", next(10)]]]);
    const start = base.filter(({ type }) => type === "session_started" || type === "configured");
    const turns = base.filter(
      (event) => "call" in event || event.type === "requested" || event.type === "replied",
    );
    const long = (times: number): Logged[] => [
      ...start,
      ...Array.from({ length: times }, (_, i) => turns.map((event) => renumbered(event, i * 2))).flat(),
    ];
    const work = (events: Logged[]) => {
      let hashed = 0;
      metricsFrom(events, (text) => {
        hashed++;
        return hash(text);
      });
      return hashed;
    };
    const ratio = work(long(5000)) / work(long(500));
    assert.ok(ratio < 11, `${ratio.toFixed(1)} times as often for ten times the calls`);
  });
});

/** The same event some turns later. */
function renumbered(event: Logged, by: number): Logged {
  const text = JSON.stringify(event).replace(/"t(\d+)c0"/g, (_, turn) => `"t${Number(turn) + by}c0"`);
  const moved = JSON.parse(text) as Logged;
  return "turn" in moved ? { ...moved, turn: moved.turn + by } : moved;
}
