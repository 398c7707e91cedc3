/** A session of 20,000 messages is opened from its log and gone on with, thousands of old results shortened at once. */
import assert from "node:assert/strict";
import type { ChatModel } from "../../../src/schema/model";
import { openHouse, tool } from "../../support/house";

const TURNS = 6600;
const TOOLS = [tool("read", () => "r", { class: "read" })];

test("M12 20,000 messages, another model, thousands of cuts that pay: the first request leaves", async () => {
  const { events } = await openHouse({ replies: [], tools: TOOLS });
  const push = (event: object) =>
    events.push({ n: events.length, at: 2000, origin: "loop", ...event } as (typeof events)[number]);
  push({ type: "asked", turn: 1, text: "Go." });
  const prefix = { messages: 1, bytes: 1, tokens: 1, totalTokens: 1000, counter: "chars/3.3", by: null };
  const read = { shown: "inline", class: "read", limitChars: 4096, why: "", handle: null, isError: false };
  for (let turn = 1; turn <= TURNS; turn++) {
    const call = `t${turn}c0`;
    const calls = [{ call, id: call, name: "read", arguments: `{"path":"f${turn}"}` }];
    push({ type: "requested", turn, model: "claude", messages: 1, chars: 1, bytes: 1, prefix });
    push({ type: "replied", turn, text: "", calls, end: "calls", error: null, usage: null, elapsedMs: 1 });
    push({ type: "remembered", call, ...read, text: `${turn} ${"some words ".repeat(120)}` });
  }
  const abilities = { rawArguments: true, usage: false, cacheControl: false };
  const model: ChatModel = {
    info: { id: "claude-2", name: "Claude", maxInputTokens: null, abilities },
    async *reply() {
      yield { kind: "text", text: "Done." };
    },
  };
  const house = await openHouse({ replies: [], model, tools: TOOLS, events, blobs: new Map() });
  assert.equal((await house.ask("Go on.")).end, "answered");
  assert.ok((house.eventsOf("aged")[0]?.decisions.length ?? 0) > 6000);
});
