// test/support: what must hold for the log of any session, however it went.
import assert from "node:assert/strict";
import { foldHistory } from "../../src/history/fold";
import { requestText } from "../../src/history/requestText";
import { estimatedTokens } from "../../src/history/tokens";
import { projectSession } from "../../src/inspector/project";
import { type Logged, SessionEvent, Stamp } from "../../src/schema/event";
import { receiptsFrom } from "../../src/thimble/receipt";
import { assertFills } from "./fills";
import { hash } from "./house";
import { problemOf } from "./pictures";

/** The events as they come back from a disk. */
export const reread = (events: readonly Logged[]): Logged[] =>
  events.map((event) => {
    const value: unknown = JSON.parse(JSON.stringify(event));
    return { ...Stamp.parse(value), ...SessionEvent.parse(value) };
  });

/** Every request can be rebuilt from the log alone and was valid; every call has one receipt; nothing unsafe was sent; what filled it is true. */
export function assertSound(live: readonly Logged[]): void {
  const events = reread(live);
  assert.deepEqual(events, JSON.parse(JSON.stringify(live)), "the log reads back as it was written");
  events.forEach((event, at) => {
    if (event.type !== "requested") return;
    const before = events.slice(0, at);
    const configured = before.findLast(({ type }) => type === "configured");
    assert.ok(configured?.type === "configured");
    const { messages } = foldHistory(before);
    const { system, tools } = configured;
    assert.equal(
      hash(requestText({ system, tools, messages })),
      event.sha256,
      `the request of turn ${event.turn}`,
    );
    assert.equal(problemOf(messages), null, `the request of turn ${event.turn}`);
    assert.ok(messages.every(({ text }) => text.isWellFormed()));
  });
  const calls = events.flatMap((event) => (event.type === "clamped" ? [event.call] : []));
  assert.deepEqual([...receiptsFrom(events).keys()], calls);
  assert.ok(projectSession(events));
  assertFills(events, estimatedTokens);
}
