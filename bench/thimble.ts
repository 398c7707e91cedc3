/** What a decision costs beside what any agent does with a call's arguments anyway: parse, stringify, one SHA-256. */
import { createHash } from "node:crypto";
import type { Digest, Hash } from "../src/schema/claim";
import type { Logged } from "../src/schema/event";
import type { Contract, PolicyArtifact } from "../src/schema/policy";
import { DEFAULT_SETTINGS } from "../src/schema/settings";
import { BUILTIN_ARTIFACT } from "../src/thimble/builtin";
import { decide, type Question } from "../src/thimble/decide";
import { loadPolicy } from "../src/thimble/load";
import { type LoadedPolicy, policyFrom } from "../src/thimble/policy";
import { type ReceiptState, receiptFold } from "../src/thimble/receipt";
import type { BenchResult } from "./run";

const WARM_UP = 2000; // calls of each before anything is measured
const ROUNDS = 500; // short samples of each, taken in turn so that all see the same machine
const CALLS = 40; // per sample
const CONTRACTS = 100;
const SESSION_CALLS = 2000; // then the fold starts again: a long session's receipts, not an endless one's

const hash: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;

/** About 1 kB of arguments: a query, filters, and the count near the end. */
const ARGUMENTS = JSON.stringify({
  query: "is:issue is:open label:bug sort:updated-desc ".repeat(6),
  filters: Array.from({ length: 12 }, (_, i) => ({
    field: `field_${i}`,
    value: i * 1000,
    negate: i % 2 === 0,
  })),
  repository: { owner: "an-organisation", name: "a-repository", private: true },
  per_page: 500,
  page: 1,
});

const contractFor = (tool: string): Contract => ({
  tool,
  argument: "/per_page",
  aliases: ["/perPage"],
  dimension: "items",
  maximum: 10,
  minimum: 1,
  range: { minimum: 1 },
  safe_to_reduce: true,
  read_only: true,
  continuation: { kind: "page", argument: "/page" },
});

const artifactOf = (contracts: number): PolicyArtifact => ({
  ...BUILTIN_ARTIFACT,
  contracts: Array.from({ length: contracts }, (_, i) => contractFor(`server_${i}.search`)),
});

/** Keys as in the speed rule: ratios are medians over the rounds of one run. */
export async function run(): Promise<BenchResult> {
  const few = policyFrom(artifactOf(CONTRACTS), hash);
  const many = policyFrom(artifactOf(CONTRACTS * 10), hash);
  const decideFew = decider(few, `server_${CONTRACTS - 1}.search`);
  const decideMany = decider(many, `server_${CONTRACTS * 10 - 1}.search`);
  const text = JSON.stringify(artifactOf(CONTRACTS));

  const samples: Record<"baseline" | "few" | "many", number[]> = { baseline: [], few: [], many: [] };
  for (const work of [roundTrip, decideFew, decideMany]) time(WARM_UP, work);
  for (let round = 0; round < ROUNDS; round++) {
    samples.baseline.push(time(CALLS, roundTrip));
    samples.few.push(time(CALLS, decideFew));
    samples.many.push(time(CALLS, decideMany));
  }
  const singles = Array.from({ length: 5000 }, () => time(1, decideFew)).toSorted((a, b) => a - b);
  const loads = Array.from({ length: 20 }, () => time(1, () => loadPolicy(text, hash)));
  const json = {
    argument_bytes: Buffer.byteLength(ARGUMENTS),
    decide_vs_json_roundtrip: round3(medianRatio(samples.few, samples.baseline)),
    json_roundtrip_us_p50: round3(medianOf(samples.baseline)),
    decide_us_p50: round3(medianOf(samples.few)),
    decide_us_p99: round3(singles[Math.floor(singles.length * 0.99)] ?? Number.NaN),
    contracts: CONTRACTS,
    contracts_x10_ratio: round3(medianRatio(samples.many, samples.few)),
    load_ms_p50: round3(medianOf(loads) / 1000),
  };
  return { rows: Object.entries(json).map(([name, value]) => [name, String(value)] as const), json };
}

function roundTrip(): void {
  hash(JSON.stringify(JSON.parse(ARGUMENTS)));
}

/** Decide + splice + receipt, through the fold that the inspector uses. */
function decider(policy: LoadedPolicy, tool: string): () => void {
  const question: Question = {
    tool,
    argumentsText: ARGUMENTS,
    mode: "enforce",
    hardMaximum: null,
    intent: null,
    exemptions: [],
    toolReadOnly: true,
  };
  const begun: ReceiptState = receiptFold.reduce(receiptFold.initial, configured(policy));
  let n = 0;
  let state = begun;
  return () => {
    const { proposal, effectiveArguments } = decide(question, policy, hash);
    if (proposal.decision !== "clamp" || effectiveArguments === null)
      throw new Error(`no clamp: ${proposal.reason}`);
    const event: Logged = {
      type: "clamped",
      call: `t${n}c0`,
      tool,
      argumentsSource: "raw",
      effectiveArguments,
      proposal,
      n: ++n,
      at: n,
      origin: "loop",
    };
    state = receiptFold.reduce(n % SESSION_CALLS === 0 ? begun : state, event);
  };
}

const configured = (policy: LoadedPolicy): Logged => ({
  type: "configured",
  model: {
    id: "none",
    name: "None",
    maxInputTokens: null,
    abilities: { rawArguments: true, usage: false, cacheControl: false },
  },
  system: "",
  tools: [],
  settings: DEFAULT_SETTINGS,
  policy: policy.artifact,
  policyIdentity: policy.identity,
  intent: null,
  n: 0,
  at: 0,
  origin: "loop",
});

/** Microseconds per call. */
function time(calls: number, work: () => void): number {
  const start = performance.now();
  for (let i = 0; i < calls; i++) work();
  return ((performance.now() - start) * 1000) / calls;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

const medianRatio = (over: readonly number[], under: readonly number[]): number =>
  medianOf(over.map((value, i) => value / (under[i] ?? Number.NaN)));

const round3 = (value: number): number => Math.round(value * 1000) / 1000;
