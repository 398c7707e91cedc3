/** A reply of thousands of calls, in whatever order they finish. What it costs: `npm run bench -- history`. */
import assert from "node:assert/strict";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import type { Logged, SessionEvent } from "../../../src/schema/event";

const CALLS = 10_000;

function logOf(order: readonly number[]): Logged[] {
  const calls = order.map((_, n) => ({ call: `t1c${n}`, id: `${n}`, name: "read", arguments: "{}" }));
  const reply = { text: "", end: "calls", error: null, usage: null, elapsedMs: 0 } as const;
  const results = order.map((n): SessionEvent => {
    const about = { class: "read", limitChars: null, why: "", handle: null, isError: false } as const;
    return { type: "remembered", call: `t1c${n}`, shown: "inline", text: `${n}`, ...about };
  });
  const events: SessionEvent[] = [
    { type: "asked", turn: 1, text: "Go." },
    { type: "replied", turn: 1, calls, ...reply },
    ...results,
  ];
  return events.map((event, n) => ({ n, at: n, origin: "loop", ...event }));
}

for (const [name, order] of [
  ["in call order", Array.from({ length: CALLS }, (_, n) => n)],
  ["a batch of eight backwards", Array.from({ length: CALLS }, (_, n) => (n & ~7) + 7 - (n & 7))],
] as const) {
  test(`10,000 results of one reply, ${name}, stand in call order`, () => {
    const events = logOf(order);
    const { messages, results } = foldHistory(events);
    assert.deepEqual(
      messages.slice(2).map(({ text }) => text),
      order.map((_, n) => `${n}`),
    );
    assert.ok([...results.values()].every(({ at, call }) => messages[at]?.text === call.slice(3)));
  });
}

test("P7 10,000 different calls with one id get their own", () => {
  const calls = Array.from({ length: CALLS }, (_, n) => ({
    call: `t1c${n}`,
    id: "x",
    name: "read",
    arguments: `${n}`,
  }));
  const [reply] = pair([{ role: "assistant", text: "", calls }], () => "proposed").messages;
  assert.ok(reply?.role === "assistant");
  assert.equal(new Set(reply.calls.map(({ id }) => id)).size, CALLS);
});
