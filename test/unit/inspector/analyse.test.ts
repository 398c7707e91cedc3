/** Analyses of recorded sessions: figures that can be added up by hand, and what holds for every real transcript. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { analysisReport, totalLine } from "../../../src/inspector/analysisReport";
import { type Analysis, analyse } from "../../../src/inspector/whatIf/analyse";
import type { Window } from "../../../src/inspector/whatIf/fills";
import { PROFILES } from "../../../src/inspector/whatIf/profiles";
import { countedOnce } from "../../../src/inspector/whatIf/tokens";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { units } from "../../support/benchSession";
import { sharedDir, sharedTest } from "../../support/sharedData";
import { linesOf, readOne, transcriptPorts } from "../../support/transcripts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2) + 1000 * seconds).toISOString();
const line = (type: string, seconds: number, message: Record<string, unknown>) => ({
  ...{ sessionId: "s1", uuid: "u", type, timestamp: at(seconds) },
  message: { role: type, ...message },
});
const said = (seconds: number, id: string, text: string, ...calls: readonly [string, string, unknown][]) =>
  line("assistant", seconds, {
    ...{ id, model: "claude-x", usage: { input_tokens: 9000 + seconds, output_tokens: 1 } },
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(([call, name, input]) => ({ type: "tool_use", id: call, name, input })),
    ],
  });
const came = (seconds: number, id: string, content: string) =>
  line("user", seconds, { content: [{ type: "tool_result", tool_use_id: id, content }] });

const LONG = `${"a".repeat(5999)}!`;
/** One unit, one token. Six minutes pass before the last reply, in which the cache is lost. */
const TINY = linesOf(
  line("user", 0, { content: "Look." }),
  said(1, "m1", "I look.", ["c1", "Fetch", { path: "a" }]),
  came(2, "c1", LONG),
  said(3, "m2", "", ["c2", "Bash", { command: "ls" }]),
  came(4, "c2", "x"),
  said(364, "m3", "Done."),
);
const HANDLE = `claim:${"2".padStart(32, "0")}`;
/** What stands in the place of the long result: its first 512 characters. */
const TICKET = [
  "[Incomplete: first 512 of 6000 characters from Fetch (1 line, text). Absence below proves nothing.]",
  "a".repeat(512),
  `[6000 characters, 5488 not shown. Call fetch_result with handle='${HANDLE}' to read the rest.]`,
].join("\n\n");

const tiny = async (): Promise<Analysis> => analyse(await readOne(TINY, "Claude Code"), { tokens: units });
const fillsOf = (window: Window | null) =>
  (window?.fills ?? []).map(({ kind, tool, items, tokens }) =>
    [kind, tool, items, tokens].filter((part) => part !== null).join(" "),
  );

test("what filled the window, by kind, and what it cost to send everything", async () => {
  const { everything, requests, gaps, model, profile, reportedPeakTokens, recorded, format } = await tiny();
  assert.deepEqual(
    [requests, model, format, reportedPeakTokens, recorded],
    [3, "claude-x", "Claude Code", 9364, null],
  );
  assert.deepEqual(profile, {
    name: "anthropic-5m",
    write: 1.25,
    read: 0.1,
    ttlSeconds: 300,
    by: "model",
  });
  assert.deepEqual(gaps, { overTtl: 1, longestSeconds: 361 });
  assert.deepEqual(fillsOf(everything.last), [
    "assumed 1 12000",
    "words 1 5",
    "replies 2 7",
    "arguments 2 28", // {"path":"a"} and {"command":"ls"}, with what was said nothing
    "result Fetch 1 6000",
    "result Bash 1 1",
  ]);
  // 12,005; then 12,005 + 7 + 12 + 6,000; then all again, 12,000 + 5 + 7 + 28 + 6,001, after the wait.
  assert.deepEqual(
    [everything.peakTokens, everything.tokens, everything.cost],
    [
      18_041,
      12_005 + 18_024 + 18_041,
      Math.round(1.25 * 12_005 + 0.1 * 12_005 + 1.25 * 6019 + 1.25 * 18_041),
    ],
  );
});

test("what Cloakroom would have stored, hidden and sent", async () => {
  const { everything, cloakroom, largestItems } = await tiny();
  const hidden = 6000 - TICKET.length;
  assert.deepEqual(cloakroom.storedOnArrival, { results: 1, tokens: hidden });
  assert.deepEqual(cloakroom.shortenedLater, { results: 0, tokens: 0, toOneLine: 0 });
  assert.deepEqual(cloakroom.hiddenAtEnd, { results: 1, tokens: hidden });
  assert.deepEqual(cloakroom.readBack, { needed: 0, requests: 0, tokens: 0 });
  assert.equal(cloakroom.peakTokens, everything.peakTokens - hidden);
  assert.equal(cloakroom.tokens, everything.tokens - 2 * hidden);
  assert.equal(cloakroom.cost, Math.round(1.35 * 12_005 + 1.25 * (6019 - hidden) + 1.25 * (18_041 - hidden)));
  assert.deepEqual(
    largestItems.map((one) =>
      [one.turn, one.kind, one.tool, one.subject, one.tokens, one.shownTokens].join(" "),
    ),
    [
      `1 result Fetch a 6000 ${TICKET.length}`,
      "2 arguments Bash ls 16 16",
      "1 arguments Fetch a 12 12",
      "1 reply  I look. 7 7",
      "1 words  Look. 5 5",
      "2 result Bash ls 1 1",
    ],
  );
});

