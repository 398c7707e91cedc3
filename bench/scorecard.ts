/**
 * A pair of sessions of one task, with limits observed and enforced: the real loop on a real store, our own `list_files`
 * over 500 files. The task needs file 75, which the observed run finds in what it has and the enforced run on a second
 * page. Once with results stored (the default) and once with results whole. What was measured stands in a scorecard.
 */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fetchResult } from "../src/agent/retrieve";
import { runSession } from "../src/agent/runSession";
import type { ScriptReply } from "../src/models/script";
import { createScriptedModel } from "../src/models/scripted";
import { openTokenizer } from "../src/models/tokenizer";
import type { LimitMode } from "../src/schema/policy";
import type { NetFigure, ScorecardView } from "../src/schema/scorecard";
import { DEFAULT_SETTINGS } from "../src/schema/settings";
import { sha256 } from "../src/store/digest";
import { Sessions } from "../src/store/sessions";
import { builtinPolicy } from "../src/thimble/builtin";
import { metricsFrom } from "../src/thimble/metrics";
import { scorecardOf } from "../src/thimble/scorecard";
import { createWorkspaceTools } from "../src/tools/createWorkspaceTools";
import { nodeEditor } from "../src/tools/nodeEditor";
import { openNodeWorkspace } from "../src/tools/nodeWorkspace";
import type { BenchResult } from "./run";

const FILES = 500;
const FIRST = { name: "list_files", arguments: { limit: FILES } };
const clock = { now: () => Date.now(), sleep: async () => undefined };

export async function run(): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "cloakroom-bench-"));
  try {
    const workspace = path.join(folder, "work");
    await writeFiles(workspace);
    const store = await Sessions.open(path.join(folder, "store"), "bench:scorecard", clock);
    const found = {
      stored_results: await pairOf(store, workspace, true),
      whole_results: await pairOf(store, workspace, false),
    };
    const rows = Object.entries(found).flatMap(([name, card]) => rowsOf(name, card));
    const json = Object.fromEntries(Object.entries(found).map(([name, card]) => [name, jsonOf(card)]));
    return { rows, json };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFiles(workspace: string): Promise<void> {
  await mkdir(path.join(workspace, "letters"), { recursive: true });
  const names = Array.from(
    { length: FILES },
    (_, i) => `letter-${String(i + 1).padStart(4, "0")}-to-the-harbour.md`,
  );
  await Promise.all(names.map((name) => writeFile(path.join(workspace, "letters", name), `${name}\n`)));
}

/** What a model does with each answer: reads on in the stored list, asks for the next page, or has it already. */
async function pairOf(store: Sessions, workspace: string, isStored: boolean): Promise<ScorecardView> {
  const readOn = { name: "fetch_result", arguments: { handle: "{{handle:list_files}}", offset: 512 } };
  const nextPage = { name: "list_files", arguments: { limit: 50, offset: 50 } };
  const answer = { say: "It is letters/letter-0075-to-the-harbour.md." };
  const observed = [{ calls: [FIRST] }, ...(isStored ? [{ calls: [readOn] }] : []), answer];
  const control = await session(store, workspace, "observe", isStored, observed);
  const candidate = await session(store, workspace, "enforce", isStored, [
    { calls: [FIRST] },
    { calls: [nextPage] },
    answer,
  ]);
  const [before, after] = [
    metricsFrom(await store.events(control), sha256),
    metricsFrom(await store.events(candidate), sha256),
  ] as const;
  return scorecardOf([before, after], [[before, after]]);
}

async function session(
  store: Sessions,
  workspace: string,
  mode: LimitMode,
  isStored: boolean,
  replies: ScriptReply[],
): Promise<string> {
  const shown: string[] = [];
  const opened = await openNodeWorkspace([{ name: "work", path: workspace }]);
  const tools = createWorkspaceTools({ workspace: opened, editor: nodeEditor, clock }, { ripgrepPath: null });
  const ran = await runSession(
    {
      store,
      session: { kind: "new", workspace: "bench" },
      question: "Which is the 75th file?",
      configuration: {
        settings: {
          ...DEFAULT_SETTINGS,
          claimCheck: { ...DEFAULT_SETTINGS.claimCheck, enabled: isStored },
          budgets: { ...DEFAULT_SETTINGS.budgets, perResultChars: 100_000 },
          limits: { mode, hardMaximum: null },
        },
        policy: builtinPolicy(sha256),
        intent: null,
      },
      ports: {
        model: createScriptedModel({ name: "bench", conversations: [replies] }, async () => undefined),
        tools: [...tools, fetchResult],
        approver: {
          isTrusted: () => true,
          ask: async () => ({ granted: false, by: "rule", reason: "nobody is asked" }),
        },
        clock,
        hash: sha256,
        tokens: await openTokenizer(),
        watcher: { replyText: () => undefined, toolProgress: () => undefined },
      },
      watch: (_session, events) => {
        for (const event of events) if (event.type === "remembered") shown.push(event.text);
      },
    },
    new AbortController().signal,
  );
  if (ran.end.end !== "answered") throw new Error(ran.end.message);
  if (!shown.some((text) => text.includes("letter-0075-")))
    throw new Error("the model answered what it was not shown");
  return ran.session;
}

const figuresIn = ({ pairs }: ScorecardView): readonly (readonly [string, NetFigure])[] =>
  pairs.flatMap(({ contracts, session: whole }) => [
    ...contracts.flatMap(({ figures }) => figures.map((figure) => [figure.of, figure] as const)),
    ...whole.map((figure) => [figure.of, figure] as const),
  ]);

function rowsOf(name: string, card: ScorecardView) {
  const figures = figuresIn(card).map(
    ([of, { unit, control, candidate, rereads, net, calls }]) =>
      [
        `${name}: ${of}, ${unit}`,
        `net ${net} = ${control} (n ${calls.control}) - ${candidate} (n ${calls.candidate}) - re-reads ${rereads} (n ${calls.rereads}) - branch 0`,
      ] as const,
  );
  const verdicts = card.verdicts.map(
    ({ tool, contract, verdict, reason }) =>
      [`${name}: ${tool} ${contract}`, `${verdict} (${reason})`] as const,
  );
  return [...figures, ...verdicts];
}

const jsonOf = (card: ScorecardView) => ({
  figures: figuresIn(card).map(([, figure]) => figure),
  success: card.pairs[0]?.success,
  verdicts: card.verdicts.map(({ tool, contract, verdict, reason }) => ({ tool, contract, verdict, reason })),
});
