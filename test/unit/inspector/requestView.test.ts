/** What was sent at any turn, rebuilt from the log: exactly that, beside the request before, whatever way one goes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { estimatedTokens } from "../../../src/history/tokens";
import { PAGE_ITEMS, RequestReader } from "../../../src/inspector/requestView";
import type { Logged } from "../../../src/schema/event";
import { type RequestItem, SentRequest } from "../../../src/schema/requestView";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { Attack, anyRun } from "../../support/anySession";
import { hash, openHouse, tool } from "../../support/house";
import { readOne } from "../../support/transcripts";

const viewsOf = (reader: RequestReader) => reader.turns.map((turn) => reader.at(turn) ?? assert.fail());

function checkSession(events: readonly Logged[]): void {
  const requested = events.filter((event) => event.type === "requested");
  const reader = new RequestReader(events, estimatedTokens);
  assert.deepEqual(
    reader.turns,
    requested.map(({ turn }) => turn),
  );
  for (const [i, event] of requested.entries()) {
    const view = reader.at(event.turn) ?? assert.fail();
    assert.deepEqual(SentRequest.parse(view), view);
    assert.equal(reader.exact(event.turn, hash), true, `turn ${event.turn} is not what was sent`);
    const items = reader.page(event.turn, -2, 1e6) ?? assert.fail();
    assert.equal(items.length, event.messages + 2);
    assert.deepEqual(
      items.map(({ at }) => at),
      items.map((_, at) => at - 2),
    );
    const counts = (state: string) => items.filter((one) => one.state === state).length;
    assert.deepEqual(
      [counts("same"), counts("changed"), counts("new")],
      [view.same, view.changed, view.added],
    );
    const tokens = items.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
    assert.equal(tokens, event.prefix?.totalTokens, "what is listed is what the log counts");
    if (i === 0) assert.deepEqual([view.divergence, view.added], [null, items.length]);
    else checkChanges(view, items);
  }
}

/** The first difference is where the record says, and its event is the one on record. */
function checkChanges({ prefix, divergence, removed }: SentRequest, items: readonly RequestItem[]): void {
  assert.ok(prefix);
  assert.deepEqual([divergence?.at, divergence?.by], [prefix.messages, prefix.by]);
  if (prefix.messages < 0) return;
  const first = items.find(({ state }) => state !== "same");
  if (prefix.by === null) {
    assert.ok(first === undefined || (first.state === "new" && first.at === prefix.messages));
    assert.equal(removed, 0);
  } else if (first?.state === "changed") {
    assert.equal(first.at, prefix.messages);
    assert.deepEqual(first.by, prefix.by);
  } else assert.ok(["repaired", "pruned"].includes(prefix.by.type), "only splices move what is the same");
}

test("any session: every request is rebuilt byte for byte, and first differs where the log says (property)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 4 }), async (runs) => {
      const attack = new Attack();
      for (const [n, one] of runs.entries()) await attack.run(one, `Question ${n}: what is it?`);
      checkSession(attack.events);
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});

/** So many calls, one a turn, results of 5,000 characters that are shortened as they grow old. */
async function longSession(calls: number): Promise<Logged[]> {
  const house = await openHouse({
    replies: [
      ...Array.from({ length: calls }, (_, n) => ({
        calls: [{ name: "read", arguments: { n } }],
      })),
      { say: "Done." },
    ],
    tools: [tool("read", (args) => `${args}\n${"word ".repeat(1000)}`)],
    settings: {
      maxTurns: calls + 1,
      claimCheck: { ...DEFAULT_SETTINGS.claimCheck, thresholdChars: 100_000 },
      ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" },
    },
  });
  assert.equal((await house.ask("Read all.")).end, "answered");
  return house.events;
}

