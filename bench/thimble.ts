/** What a decision under the full packs costs beside what any agent does with a call's arguments anyway: parse, stringify, one SHA-256. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../scripts/bootstrap.mjs";
import type { Digest, Hash } from "../src/schema/claim";
import type { Logged } from "../src/schema/event";
import type { Contract, PolicyArtifact } from "../src/schema/policy";
import { DEFAULT_SETTINGS } from "../src/schema/settings";
import { BUILTIN_ARTIFACT } from "../src/thimble/builtin";
import { decide, type Question } from "../src/thimble/decide";
import { loadPack, packFiles, type ReadPack } from "../src/thimble/packs";
import { type LoadedPolicy, policyFrom } from "../src/thimble/policy";
import { type ReceiptState, receiptFold } from "../src/thimble/receipt";
import { pathOf } from "../src/thimble/scan";
import type { BenchResult } from "./run";

const WARM_UP = 2000; // calls of each before anything is measured
const ROUNDS = 500; // short samples of each, taken in turn so that all see the same machine
const CALLS = 40; // per sample
const SESSION_CALLS = 2000; // then the fold starts again: a long session's receipts, not an endless one's

const hash: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;
const readPack: ReadPack = (file) => readFile(path.join(root, "packs", file), "utf8");

/** About 1 kB of arguments: a query, filters, and the count of the contract near the end. */
function argumentsFor({ argument }: Contract): string {
  const count = pathOf(argument).reduceRight<unknown>((inner, name) => ({ [name]: inner }), 5000);
  return JSON.stringify({
    searchFor: "is:issue is:open label:bug sort:updated-desc ".repeat(6),
    filters: Array.from({ length: 12 }, (_, i) => ({
      field: `field_${i}`,
      value: i * 1000,
      negate: i % 2 === 0,
    })),
    place: { owner: "an-organisation", name: "a-repository", private: true },
    ...(count as object),
  });
}

/** All packs as one policy, `times` over: the copies are for tools that nobody calls. */
function policyOf(contracts: readonly Contract[], times: number): LoadedPolicy {
  const copies = Array.from({ length: times - 1 }, (_, copy) =>
    contracts.map((contract) => ({ ...contract, tool: `${contract.tool}~${copy}` })),
  );
  const artifact: PolicyArtifact = { ...BUILTIN_ARTIFACT, contracts: [...contracts, ...copies.flat()] };
  return policyFrom(artifact, hash);
}

/** Every pack's contracts, and how long reading and loading them took, in ms. */
async function load(): Promise<{ contracts: Contract[]; ms: number }> {
  const start = performance.now();
  const packs = await Promise.all(packFiles().map(([server]) => loadPack(server, readPack, hash)));
  const ms = performance.now() - start;
  const contracts = packs.flatMap((loading) => {
    if (loading?.kind !== "ok") throw new Error("a pack has problems");
    return loading.policy.artifact.contracts;
  });
  return { contracts, ms };
}

/** Keys as in the speed rule: ratios are medians over the rounds of one run. Each round goes through calls of all packs. */
export async function run(): Promise<BenchResult> {
  const { contracts } = await load();
  const few = policyOf(contracts, 1);
  const questions = contracts.map(questionFor).filter((question) => isLowered(question, few));
  if (questions.length < contracts.length / 2) throw new Error("most contracts should lower 5000");
  const decideFew = decider(few, questions);
  const decideMany = decider(policyOf(contracts, 10), questions);
  const roundTrip = roundTripper(questions);

  const samples: Record<"baseline" | "few" | "many", number[]> = { baseline: [], few: [], many: [] };
  for (const work of [roundTrip, decideFew, decideMany]) time(WARM_UP, work);
  for (let round = 0; round < ROUNDS; round++) {
    samples.baseline.push(time(CALLS, roundTrip));
    samples.few.push(time(CALLS, decideFew));
    samples.many.push(time(CALLS, decideMany));
  }
  const singles = Array.from({ length: 5000 }, () => time(1, decideFew)).toSorted((a, b) => a - b);
  const loads: number[] = [];
  for (let i = 0; i < 20; i++) loads.push((await load()).ms);
  const json = {
    decide_vs_json_roundtrip: round3(medianRatio(samples.few, samples.baseline)),
    decide_us_p50: round3(medianOf(samples.few)),
    decide_us_p99: round3(singles[Math.floor(singles.length * 0.99)] ?? Number.NaN),
    contracts: contracts.length,
    contracts_x10_ratio: round3(medianRatio(samples.many, samples.few)),
    load_ms_p50: round3(medianOf(loads)),
  };
  const sizes = questions.map(({ argumentsText }) => Buffer.byteLength(argumentsText));
  const rows = [
    ...Object.entries(json).map(([name, value]) => [name, String(value)] as const),
    ["packs, tools called", `${packFiles().length}, ${questions.length}`] as const,
    ["arguments, bytes p50", String(medianOf(sizes))] as const,
    ["json_roundtrip_us_p50", String(round3(medianOf(samples.baseline)))] as const,
  ];
  return { rows, json };
}

const questionFor = (contract: Contract): Question => ({
  tool: contract.tool,
  server: contract.server ?? null,
  argumentsText: argumentsFor(contract),
  mode: "enforce",
  hardMaximum: null,
  intent: null,
  exemptions: [],
  toolReadOnly: true,
});

const isLowered = (question: Question, policy: LoadedPolicy): boolean =>
  decide(question, policy, hash).proposal.decision === "clamp";

/** Hands out the questions in turn. */
function turnsOf(questions: readonly Question[]): () => Question {
  let i = 0;
  return () => questions[i++ % questions.length] as Question;
}

function roundTripper(questions: readonly Question[]): () => void {
  const next = turnsOf(questions);
  return () => {
    hash(JSON.stringify(JSON.parse(next().argumentsText)));
  };
}

/** Decide + splice + receipt, through the fold that the inspector uses. */
function decider(policy: LoadedPolicy, questions: readonly Question[]): () => void {
  const next = turnsOf(questions);
  const begun: ReceiptState = receiptFold.reduce(receiptFold.begin(), configured(policy));
  let n = 0;
  let state = begun;
  return () => {
    const question = next();
    const { proposal, effectiveArguments } = decide(question, policy, hash);
    if (proposal.decision !== "clamp" || effectiveArguments === null)
      throw new Error(`no clamp: ${proposal.reason}`);
    const event: Logged = {
      type: "clamped",
      call: `t${n}c0`,
      tool: question.tool,
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
