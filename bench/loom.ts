/**
 * Loom's workload (seed 002 §Measured): N turns of one model step and one tool step, outputs of 1.5 to 4 kB, a cap of
 * 1024 bytes, previews of 256 chars, no ageing; on a real store. How much must be kept in memory for the next request,
 * and how much the log needs that rebuilds it alone.
 */

import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fetchResult } from "../src/agent/retrieve";
import { runSession } from "../src/agent/runSession";
import { foldHistory } from "../src/history/fold";
import { requestText } from "../src/history/requestText";
import { estimatedTokens } from "../src/history/tokens";
import type { Logged } from "../src/schema/event";
import type { ChatModel } from "../src/schema/model";
import { type CoreSettings, DEFAULT_SETTINGS } from "../src/schema/settings";
import { asRaw } from "../src/schema/text";
import type { Tool } from "../src/schema/tool";
import { readChain } from "../src/store/chain";
import { sha256 } from "../src/store/digest";
import { Sessions } from "../src/store/sessions";
import { builtinPolicy } from "../src/thimble/builtin";
import type { BenchResult } from "./run";

const TURNS = [50, 200];
const CAP_BYTES = 1024;
const PREVIEW_CHARS = 256;
const OUTPUT_BYTES = { least: 1500, most: 4000 }; // evenly, so 2750 on average
const SEED = 0x10_0d;

/** The seed's own figures with a preview, in bytes, and what is asked of ours at 200 turns. */
const SEED_FIGURES = {
  50: { state: 70_800, log: 953_000 },
  200: { state: 283_400, log: 13_807_000 },
} as const;
const TARGET = { state: 172_000, log: 800_000, growth: 4.2 };

type Sizes = { readonly state_bytes: number; readonly log_bytes: number };

export async function run(): Promise<BenchResult> {
  const withPreview = await measured({ previewChars: PREVIEW_CHARS });
  const without = await measured({ previewChars: PREVIEW_CHARS, preview: false });
  const growth = {
    state: ratio(withPreview, ({ state_bytes }) => state_bytes),
    log: ratio(withPreview, ({ log_bytes }) => log_bytes),
  };
  const last = withPreview["200"] ?? { state_bytes: Number.NaN, log_bytes: Number.NaN };
  const meets =
    last.state_bytes <= TARGET.state &&
    last.log_bytes <= TARGET.log &&
    Math.max(growth.state, growth.log) <= TARGET.growth;
  return {
    json: { turns: withPreview, turns_no_preview: without },
    rows: [
      ["mean output at 200 turns", `${meanBytes(outputsOf(200))} bytes`],
      ...TURNS.flatMap((turns) =>
        rowsOf(`${turns} turns`, withPreview[turns], SEED_FIGURES[turns as 50 | 200]),
      ),
      ...TURNS.flatMap((turns) => rowsOf(`${turns} turns, no preview`, without[turns])),
      ["growth of state and log, 200 turns over 50", `${growth.state}, ${growth.log}`],
      ["within the targets", meets ? "yes" : "no"],
    ],
  };
}

function rowsOf(label: string, sizes: Sizes | undefined, seed?: { state: number; log: number }) {
  const beside = (bytes: number) => (seed ? ` (the seed: ${(bytes / 1000).toFixed(1)} kB)` : "");
  const inKb = (bytes = Number.NaN) => `${(bytes / 1000).toFixed(1)} kB`;
  return [
    [`${label}: state`, `${inKb(sizes?.state_bytes)}${beside(seed?.state ?? 0)}`],
    [`${label}: log`, `${inKb(sizes?.log_bytes)}${beside(seed?.log ?? 0)}`],
  ] as const;
}

async function measured(claimCheck: Partial<CoreSettings["claimCheck"]>): Promise<Record<string, Sizes>> {
  const sizes: Record<string, Sizes> = {};
  for (const turns of TURNS) sizes[turns] = await session(turns, claimCheck);
  return sizes;
}