test("what a later reply took from a hidden result is read back, and paid for", async () => {
  const text = `${"a".repeat(5000)} needle thread ${"b".repeat(986)}`;
  const transcript = linesOf(
    line("user", 0, { content: "Look." }),
    said(1, "m1", "", ["c1", "Fetch", {}]),
    came(2, "c1", text),
    said(3, "m2", "It says needle thread."),
  );
  const { cloakroom } = analyse(await readOne(transcript), { tokens: units });
  assert.deepEqual(cloakroom.readBack, { needed: 1, requests: 1, tokens: text.length - 4096 });
  assert.equal(cloakroom.requests, 3);
  assert.equal(fillsOf(cloakroom.last).at(-1), `read_back 1 ${text.length - 4096}`);
});

test("the price list that is chosen is used; an unknown model has no cache, and nothing is shortened for it", async () => {
  const [, , uncached] = PROFILES;
  const results = Array.from({ length: 40 }, (_, n) => [
    said(2 * n, `m${n}`, "", [`c${n}`, "Fetch", {}]),
    came(2 * n + 1, `c${n}`, `${n} `.repeat(800)),
  ]);
  const transcript = linesOf(
    line("user", 0, { content: "Look." }),
    ...results.flat(),
    said(90, "end", "Done."),
  );
  const session = await readOne(transcript.replaceAll("claude-x", "nobody-knows"));
  const unknown = analyse(session, { tokens: units });
  assert.deepEqual([unknown.profile.by, unknown.cloakroom.shortenedLater.results], ["unknown", 0]);
  const chosen = analyse(session, { tokens: units, profile: uncached });
  assert.deepEqual([chosen.profile.by, chosen.profile.name], ["choice", "uncached"]);
  assert.ok(chosen.cloakroom.shortenedLater.toOneLine > 30);
  assert.equal(chosen.everything.cost, unknown.everything.cost);
});

test("repairs are counted by kind, in the messages as they stand in the transcript", async () => {
  const transcript = linesOf(
    line("user", 0, { content: "Look." }),
    said(1, "m1", "", ["c1", "Fetch", {}], ["c2", "Fetch", { path: "b" }]),
    came(2, "c1", "one"),
    came(3, "gone", "nobody asked"),
    said(4, "m2", "Done."),
  );
  const { repairs, notes } = analyse(await readOne(transcript), { tokens: units });
  assert.deepEqual(repairs, { result_orphaned: 1, result_missing: 1 });
  assert.deepEqual(notes, [
    "1 result(s) without a call: kept in the log, shown nowhere",
    "1 call(s) without a result",
  ]);
});

const index = sharedDir() && path.join(sharedDir() ?? "", "traces", "index.tsv");
const files = index ? readFileSync(index, "utf8").trim().split("\n").slice(1) : [];

suite("real transcripts, analysed", () => {
  for (const file of files.map((row) => row.split("\t")[0] ?? "")) {
    sharedTest(`${file}: the figures agree with one another`, [`traces/${file}`], async (real) => {
      const tokens = countedOnce(transcriptPorts.tokens);
      const { sessions } = await readTranscript(real, { ...transcriptPorts, tokens });
      const analysed = sessions.map((session) => ({ source: file, ...analyse(session, { tokens }) }));
      for (const one of analysed) {
        const { everything, cloakroom } = one;
        for (const window of [everything.last, cloakroom.largest, cloakroom.last])
          assert.equal(sumOf(window), window?.tokens);
        const { storedOnArrival, shortenedLater, hiddenAtEnd, readBack } = cloakroom;
        assert.equal(
          (everything.last?.tokens ?? 0) - hiddenAtEnd.tokens + readBack.tokens,
          cloakroom.last?.tokens ?? 0,
        );
        assert.equal(storedOnArrival.tokens + shortenedLater.tokens, hiddenAtEnd.tokens);
        assert.equal(cloakroom.peakTokens, cloakroom.largest?.tokens ?? 0);
        assert.equal(everything.requests, one.requests);
        assert.equal(cloakroom.requests, one.requests + readBack.requests);
        const lines = analysisReport(one);
        assert.deepEqual(
          lines.filter((text) => text.length > 100 || /\p{Cc}|undefined|NaN|Infinity/u.test(text)),
          [],
        );
      }
      assert.match(
        totalLine(analysed),
        /^Total: [\d,]+ sessions?, [\d,]+ requests?; cost [\d,]+, with Cloakroom/,
      );
    });
  }
});

const sumOf = (window: Window | null): number | undefined =>
  window?.fills.reduce((sum, { tokens }) => sum + tokens, 0);
