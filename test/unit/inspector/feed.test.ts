/** What a page is told: first what it begins with, then only what changed, never more than an increment's bytes. */
import assert from "node:assert/strict";
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { Feed } from "../../../src/inspector/feed";
import { type InspectorFold, inspectorFold, projectSession, viewOf } from "../../../src/inspector/project";
import { freezeTurns, turnAt } from "../../../src/inspector/turnPages";
import type { Logged } from "../../../src/schema/event";
import { INCREMENT_BYTES, MAXIMUM_COLUMNS, ToView, type ToViewOf } from "../../../src/schema/inspector";
import type { SessionView } from "../../../src/schema/view";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { Attack, anyRun } from "../../support/anySession";
import { eventWith, everyEvent } from "../../support/everyEvent";
import { richHouse } from "../../support/inspectorHouse";
import { longSession } from "../../support/longSession";

const foldOf = (events: readonly Logged[]): InspectorFold =>
  events.reduce(inspectorFold.reduce, inspectorFold.begin());

/** What a page has when it asks for every turn that it was only told the place of. */
class Page {
  head: SessionView | null = null;
  readonly #turns: SessionView["turns"] = [];

  open({ head, newest, turnCount }: ToViewOf<"opened">): void {
    this.head = { ...head, turns: this.#turns };
    if (newest) this.#turns[turnCount - 1] = structuredClone(newest);
  }

  take(changed: ToViewOf<"changed">, fold: InspectorFold): void {
    Object.assign(this.head ?? {}, changed.head ?? {});
    for (const { at, turn } of changed.turns)
      this.#turns[at] = { ...structuredClone(turn), calls: this.#turns[at]?.calls ?? [] };
    for (const { at, place, call } of changed.calls) {
      const turn = this.#turns[at];
      if (turn) turn.calls[place] = structuredClone(call);
    }
    for (const at of changed.stale) {
      const whole = turnAt(fold.turns, at);
      if (whole) this.#turns[at] = structuredClone(whole);
    }
  }
}

/** Feeds a page event by event, from the first `before` on. */
function watched(
  events: readonly Logged[],
  before: number,
  each: (messages: ReturnType<Feed["changes"]>) => void,
) {
  let fold = foldOf(events.slice(0, before));
  const feed = new Feed();
  const page = new Page();
  const first = feed.opened(fold);
  assert.ok(first);
  page.open(first);
  for (const event of events.slice(before)) {
    fold = inspectorFold.reduce(fold, event);
    feed.note(fold.touched);
    const messages = feed.changes(fold);
    each(messages);
    for (const message of messages)
      if (message.type === "changed") page.take(message, fold);
      else if (message.type === "opened") page.open(message);
  }
  return { page, fold };
}

function within(messages: ReturnType<Feed["changes"]>): void {
  for (const message of messages) {
    ToView.parse(message);
    assert.equal(message.type, "changed");
    assert.ok(Buffer.byteLength(JSON.stringify(message)) <= INCREMENT_BYTES, JSON.stringify(message));
  }
}

suite("the inspector's feed", () => {
  test("any session, told event by event: no increment is too large, and the page ends with what the log says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 2 }), async (runs) => {
        const attack = new Attack();
        for (const [n, run] of runs.entries()) await attack.run(run, `Question ${n}?`);
        const { page, fold } = watched(attack.events, 1, within);
        const turns = viewOf(fold)?.turns.slice(-1) ?? [];
        assert.deepEqual(
          page.head?.turns.slice(-1).map(({ calls }) => calls),
          turns.map(({ calls }) => calls),
        );
        assert.deepEqual(page.head?.totals, fold.head?.totals);
      }),
      { numRuns: 40 },
    );
  });

  test("every event but what only measures changes something that is told", async () => {
    const house = await richHouse();
    for (const events of [everyEvent(), house.events]) {
      let at = 0;
      watched(events, 1, (messages) => {
        const event = events[++at];
        if (messages.length === 0) assert.match(event?.type ?? "", /^(adopted|measured|resumed)$/);
      });
    }
  });

  test("thousands of turns: what is told of one more event does not grow, nor what a page begins with", () => {
    const sizes = [300, 3000].map((turns) => {
      const events = longSession({ turns, calls: 2 });
      let bytes = 0;
      const { fold } = watched(events, events.length - 12, (messages) => {
        within(messages);
        bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(messages)));
      });
      const first = new Feed().opened(fold);
      assert.ok(first && first.plot.columns.length <= MAXIMUM_COLUMNS && first.rows.length <= 60);
      return { bytes, first: Buffer.byteLength(JSON.stringify(first)) };
    });
    const [few, many] = sizes;
    assert.ok(few && many);
    assert.ok(many.bytes <= few.bytes * 1.2, JSON.stringify(sizes));
    assert.ok(many.first <= few.first * 1.5, JSON.stringify(sizes));
  });

  test("turns that are frozen in a snapshot are read again as they were, and only those that are looked at", () => {
    const events = longSession({ turns: 300, calls: 2 });
    const fold = foldOf(events);
    const view = structuredClone(viewOf(fold));
    freezeTurns(fold.turns);
    const restored = deserialize(serialize(fold)) as InspectorFold;
    assert.equal(restored.turns.pages.filter(Array.isArray).length, 1);
    new Feed().opened(restored);
    assert.ok(restored.turns.pages.filter((page) => !Array.isArray(page)).length >= 3);
    assert.deepEqual(viewOf(restored), view);
    const more = longSession({ turns: 301, calls: 2 });
    const again = deserialize(serialize(fold)) as InspectorFold;
    assert.deepEqual(projectSession(more.slice(events.length), again), projectSession(more));
  });

  test("a snapshot takes a byte for a letter, whatever else stands in a turn, and no receipt of a call that is over", () => {
    const events = longSession({ turns: 300, calls: 2 }).map((event) =>
      event.type === "replied" ? { ...event, text: `${event.text} — \u{1f600} \ud800` } : event,
    );
    const fold = foldOf(events);
    const view = viewOf(fold);
    assert.ok(view);
    const { length } = JSON.stringify(view);
    freezeTurns(fold.turns);
    assert.ok(serialize(fold.turns).length < length * 1.1);
    assert.deepEqual(fold.receipts.shelves, []);
    const shown = view.turns.flatMap(({ calls }) =>
      calls.map(({ call, receipt }) => [call, receipt] as const),
    );
    assert.deepEqual(new Map(shown), receiptsFrom(events));
    assert.deepEqual(viewOf(deserialize(serialize(fold)) as InspectorFold), view);
  });

  test("a configuration that has too much to tell of it is told as at the beginning", () => {
    const [started, configured, ...rest] = longSession({ turns: 2, calls: 1 });
    assert.ok(started && configured?.type === "configured");
    const policyNotes = Array.from(
      { length: 80 },
      (_, n) => `Not used: policy-${n}.json, line 1, column 61. Expected`,
    );
    const types = new Set<string>();
    const { page, fold } = watched([started, { ...configured, policyNotes }, ...rest], 1, (messages) => {
      for (const { type } of messages) types.add(type);
    });
    assert.deepEqual([...types].sort(), ["changed", "opened"]);
    assert.deepEqual(page.head?.limits, fold.head?.limits);
    assert.ok((fold.head?.limits.length ?? 0) >= 80);
  });

  test("calls are told when their turn is answered and when they change, not with whatever else happens in the turn", () => {
    const wide = longSession({ turns: 12, calls: 100 });
    const ends = [eventWith("gated", { turn: 12 }), eventWith("run_ended", { turn: 12 })];
    const events = [
      ...wide,
      ...ends.map((event, n) => ({ ...event, n: wide.length + n, at: 0, origin: "loop" as const })),
    ];
    let at = 0;
    watched(events, 1, (messages) => {
      const event = events[++at];
      const told = messages.flatMap((message) => (message.type === "changed" ? message.calls : []));
      if (event?.type === "replied") assert.equal(told.length, event.calls.length);
      else assert.ok(told.length <= 1, `${told.length} calls for one ${event?.type}`);
    });
    assert.equal(at, events.length - 1);
  });

  test("one call read back by thousands, a turn of a thousand calls: still small pieces", () => {
    const wide = longSession({ turns: 3, calls: 900 });
    watched(wide, 1, within);
    const reread = longSession({ turns: 120, calls: 1, readsBackFirst: true });
    const { fold } = watched(reread, 1, within);
    assert.equal(turnAt(fold.turns, 0)?.calls[0]?.stored?.readBacks, 119);
    assert.ok((turnAt(fold.turns, 0)?.calls[0]?.stored?.readBy.length ?? 0) <= 50);
  });
});
