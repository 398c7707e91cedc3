/** What a model calls a token, learned from the log. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  calibratedTokens,
  calibrationFold,
  calibrationFrom,
  factorOf,
} from "../../../src/history/calibration";
import type { EventOf, Logged, SessionEvent } from "../../../src/schema/event";

const logged = (events: readonly SessionEvent[]): Logged[] =>
  events.map((event, n) => ({ ...event, n, at: n, origin: "loop" }));

function requested(
  turn: number,
  tokens: number | null,
  { counter = "o200k_base", ...about }: Partial<EventOf<"requested">> & { counter?: string } = {},
): SessionEvent {
  const size = { messages: 1, chars: 1, bytes: 1 };
  const prefix = { messages: -1, bytes: 0, tokens: 0, totalTokens: tokens ?? 0, counter, by: null };
  return { type: "requested", turn, model: "m", ...size, ...(tokens !== null && { prefix }), ...about };
}
function replied(turn: number, input: number | null, end: EventOf<"replied">["end"] = "calls"): SessionEvent {
  const usage = input === null ? null : { inputTokens: input, outputTokens: 1, cachedTokens: null };
  return { type: "replied", turn, text: "", calls: [], end, error: null, usage, elapsedMs: 0 };
}
const factor = (events: readonly SessionEvent[], model = "m") =>
  factorOf(calibrationFrom(logged(events)), model);

suite("history/calibration", () => {
  test("the ratio of what a model reports to what we count, over all of its requests", () => {
    assert.equal(factor([]), 1);
    assert.equal(factor([requested(1, 100), replied(1, 120)]), 1.2);
    assert.equal(factor([requested(1, 100), replied(1, 120), replied(1, 300)]), 1.2);
    assert.equal(factor([requested(1, 100), replied(1, 120), requested(2, 300), replied(2, 400)]), 1.3);
  });

  test("each model has its own; a name that objects have is a name like any other", () => {
    const events = ["a", "__proto__", "toString"].flatMap((model, i) => [
      requested(i, 100, { model }),
      replied(i, 110 + i * 10),
    ]);
    assert.deepEqual(
      ["a", "__proto__", "toString", "constructor"].map((model) => factor(events, model)),
      [1.1, 1.2, 1.3, 1],
    );
  });

  test("a factor stays between a half and three", () => {
    assert.equal(factor([requested(1, 100), replied(1, 1)]), 0.5);
    assert.equal(factor([requested(1, 100), replied(1, 9000)]), 3);
  });

  const SILENT: readonly (readonly [string, readonly SessionEvent[]])[] = [
    ["a reply without usage", [requested(1, 100), replied(1, null)]],
    ["usage of nothing", [requested(1, 100), replied(1, 0)]],
    ["a reply that failed", [requested(1, 100), replied(1, 200, "failed")]],
    ["a request that nobody counted", [requested(1, null), replied(1, 200)]],
    ["a request of no tokens", [requested(1, 0), replied(1, 200)]],
    ["a request with images", [requested(1, 100, { imageBytes: 5 }), replied(1, 200)]],
    ["a reply of another turn", [requested(1, 100), replied(2, 200)]],
    ["a second reply", [requested(1, 100), replied(1, null), replied(1, 200)]],
    ["a reply without a request", [replied(1, 200)]],
  ];
  for (const [what, events] of SILENT)
    test(`nothing is learned from ${what}`, () => assert.equal(factor(events), 1));

  test("another counter begins anew", () => {
    const estimated = { counter: "chars/3.3" };
    const events = [requested(1, 100), replied(1, 200), requested(2, 100, estimated), replied(2, 110)];
    assert.equal(factor(events), 1.1);
  });

  test("a state that was kept as JSON and taken up again goes on the same, wherever it was cut (property)", () => {
    const event = fc.oneof(
      fc
        .tuple(fc.nat(3), fc.option(fc.nat(500)), fc.constantFrom("m", "n", "__proto__"))
        .map(([turn, tokens, model]) => requested(turn, tokens, { model })),
      fc
        .tuple(fc.nat(3), fc.option(fc.nat(500)), fc.constantFrom("calls" as const, "failed" as const))
        .map((given) => replied(...given)),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.nat(30), (events, cut) => {
        const all = logged(events);
        const kept = JSON.parse(JSON.stringify(calibrationFrom(all.slice(0, cut))));
        const state = all.slice(cut).reduce(calibrationFold.reduce, kept);
        assert.deepEqual(state, calibrationFrom(all));
        for (const model of ["m", "n", "__proto__"]) {
          const of = factorOf(state, model);
          assert.ok(of >= 0.5 && of <= 3);
        }
      }),
    );
  });

  test("tokens held against a window are rounded up", () => {
    assert.deepEqual(
      [calibratedTokens(100, 1.001), calibratedTokens(100, 1), calibratedTokens(0, 3)],
      [101, 100, 0],
    );
  });
});
