import assert from "node:assert/strict";
import { askAgain } from "../../../src/inspector/askAgain";
import type { Logged } from "../../../src/schema/event";
import { eventWith } from "../../support/everyEvent";

const repliedWith = (written: string): readonly Logged[] => {
  const calls = [{ call: "t3c0", id: "x", name: "search_text", arguments: written }];
  return [{ ...eventWith("replied", { turn: 3, calls }), n: 1, at: 0, origin: "loop" }];
};

test("a call is asked for again with its whole arguments, or by its turn where they are long", () => {
  const whole = JSON.stringify({ query: "x".repeat(600) }); // a view has 300 characters
  assert.equal(
    askAgain("search_text", "t3c0", repliedWith(whole)),
    `Call search_text again with the arguments ${whole}`,
  );
  const byTurn = "Call search_text again with the same arguments as in turn 3";
  assert.equal(askAgain("search_text", "t3c0", repliedWith("y".repeat(1001))), byTurn);
  assert.equal(askAgain("search_text", "t3c0", []), byTurn);
});
