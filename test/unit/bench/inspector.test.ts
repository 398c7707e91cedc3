/** test/unit/bench: the inspector's bench runs, on sessions so small that its figures say nothing. */
import assert from "node:assert/strict";
import { measure } from "../../../bench/inspector";
import { callOf, handleNamed, writeLongRun } from "../../../bench/inspector/longRun";
import { projectSession } from "../../../src/inspector/project";
import type { SessionEvent } from "../../../src/schema/event";
import { INCREMENT_BYTES } from "../../../src/schema/inspector";
import { sha256 } from "../../../src/store/digest";
import { eventWith, logged } from "../../support/everyEvent";
import { inspectorBundle } from "../../support/inspectorPage";

test("a long run is a session as the inspector shows one: three turns to a question, every fourth result stored and shortened", async () => {
  const events: SessionEvent[] = [eventWith("session_started")];
  const contents = new Set<string>();
  await writeLongRun({
    ...{ turns: 60, storedChars: 5000 },
    append: async (event) => void events.push(event),
    put: async (text) => {
      contents.add(text);
      return { sha256: sha256(text), frames: sha256(text), bytes: text.length };
    },
  });
  const view = projectSession(logged(events));
  assert.ok(view);
  assert.equal(view.turns.length, 60);
  assert.equal(view.turns.filter(({ asked }) => asked !== null).length, 20);
  const calls = view.turns.flatMap((turn) => turn.calls);
  assert.equal(calls.length, 40);
  const kept = calls.filter(({ stored }) => stored !== null);
  assert.deepEqual(
    kept.map(({ stored }) => stored?.handle),
    kept.map(({ call }) => handleNamed(call)),
  );
  assert.deepEqual([kept.length, contents.size, view.totals.storedResults], [10, 10, 10]);
  assert.ok(kept.slice(0, 8).every(({ shortened }) => shortened.length === 1));
  assert.equal(kept[1]?.call, callOf(7));
});

test("every figure is there on sessions of a few turns, and no increment is too large", async function () {
  this.timeout(120_000); // a machine without a Chromium gets one
  const figures = await measure(
    {
      ...{ shortTurns: 6, longTurns: 24, storedChars: 5000, largeBytes: 200_000, lineBytes: 100_000 },
      ...{ pages: 1, scrolledFrames: 4, appends: 26 },
    },
    await inspectorBundle(),
  );
  assert.deepEqual(
    Object.entries(figures).filter(([, value]) => !Number.isFinite(value)),
    [],
  );
  assert.ok((figures.append_bytes_max ?? 0) > 0 && (figures.append_bytes_max ?? 0) <= INCREMENT_BYTES);
  assert.ok((figures.log_bytes ?? 0) > 0 && (figures.heap_mb ?? 0) > 0);
});
