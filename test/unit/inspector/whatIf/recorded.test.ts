/** What was recorded and what would have been sent are counted by one rule: where nothing differs, no figure does. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { estimatedTokens } from "../../../../src/history/tokens";
import { analyse } from "../../../../src/inspector/whatIf/analyse";
import { seriesOnWire } from "../../../../src/inspector/whatIf/onWire";
import { prepareWhatIf } from "../../../../src/inspector/whatIf/series";
import { sessionOf as sessionItems } from "../../../../src/inspector/whatIf/session";
import type { RecordedSession } from "../../../../src/inspector/whatIf/wholes";
import type { ScriptReply } from "../../../../src/models/script";
import { createScriptedModel } from "../../../../src/models/scripted";
import type { Logged } from "../../../../src/schema/event";
import type { TokenCounter } from "../../../../src/schema/tokens";
import { openHouse, tool } from "../../../support/house";

async function sumsOf(recorded: RecordedSession) {
  const prepared = prepareWhatIf(recorded, estimatedTokens);
  const run = await prepared.series(prepared.knobs, {
    shouldStop: () => false,
    pause: async () => undefined,
  });
  assert.ok(run);
  return seriesOnWire(run).sums;
}

test("a stored result that is gone counts by its size: everything is as large, and what if nearly, as with it", async () => {
  const text = Array.from({ length: 3000 }, (_, n) => `line ${n} of the harbour log\n`).join("");
  for (const reach of [{}, { reach: "outside" as const }]) {
    const house = await openHouse({
      replies: [{ calls: [{ name: "read", arguments: {} }] }, { say: "It is line 2999 of the harbour log." }],
      tools: [tool("read", () => text, reach)],
    });
    await house.ask("Read.");
    const { events } = house;
    const [there, gone] = [
      await sumsOf({ events, contents: house.blobs as never }),
      await sumsOf({ events, contents: new Map() }),
    ];
    assert.deepEqual(gone.everything, there.everything);
    assert.ok(there.everything.tokens > 5 * (there.recorded?.tokens ?? 0));
    const [would, sent] = [gone.cloakroom.tokens, gone.recorded?.tokens ?? 0];
    assert.ok(Math.abs(would - sent) < sent / 10, `${would} of ${sent} tokens`);
    const notes = (contents: RecordedSession["contents"]) =>
      analyse({ events, contents }, { tokens: estimatedTokens }).notes;
    assert.deepEqual(notes(house.blobs as never), []);
    assert.match(notes(new Map())[0] ?? "", /^1 stored result\(s\) are deleted .* by their size$/);
  }
});

test("a result whose content is gone is what was measured of it, whoever counted", async () => {
  const house = await openHouse({
    replies: [{ calls: [{ name: "read", arguments: {} }] }, { say: "Done." }],
    tools: [tool("read", () => "word ".repeat(4000))],
  });
  await house.ask("Read.");
  const recorded = { events: house.events, contents: new Map() };
  const tokensBy = (counter: TokenCounter) =>
    sessionItems("", recorded, counter).items.find(({ kind }) => kind === "result")?.tokens ?? 0;
  const other = { name: "other", count: (words: string) => Math.ceil(words.length / 2) };
  assert.equal(tokensBy(estimatedTokens), estimatedTokens.count("word ".repeat(4000)));
  assert.ok(Math.abs(tokensBy(other) - 10_000) < 100, "as what is known of it has them");
  const item = sessionItems("", recorded, other).items.find(({ kind }) => kind === "result");
  assert.equal(item?.text.length, 20_000);
});

const reads = fc.array(fc.nat(800), { maxLength: 3 }); // characters of each result
const run = fc.record({
  model: fc.constantFrom("scripted", "another-model"),
  question: fc.string({ maxLength: 60 }),
  replies: fc.array(reads, { maxLength: 3 }),
  answer: fc.string({ minLength: 1, maxLength: 60 }),
});
type Run = typeof run extends fc.Arbitrary<infer Of> ? Of : never;

async function sessionOf(runs: readonly Run[], isOutside: boolean): Promise<readonly Logged[]> {
  let events: readonly Logged[] = [];
  const wordsOf = (given: string) => "word ".repeat((JSON.parse(given) as { count: number }).count / 5);
  const read = tool("read", wordsOf, isOutside ? { reach: "outside" } : {});
  const scripted = createScriptedModel(
    { name: "scripted", conversations: runs.map(scriptOf) },
    async () => {},
  );
  for (const { model, question } of runs) {
    const info = { ...scripted.info, id: model };
    const house = await openHouse({ replies: [], model: { ...scripted, info }, tools: [read], events });
    await house.ask(question);
    events = house.events;
  }
  return events;
}

function scriptOf({ replies, answer }: Run): ScriptReply[] {
  const calls = replies.map((chars) => chars.map((count) => ({ name: "read", arguments: { count } })));
  return [...calls.map((some) => ({ say: "I look.", calls: some })), { say: answer }];
}

test("a session under its own settings, nothing of it stored: everything, what if and recorded are the same", async () => {
  const runs = fc.array(run, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(runs, fc.boolean(), async (some, isOutside) => {
      const events = await sessionOf(some, isOutside);
      fc.pre(events.every(({ type }) => type !== "tool_result_stored" && type !== "aged"));
      const recorded = { events, contents: new Map() };
      const { everything, cloakroom, recorded: sent } = await sumsOf(recorded);
      assert.deepEqual([everything, cloakroom], [sent, sent]);
      const analysis = analyse(recorded, { tokens: estimatedTokens });
      const windows = [analysis.everything.last, analysis.cloakroom.last, analysis.cloakroom.largest];
      for (const window of windows)
        assert.equal(
          window?.fills.reduce((sum, { tokens }) => sum + tokens, 0),
          window?.tokens,
        );
    }),
    { numRuns: 60 },
  );
});
