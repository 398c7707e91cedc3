/** Logs that were made to keep a page busy: what is told after an event does not grow with what was told before. */
import assert from "node:assert/strict";
import { Feed } from "../../../src/inspector/feed";
import { inspectorFold, projectSession } from "../../../src/inspector/project";
import type { SessionEvent } from "../../../src/schema/event";
import { eventWith, everyEvent } from "../../support/everyEvent";

/** Event by event, as a page is told. How often a turn was only named. */
function told(events: readonly SessionEvent[]): number {
  const feed = new Feed();
  let fold = inspectorFold.begin();
  let stale = 0;
  for (const [n, event] of events.entries()) {
    fold = inspectorFold.reduce(fold, { origin: "loop", ...event, n, at: 1_800_000_000_000 + n });
    if (n === 0) feed.opened(fold);
    feed.note(fold.touched);
    for (const message of feed.changes(fold)) if (message.type === "changed") stale += message.stale.length;
  }
  return stale;
}

suite("attack/feed", () => {
  for (const [what, event] of [
    ["notes", eventWith("resumed", { turn: 1 })],
    ["steps of making a request smaller", eventWith("overflowed")],
    ["shortenings of one result", eventWith("budgeted")],
  ] as const)
    test(`twenty thousand ${what} in one turn: each is told at the same cost`, function () {
      this.timeout(20_000);
      const many: SessionEvent[] = new Array(20_000).fill(event);
      assert.ok(told([...everyEvent(), ...many]) > 19_000);
    });

  test("turns in any order, each told once: what is said of one is shown in it", () => {
    const numbers = [3, 1, 4, 1, 5, 2, 3, 1, 2, 4, 5];
    const events = numbers.map((turn) => eventWith("asked", { turn, text: `turn ${turn}` }));
    const view = projectSession(
      [eventWith("session_started"), ...events].map((event, n) => ({ origin: "loop", ...event, n, at: n })),
    );
    assert.deepEqual(
      view?.turns.map(({ turn, asked }) => `${turn}: ${asked}`),
      [3, 1, 4, 5, 2].map((turn) => `${turn}: turn ${turn}`),
    );
  });
});
