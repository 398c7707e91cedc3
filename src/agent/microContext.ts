/**
 * A branch: a stored result, a question, one request of its own without tools, and what of the reply can be verified
 * (seed 003 §Micro-context branch). It fails by kind and never by guess: without a verified citation nothing is shown.
 */
import { answerText } from "../claims/apart";
import { requestText } from "../history/requestText";
import { type Branch, type BranchFailure, BranchReply, type Completeness } from "../schema/branch";
import type { Claim } from "../schema/claim";
import { Usage } from "../schema/model";
import { asRaw, byteLength, indexOfChar, type SafeText } from "../schema/text";
import { boundary } from "./boundary";
import {
  BRANCH_ESTIMATOR,
  type BranchRequest,
  beginningOf,
  branchRequest,
  branchTokensOf,
  bytesFor,
  bytesOfRequest,
  type Part,
} from "./branchRequest";
import type { CallContext } from "./callContext";
import { verifiedCitations } from "./citations";
import { untilStopped } from "./untilStopped";

/** `next`: the first char of the source that was not given. */
export type Answer = {
  readonly text: SafeText;
  readonly completeness: Completeness;
  readonly dropped: number;
  readonly next: number | null;
};
type Failed = { readonly kind: "failed"; readonly failure: BranchFailure; readonly detail: string | null };
type Outcome = { readonly kind: "answered"; readonly answer: Answer } | Failed;
/** How far the branch came, whatever its end. */
type Facts = Pick<
  Branch,
  "requestSha256" | "modelCalls" | "usage" | "estimated" | "elapsedMs" | "givenChars" | "citations"
>;
export type BranchRun = { readonly outcome: Outcome; readonly facts: Facts };

const NOTHING: Facts = {
  requestSha256: null,
  modelCalls: 0,
  usage: null,
  estimated: { inputTokens: 0, outputTokens: 0, estimator: BRANCH_ESTIMATOR },
  elapsedMs: 0,
  givenChars: 0,
  citations: { given: 0, verified: 0, dropped: 0 },
};
/** Observed: it would have run. */
export const NOTHING_RUN = { outcome: { kind: "observed" }, facts: NOTHING } as const;

/** `arguments`: what the tool was called with. */
export type BranchTask = { readonly claim: Claim; readonly arguments: string };

/** Less of a source is not worth a request. */
const LEAST_BYTES = 512;
const DETAIL_CHARS = 200;

const failed = (failure: BranchFailure, detail: string | null = null): Failed => ({
  kind: "failed",
  failure,
  detail,
});

/**
 * Runs one branch to its end. Contract: one model call at most; a stop or the deadline ends it at once and closes the
 * model's stream. Throws only where the log cannot be written.
 */
export async function runBranch(
  task: BranchTask,
  context: CallContext,
  signal: AbortSignal,
): Promise<BranchRun> {
  const { clock } = context.ports;
  const started = clock.now();
  const reached = { ...NOTHING };
  const over = new AbortController(); // the deadline has passed, or the branch has ended
  const both = AbortSignal.any([signal, over.signal]);
  const deadline = clock.sleep(context.settings.responses.branchSeconds * 1000, over.signal);
  try {
    const end = () => over.abort();
    deadline.then(end, end);
    const ended = await unlessStopped(attempt(task, context, both, reached), both);
    const isCut = both.aborted && ended?.kind !== "answered";
    const outcome = ended === null || isCut ? failed(signal.aborted ? "stopped" : "deadline") : ended;
    const elapsedMs = Math.max(0, Math.round(clock.now() - started));
    return { outcome, facts: { ...reached, elapsedMs } };
  } finally {
    over.abort();
  }
}

