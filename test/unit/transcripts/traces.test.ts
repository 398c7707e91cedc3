/** Real transcripts of other agents: each is read, valid, foldable, and has what its index says, or there is a reason. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import { projectSession } from "../../../src/inspector/project";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { sharedDir, sharedTest } from "../../support/sharedData";
import { assertValid, type Counts, countsOf, transcriptPorts } from "../../support/transcripts";

type Figures = Counts & { readonly sessions: number };

/** Where the index and we count another thing. `got`: what it is here. */
const REASONS: Readonly<Record<string, { readonly got: Partial<Figures>; readonly why: string }>> = {
  "cc-jazzyalex-small.jsonl": {
    got: { calls: 6, orphans: 1 },
    why: "its author gave all messages, and a result, one id: two messages are one, and a result has no call",
  },
  "codex-jazzyalex-small.jsonl": {
    got: { uses: 6, bytes: 387, images: 0, orphans: 1 },
    why: "the index has spaces in the JSON of a tool search; the image is an address, which is no image; a search of the provider is no call, and a result whose id was trimmed is not its",
  },
  "copilotcli-jazzyalex-small.jsonl": {
    got: { open: 1, orphans: 1 },
    why: "its author gave several calls one id: a second result of one is there, and none of another",
  },
  "oai-openhandssdk-deepseek-log.json": {
    got: { calls: 4, uses: 4, open: 1 },
    why: "the reply to the logged request, a call of finish, is read too",
  },
  "copilot-dealenx-chat-1mb.json": { got: { calls: 20 }, why: "the index adds one reply for each request" },
  "copilot-dealenx-mcp.json": { got: { calls: 4 }, why: "the index adds one reply for each request" },
  "copilot-spec-chatreplay.json": {
    got: { sessions: 1, calls: 4 },
    why: "its three prompts are one conversation: calls of one follow the request of another; it has four requests",
  },
  "roo-heavy-uncondensed.json": { got: { bytes: 198_097 }, why: "a key in a result is hidden" },
  "cline-core-session-messages.json": {
    got: { bytes: 21_094 },
    why: "the index has spaces in the JSON of results",
  },
  "gemini-trajectory.json": { got: { errors: 5 }, why: "the index does not look at response.error" },
  "gemini-failed-planmode.json": { got: { errors: 1 }, why: "the index does not look at response.error" },
  "pi-compact.jsonl": {
    got: { calls: 504, bytes: 529_765 },
    why: "the first record of the fused line is read; images are counted beside the text",
  },
};

const COLUMNS: Readonly<Record<keyof Figures, string>> = {
  sessions: "sessions",
  calls: "model_calls",
  uses: "tool_uses",
  results: "tool_results",
  bytes: "result_bytes",
  empty: "empty_results",
  errors: "error_results",
  images: "image_results",
  open: "uses_without_result",
  orphans: "results_without_use",
};

const index = sharedDir() && path.join(sharedDir() ?? "", "traces", "index.tsv");
const [head = [], ...rows] = index
  ? readFileSync(index, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t"))
  : [];

suite("real transcripts", () => {
  for (const row of rows) {
    const [file = ""] = row;
    sharedTest(`${file}: as its index says`, [`traces/${file}`], async (real) => {
      const { sessions } = await readTranscript(real, transcriptPorts);
      const expected: Record<string, number> = {};
      for (const [key, column] of Object.entries(COLUMNS)) expected[key] = Number(row[head.indexOf(column)]);
      const found: Record<string, number> = { sessions: sessions.length };
      for (const { events } of sessions) {
        assertValid(events);
        for (const [key, count] of Object.entries(countsOf(events))) found[key] = (found[key] ?? 0) + count;
        const history = foldHistory(events);
        pair(history.messages, (call) => history.pending.get(call));
        const view = projectSession(events);
        assert.equal(view?.turns.flatMap(({ calls }) => calls).length, countsOf(events).uses);
        assert.equal(view?.turns.filter(({ reply }) => reply !== null).length, countsOf(events).calls);
      }
      assert.deepEqual(found, { ...expected, ...REASONS[file]?.got });
    });
  }

  sharedTest(
    "the list of reasons names files that are there, and differences that are real",
    ["traces/index.tsv"],
    () => {
      for (const [file, { got }] of Object.entries(REASONS)) {
        const row = rows.find(([name]) => name === file);
        assert.ok(row, file);
        for (const [key, count] of Object.entries(got))
          assert.notEqual(Number(row[head.indexOf(COLUMNS[key as keyof Figures])]), count, `${file}: ${key}`);
      }
    },
  );
});
