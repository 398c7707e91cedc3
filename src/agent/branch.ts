/** Step 8: a stored result that could not be projected may be answered from, in a context of its own. Off unless policy and user both say so. */
import type { Branch, BranchFailure, Exceeded, ProjectedRecords } from "../schema/branch";
import type { EventOf } from "../schema/event";
import type { CallContext } from "./callContext";
import type { KeptResult } from "./keepMedia";
import { type Answer, type BranchRun, NOTHING_RUN, runBranch } from "./microContext";
import type { Judgement, ProjectedResult } from "./project";
import type { Step } from "./step";

/** What stands in place of the ticket; `failed` is a ticket and one line. */
export type Response =
  | { readonly kind: "ordinary" }
  | {
      readonly kind: "projected";
      readonly exceeded: Exceeded;
      readonly records: ProjectedRecords;
      readonly text: string;
    }
  | { readonly kind: "answered"; readonly exceeded: Exceeded; readonly answer: Answer }
  | { readonly kind: "failed"; readonly failure: BranchFailure };
export type JudgedResult = KeptResult & { readonly response: Response };

type Left = Judgement & { readonly kind: "left" };

/** No event and no model call unless policy and setting both ask for a branch. */
export async function branch(
  result: ProjectedResult,
  context: CallContext,
  signal: AbortSignal,
): Promise<Step<JudgedResult, "branched" | null>> {
  const { judgement, ...kept } = result;
  const ordinary = { value: { ...kept, response: { kind: "ordinary" as const } }, event: null };
  if (judgement.kind === "within") return ordinary;
  if (judgement.kind === "projected") {
    if (judgement.mode !== "enforce") return ordinary;
    return { value: { ...kept, response: judgement }, event: null };
  }
  const { policy, settings } = context;
  if (policy.artifact.on_unshapable_response !== "micro_context" || !settings.responses.microContext)
    return ordinary;
  if (judgement.mode !== "enforce")
    return { ...ordinary, event: branched(kept, judgement, NOTHING_RUN, context) };
  const task = { claim: judgement.claim, arguments: kept.permit.proposed.argumentsText };
  const run = await runBranch(task, context, signal);
  const response: Response =
    run.outcome.kind === "answered"
      ? { kind: "answered", exceeded: judgement.exceeded, answer: run.outcome.answer }
      : { kind: "failed", failure: run.outcome.failure };
  return { value: { ...kept, response }, event: branched(kept, judgement, run, context) };
}

function branched(
  { call }: KeptResult,
  { claim, exceeded, mode }: Left,
  run: BranchRun | typeof NOTHING_RUN,
  { policy, ports }: CallContext,
): EventOf<"branched"> {
  const { outcome, facts } = run;
  const next = facts.givenChars < claim.chars ? facts.givenChars : null;
  const more: Pick<Branch, "failure" | "detail" | "completeness" | "continuation"> = {
    failure: outcome.kind === "failed" ? outcome.failure : null,
    detail: outcome.kind === "failed" ? outcome.detail : null,
    completeness: outcome.kind === "answered" ? outcome.answer.completeness : null,
    continuation:
      outcome.kind === "observed" || next === null ? null : { handle: claim.handle, offset: next },
  };
  return {
    type: "branched",
    call: call.call,
    handle: claim.handle,
    exceeded,
    mode,
    outcome: outcome.kind,
    model: ports.model.info.id,
    policySha256: policy.identity.sha256,
    totalChars: claim.chars,
    ...facts,
    ...more,
  };
}