/** Null as soon as the signal aborts. What the work still does is not waited for. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const finished = new AbortController();
  const stopped = new Promise<null>((resolve) => {
    const stop = () => resolve(null);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: finished.signal });
  });
  try {
    return await Promise.race([stopped, work]);
  } finally {
    finished.abort();
  }
}

type Reached = { -readonly [K in keyof Facts]: Facts[K] };

async function attempt(
  task: BranchTask,
  context: CallContext,
  signal: AbortSignal,
  reached: Reached,
): Promise<Outcome> {
  const { ports } = context;
  const prepared = await prepare(task, context, signal);
  if (prepared.kind === "failed") return prepared;
  const { request, part } = prepared;
  const inputTokens = branchTokensOf(bytesOfRequest(request));
  reached.requestSha256 = ports.hash(requestText(request));
  reached.givenChars = part.givenChars;
  reached.estimated = { ...reached.estimated, inputTokens };
  await ports.log.sync(); // barrier: before a request leaves
  if (signal.aborted) return failed("stopped");
  reached.modelCalls = 1;
  const reply = await replyTo(request, context, signal, reached);
  if (reply.kind === "failed") return reply;
  const parsed = parsedReply(reply.text);
  if (parsed === null) return failed("unparsable");
  return judged(parsed, task.claim, part, context, reached);
}

type Prepared = { readonly kind: "ready"; readonly request: BranchRequest; readonly part: Part } | Failed;

/** Fills what the budget leaves beside the question with the source. */
async function prepare(
  { claim, ...task }: BranchTask,
  context: CallContext,
  signal: AbortSignal,
): Promise<Prepared> {
  const { ports, settings, secrets, policy } = context;
  const { branchOutputTokens } = settings.responses;
  const given = secrets.hideInJson(task.arguments).text;
  const asked = {
    question: context.question(),
    claim,
    arguments: given,
    policy: policy.identity,
    branchOutputTokens,
  };
  const frame = bytesOfRequest(branchRequest(asked, { text: "", givenChars: claim.chars - 1 })); // the longest words
  const room = bytesFor(inputBudget(context)) - frame;
  if (room < LEAST_BYTES) return failed("over_budget", "no room for the result beside the question");
  try {
    const part = await beginningOf(claim, room, ports.claims, signal);
    if (part.givenChars === 0) return failed("over_budget", "no window of the result fits");
    return { kind: "ready", request: branchRequest(asked, part), part };
  } catch (cause) {
    return failed("source_unreadable", detailOf(cause, context));
  }
}

function inputBudget({ settings, ports }: CallContext): number {
  const { branchInputTokens, branchOutputTokens } = settings.responses;
  const { maxInputTokens } = ports.model.info;
  return maxInputTokens === null
    ? branchInputTokens
    : Math.min(branchInputTokens, maxInputTokens - branchOutputTokens);
}

type Reply = { readonly kind: "replied"; readonly text: string } | Failed;

/** Listens until the reply ends, or shows that it cannot be used. */
async function replyTo(
  request: BranchRequest,
  context: CallContext,
  signal: AbortSignal,
  reached: Reached,
): Promise<Reply> {
  const { branchOutputTokens } = context.settings.responses;
  let text = "";
  try {
    for await (const part of untilStopped(context.ports.model.reply(request, signal), signal)) {
      if (part.kind === "call") return failed("called_a_tool");
      if (part.kind === "usage") reached.usage = Usage.safeParse(part.usage).data ?? null;
      else text += part.text;
      const outputTokens = branchTokensOf(byteLength(text));
      reached.estimated = { ...reached.estimated, outputTokens };
      if (outputTokens > branchOutputTokens) return failed("over_budget", "the answer is too long");
    }
  } catch (cause) {
    return failed("model_failed", detailOf(cause, context));
  }
  const { usage } = reached;
  const isOver =
    usage !== null && (usage.inputTokens > inputBudget(context) || usage.outputTokens > branchOutputTokens);
  return isOver ? failed("over_budget", "the model counted more tokens") : { kind: "replied", text };
}

/** The JSON that was asked for, alone or in one code fence; null for anything else. */
function parsedReply(text: string): BranchReply | null {
  const json = /^```(?:json)?\n([\s\S]*)\n```$/.exec(text.trim())?.[1] ?? text;
  try {
    return BranchReply.safeParse(JSON.parse(json)).data ?? null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** What the model said crosses the boundary like a tool's output: it is made of one. */
async function judged(
  { answer, citations, completeness }: BranchReply,
  claim: Claim,
  part: Part,
  context: CallContext,
  reached: Reached,
): Promise<Outcome> {
  const given = citations.length;
  reached.citations = { given, verified: 0, dropped: given };
  try {
    const verified = await verifiedCitations(citations, claim, part, context.ports.claims);
    reached.citations = { given, verified: verified.length, dropped: given - verified.length };
    if (verified.length === 0) return failed("no_verified_citation");
    const bounded = boundary(asRaw(answerText(answer, verified)));
    if (bounded.kind === "refused") return failed("unparsable", bounded.reason);
    const text = context.secrets.hide(bounded.text).text as SafeText;
    const isWhole = part.givenChars >= claim.chars;
    const rests = isWhole || completeness === "unknown" ? completeness : "partial";
    const next = isWhole ? null : part.givenChars;
    return {
      kind: "answered",
      answer: { text, completeness: rests, dropped: reached.citations.dropped, next },
    };
  } catch (cause) {
    return failed("source_unreadable", detailOf(cause, context));
  }
}

function detailOf(cause: unknown, { secrets }: CallContext): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const text = secrets.hide(message.toWellFormed()).text;
  return text.slice(0, indexOfChar(text, DETAIL_CHARS));
}
