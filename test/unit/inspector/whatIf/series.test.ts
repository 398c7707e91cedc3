/** A session under other settings: the same figures as its analysis, request by request, for any knobs, and stopped when told. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { analyse } from "../../../../src/inspector/whatIf/analyse";
import { analyseTranscript } from "../../../../src/inspector/whatIf/analyseTranscript";
import type { Pauses } from "../../../../src/inspector/whatIf/running";
import { prepareWhatIf } from "../../../../src/inspector/whatIf/series";
import type { RecordedSession } from "../../../../src/inspector/whatIf/wholes";
import { Failure } from "../../../../src/schema/failure";
import { DEFAULT_SETTINGS } from "../../../../src/schema/settings";
import { type WhatIfKnobs, WhatIfRun } from "../../../../src/schema/whatIf";
import { readTranscript } from "../../../../src/transcripts/readTranscript";
import { units } from "../../../support/benchSession";
import { openHouse, tool } from "../../../support/house";
import { sharedDir, sharedTest } from "../../../support/sharedData";
import { linesOf, readOne, transcriptPorts } from "../../../support/transcripts";

const never: Pauses = { shouldStop: () => false, pause: async () => undefined };

async function seriesOf(recorded: RecordedSession, turned: Partial<WhatIfKnobs> = {}): Promise<WhatIfRun> {
  const prepared = prepareWhatIf(recorded, units);
  const series = await prepared.series({ ...prepared.knobs, ...turned }, never);
  assert.ok(series);
  assert.deepEqual(WhatIfRun.parse(series), series);
  return series;
}

const sum = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0);

/** Two results, the second of which the last reply took something from. */
const reply = (id: string, text: string, ...content: unknown[]) => ({
  ...{ sessionId: "s1", uuid: "u", type: "assistant" },
  message: { role: "assistant", id, model: "claude-x", content: [{ type: "text", text }, ...content] },
});
const words = (content: unknown) => ({
  ...{ sessionId: "s1", uuid: "u", type: "user" },
  message: { role: "user", content },
});
const call = (id: string) => ({ type: "tool_use", id, name: "Fetch", input: {} });
const NEEDLE = `${"a".repeat(5000)} needle thread ${"b".repeat(986)}`;
const TRANSCRIPT = linesOf(
  words("Look."),
  reply("m1", "", call("c1")),
  words([{ type: "tool_result", tool_use_id: "c1", content: "c".repeat(4200) }]),
  reply("m2", "", call("c2")),
  words([{ type: "tool_result", tool_use_id: "c2", content: NEEDLE }]),
  reply("m3", "It says needle thread."),
);

test("a figure for each request; what was read back stands where it was needed", async () => {
  const series = await seriesOf(await readOne(TRANSCRIPT));
  const { everything, cloakroom, recorded } = series.tokens;
  assert.deepEqual(series.turns, [1, 2, 3]);
  assert.deepEqual(everything, [12_005, 12_005 + 2 + 4200, 12_005 + 2 + 4200 + 2 + 6001]);
  assert.equal(recorded, null);
  assert.deepEqual(cloakroom.slice(0, 2), everything.slice(0, 2));
  assert.deepEqual([series.readBack.slice(0, 2), series.readBacks], [[0, 0], 1]);
  const asking = series.readBack[2] ?? 0;
  assert.equal(cloakroom[2], asking + NEEDLE.length - 4096);
  assert.deepEqual(series.storedOnArrival, { results: 1, tokens: (everything[2] ?? 0) - asking });
  assert.deepEqual(series.hiddenAtEnd, series.storedOnArrival);
});

test("knobs: a lower threshold stores more, a longer head shows more, off shortens nothing later", async () => {
  const recorded = await readOne(TRANSCRIPT);
  const stored = async (turned: Partial<WhatIfKnobs>) => (await seriesOf(recorded, turned)).storedOnArrival;
  assert.equal((await stored({ thresholdChars: 4096, slack: 0 })).results, 2);
  assert.equal((await stored({ thresholdChars: 7000 })).results, 0);
  const [short, long] = [await stored({ headChars: 100 }), await stored({ headChars: 2100 })];
  assert.equal(short.tokens - long.tokens, 2000 + 1); // a digit more of what is shown, and one less of what is not
  const { cost } = await seriesOf(recorded, { prices: { write: 1, read: 1, ttlSeconds: null } });
  const { tokens } = await seriesOf(recorded);
  assert.equal(cost.everything, sum(tokens.everything));
});