test("whatever way one goes, a turn is shown the same", async () => {
  const events = await longSession(600);
  const expected = viewsOf(new RequestReader(events, null));
  const reader = new RequestReader(events, null);
  const turns = [...reader.turns];
  const strides = Array.from({ length: 80 }, (_, n) => turns[(n * 389) % turns.length] ?? 0);
  for (const turn of [600, 599, 598, 1, 2, 601, 17, 16, 15, 601, ...strides]) {
    const view = reader.at(turn) ?? assert.fail(`turn ${turn}`);
    assert.deepEqual(view, expected[turns.indexOf(turn)]);
    assert.equal(reader.exact(turn, hash), true);
  }
});

test("what was shortened is changed, by the event that did it; the rest is the same or new", async () => {
  const events = await longSession(6);
  const reader = new RequestReader(events, estimatedTokens);
  const view = reader.at(3) ?? assert.fail();
  const aged = events.find(({ type }) => type === "aged") ?? assert.fail();
  assert.deepEqual(
    view.items.map(({ at, role, tool: name, state, by }) =>
      [at, role, name, state, by?.n].filter((one) => one !== null && one !== undefined).join(" "),
    ),
    [
      "-2 system same",
      "-1 tools same",
      "0 user same",
      "1 assistant same",
      `2 tool read changed ${aged.n}`,
      "3 assistant new",
      "4 tool read new",
    ],
  );
  const result = view.items.find(({ at }) => at === 2) ?? assert.fail();
  const text = reader.text(3, 2) ?? assert.fail();
  assert.deepEqual([result.call, result.chars], ["t1c0", text.length]);
  assert.equal(reader.text(2, 2)?.length, 5008);
  assert.ok(text.replace(/\s+/g, " ").startsWith(result.preview));
  assert.ok(result.preview.length > 190 && result.preview.length <= 200);
  assert.equal(reader.text(3, 3), 'read {"n":1}');
  assert.deepEqual([reader.at(99), reader.page(99, 0, 1), reader.text(3, 99)], [null, null, null]);
});

test("a request of many messages comes in pages", async () => {
  const events = await longSession(300);
  const reader = new RequestReader(events, null);
  const view = reader.at(301) ?? assert.fail();
  assert.deepEqual([view.items.length, view.messages], [PAGE_ITEMS, 601]);
  assert.deepEqual(
    reader.page(301, 598, 200)?.map(({ at, tokens }) => [at, tokens]),
    [
      [598, null],
      [599, null],
      [600, null],
    ],
  );
  assert.deepEqual(reader.page(301, -2, PAGE_ITEMS), view.items);
});

test("a log that grows is read on; what its provider cached is told", async () => {
  const events = await longSession(5);
  const growing = events.slice(
    0,
    events.findIndex((event) => event.type === "requested" && event.turn === 3),
  );
  const reader = new RequestReader(growing, null);
  assert.deepEqual([reader.turns, reader.at(3)], [[1, 2], null]);
  assert.equal(reader.at(2)?.cachedTokens, null);
  growing.push(...events.slice(growing.length));
  assert.equal(reader.exact(6, hash), true);
  const usage = { inputTokens: 9, outputTokens: 1, cachedTokens: 7 };
  const reported = events.map((event) => (event.type === "replied" ? { ...event, usage } : event));
  assert.equal(new RequestReader(reported, null).at(6)?.cachedTokens, 7);
});

test("a log with one changed word is not what was sent", async () => {
  const events = (await longSession(3)).map((event) =>
    event.type === "asked" ? { ...event, text: "Read some." } : event,
  );
  const reader = new RequestReader(events, null);
  assert.deepEqual(
    reader.turns.map((turn) => reader.exact(turn, hash)),
    [false, false, false, false],
  );
});

test("of what another program sent nobody knows whether it is exact", async () => {
  const line = (role: string, content: string) => ({ role, content });
  const { events } = await readOne(JSON.stringify([line("user", "Look."), line("assistant", "I see.")]));
  const reader = new RequestReader(events, null);
  const view = reader.at(1) ?? assert.fail();
  assert.deepEqual([reader.exact(1, hash), view.bytes, view.sha256, view.prefix], [null, null, null, null]);
  assert.deepEqual(
    view.items.map(({ role, preview }) => `${role} ${preview}`),
    ["system ", "tools []", "user Look."],
  );
});