/** Runs one session on a store of its own, and measures what it left. */
async function session(turns: number, claimCheck: Partial<CoreSettings["claimCheck"]>): Promise<Sizes> {
  const root = await mkdtemp(path.join(os.tmpdir(), "cloakroom-bench-"));
  try {
    const outputs = outputsOf(turns);
    const store = await Sessions.open(root, "bench:loom", clock);
    const settings: CoreSettings = {
      ...DEFAULT_SETTINGS,
      claimCheck: { ...DEFAULT_SETTINGS.claimCheck, capBytes: CAP_BYTES, ...claimCheck },
      ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" },
      maxTurns: turns + 1,
    };
    const events: Logged[] = [];
    const { end } = await runSession(
      {
        store,
        session: { kind: "new", workspace: "bench" },
        question: "Export every batch.",
        configuration: { settings, policy: builtinPolicy(sha256), intent: null },
        ports: {
          model: modelOf(turns),
          tools: [exportBatch(outputs), fetchResult],
          approver: {
            isTrusted: () => true,
            ask: async () => ({ granted: false, by: "rule", reason: "nobody is asked" }),
          },
          clock,
          hash: sha256,
          tokens: estimatedTokens,
          watcher: { replyText: () => undefined, toolProgress: () => undefined },
        },
        watch: (_session, more) => void events.push(...more),
      },
      new AbortController().signal,
    );
    if (end.end !== "answered") throw new Error(`the session ended with ${end.end}: ${end.message}`);
    const [summary] = await store.list();
    const log = await logOf(root, summary?.session ?? "");
    const rebuilt = await rebuiltFrom(log);
    if (events.filter(({ type }) => type === "tool_result_stored").length !== turns)
      throw new Error("not every output was checked in");
    return { state_bytes: Buffer.byteLength(rebuilt), log_bytes: (await stat(log)).size };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** The messages of the last request, from the log alone: its digest must be the one that was recorded when it left. */
async function rebuiltFrom(log: string): Promise<string> {
  const { events, problem } = readChain(await readFile(log));
  const at = events.findLastIndex(({ type }) => type === "requested");
  const [asked, configured] = [events[at], events.findLast(({ type }) => type === "configured")];
  if (problem !== null || asked?.type !== "requested" || configured?.type !== "configured")
    throw new Error(problem ?? "the log has no request");
  const { messages } = foldHistory(events.slice(0, at));
  const { system, tools } = configured;
  if (sha256(requestText({ system, tools, messages })) !== asked.sha256)
    throw new Error("the log alone does not rebuild the request");
  return JSON.stringify(messages);
}

async function logOf(root: string, session: string): Promise<string> {
  const [tenant = ""] = await readdir(path.join(root, "tenants"));
  return path.join(root, "tenants", tenant, "sessions", session, "log.jsonl");
}

const clock = { now: () => Date.now(), sleep: async () => undefined };

/** One call a turn, and an answer at the end: the request after the last output is the one that is measured. */
function modelOf(turns: number): ChatModel {
  let turn = 0;
  return {
    info: {
      id: "bench",
      name: "Bench",
      maxInputTokens: null,
      abilities: { rawArguments: true, usage: false, cacheControl: false },
    },
    async *reply() {
      turn++;
      if (turn > turns) yield { kind: "text", text: "Done." };
      else
        yield {
          kind: "call",
          id: `call_${turn}`,
          name: "export_batch",
          arguments: JSON.stringify({ batch: turn }),
        };
    },
  };
}

function exportBatch(outputs: readonly string[]): Tool {
  return {
    spec: {
      name: "export_batch",
      description: "Exports one batch of rows as JSON.",
      inputSchema: { type: "object", properties: { batch: { type: "integer" } }, required: ["batch"] },
      class: "other",
      effect: "read",
    },
    run: async (given) => {
      const { batch } = JSON.parse(given) as { batch: number };
      return { kind: "ok", text: asRaw(outputs[batch - 1] ?? "") };
    },
  };
}

/** Rows as JSON, of a size drawn evenly: the same in every run, different in every turn. */
function outputsOf(turns: number): readonly string[] {
  const random = randomFrom(SEED);
  const { least, most } = OUTPUT_BYTES;
  return Array.from({ length: turns }, (_, turn) => {
    const bytes = Math.round(least + random() * (most - least));
    const rows: string[] = [];
    for (let left = bytes - 200; left > 0; left -= rows.at(-1)?.length ?? 0) {
      const id = Math.floor(random() * 1e9);
      rows.push(
        `{"id":${id},"batch":${turn + 1},"status":"shipped","note":"row ${rows.length} of this batch"}`,
      );
    }
    const whole = (rest: string) => `{"rows":[${rows.join(",")}],"rest":"${rest}"}`;
    return whole(".".repeat(Math.max(0, bytes - whole("").length)));
  });
}

const meanBytes = (texts: readonly string[]): number =>
  Math.round(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length);

/** mulberry32: small, seeded, good enough to draw sizes. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ratio = (sizes: Record<string, Sizes>, of: (size: Sizes) => number): number => {
  const [few, many] = TURNS.map((turns) => sizes[turns]);
  return few && many ? Math.round((of(many) / of(few)) * 1000) / 1000 : Number.NaN;
};