test("sessions of ours: what was really sent stands beside it, and their own settings are where the knobs begin", async () => {
  const house = await openHouse({
    replies: [{ calls: [{ name: "read", arguments: {} }] }, { say: "Done." }],
    tools: [tool("read", () => "word ".repeat(2000))],
    settings: { claimCheck: { ...DEFAULT_SETTINGS.claimCheck, thresholdChars: 2000, headChars: 100 } },
  });
  await house.ask("Read.");
  const recorded = { events: house.events, contents: house.blobs as never };
  const prepared = prepareWhatIf(recorded, units);
  assert.deepEqual([prepared.knobs.thresholdChars, prepared.knobs.headChars], [2000, 100]);
  const { tokens, peak } = await seriesOf(recorded);
  const sent = house.eventsOf("requested").map(({ prefix }) => prefix?.totalTokens);
  assert.deepEqual([tokens.recorded, peak.recorded], [sent, sent[1]]);
});

test("knobs that the session's other settings do not allow are refused, as Settings would", async () => {
  const { events, contents } = await readOne(TRANSCRIPT);
  const claimCheck = { ...DEFAULT_SETTINGS.claimCheck, previewChars: 3000, exclude: ["gone_tool"] };
  const settings = { ...DEFAULT_SETTINGS, claimCheck };
  const configured = events.map((event) => (event.type === "configured" ? { ...event, settings } : event));
  const recorded = { events: configured, contents };
  assert.equal((await seriesOf(recorded)).storedOnArrival.results, 1);
  await assert.rejects(
    seriesOf(recorded, { thresholdChars: 2000 }),
    (cause) => cause instanceof Failure && cause.code === "settings-invalid",
  );
});

test("a replay lets others have their turn, and ends where it is told to", async () => {
  const many = Array.from({ length: 60 }, (_, n) => [
    reply(`m${n}`, "", call(`c${n}`)),
    words([{ type: "tool_result", tool_use_id: `c${n}`, content: `${n} `.repeat(900) }]),
  ]);
  const prepared = prepareWhatIf(await readOne(linesOf(words("Look."), ...many.flat())), units);
  let pauses = 0;
  const pause = async () => void pauses++;
  assert.ok(await prepared.series(prepared.knobs, { pause, shouldStop: () => false }));
  assert.ok(pauses >= 10, `${pauses} pauses`);
  for (const after of [1, 5, pauses]) {
    pauses = 0;
    const stopped = await prepared.series(prepared.knobs, { pause, shouldStop: () => pauses >= after });
    assert.deepEqual([stopped, pauses], [null, after]);
  }
});

test("a transcript is analysed in memory: what the command line prints, and what a view is made of", async () => {
  const one = await readOne(TRANSCRIPT);
  const read = async () => [one, one];
  const [first, second] = await analyseTranscript("a file", read, { tokens: units });
  assert.deepEqual(first?.analysis, {
    source: "a file (session 1 of 2)",
    ...analyse(one, { tokens: units }),
  });
  assert.equal(second?.recorded, one);
});

const folder = sharedDir() && path.join(sharedDir() ?? "", "traces");
const files = folder ? readdirSync(folder).filter((name) => !/\.(md|tsv)$/.test(name)) : [];

suite("real transcripts under their own settings", () => {
  for (const file of files.filter((name) => !name.includes("taubench")))
    sharedTest(
      `${file}: request by request it is what the analysis says`,
      [`traces/${file}`],
      async (real) => {
        const { sessions } = await readTranscript(real, transcriptPorts);
        for (const session of sessions) {
          const series = await seriesOf(session);
          const { everything, cloakroom, requests } = analyse(session, { tokens: units });
          const { tokens, readBack } = series;
          assert.equal(tokens.cloakroom.length, requests);
          assert.deepEqual(
            [sum(tokens.everything), sum(tokens.cloakroom) + sum(readBack)],
            [everything.tokens, cloakroom.tokens],
          );
          assert.deepEqual(
            [series.cost.everything, series.cost.cloakroom],
            [everything.cost, cloakroom.cost],
          );
          assert.deepEqual(
            [series.peak.cloakroom, series.hiddenAtEnd, series.readBacks],
            [cloakroom.peakTokens, cloakroom.hiddenAtEnd, cloakroom.readBack.requests],
          );
        }
      },
    );
});
