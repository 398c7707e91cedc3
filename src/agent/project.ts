/** Step 7: a stored result that is larger than its envelope is shown as its first records, where that can be done without doubt. */
import { digestFor } from "../claims/policy";
import type { Exceeded, ProjectedRecords } from "../schema/branch";
import type { Claim } from "../schema/claim";
import type { LimitMode } from "../schema/policy";
import { exceededBy, type ResponseRule, responseRuleOf } from "../thimble/envelope";
import { project as projectText, recordsAt } from "../thimble/project";
import type { CallContext } from "./callContext";
import type { KeptResult } from "./keepMedia";
import { subjectOf } from "./question";
import type { Step } from "./step";
import { isTainted, type Kept } from "./store";

/** `within`: shown as without this step. `left`: larger than its envelope, and not projected. */
export type Judgement =
  | { readonly kind: "within" }
  | { readonly kind: "left"; readonly exceeded: Exceeded; readonly claim: Claim; readonly mode: LimitMode }
  | {
      readonly kind: "projected";
      readonly exceeded: Exceeded;
      readonly mode: LimitMode;
      readonly records: ProjectedRecords;
      readonly text: string;
    };
export type ProjectedResult = KeptResult & { readonly judgement: Judgement };

/** No event where nothing is larger than it may be, or the policy lets it pass. Observed results are judged, and shown as ever. */
export function project(result: KeptResult, context: CallContext): Step<ProjectedResult, "projected" | null> {
  const { kept } = result;
  const { mode } = result.permit.proposed.proposal;
  const rule = responseRuleOf(
    subjectOf(result.call.name, result.permit.tool.spec),
    context.policy,
    context.settings.limits.hardMaximum,
  );
  const exceeded =
    kept.kind === "stored" && isJudged(result, kept, context) ? excessOf(result, rule, context) : null;
  if (kept.kind !== "stored" || exceeded === null)
    return { value: { ...result, judgement: { kind: "within" } }, event: null };
  const { handle } = kept.claim;
  const facts = { type: "projected" as const, call: result.call.call, handle, exceeded, mode };
  const projected = projectText(result.safe, rule, boundsFor(rule, kept, context));
  if (projected.kind === "passed") {
    const judgement: Judgement = { kind: "left", exceeded, claim: kept.claim, mode };
    return { value: { ...result, judgement }, event: { ...facts, records: null, reason: projected.reason } };
  }
  const { records, text } = projected;
  return {
    value: { ...result, judgement: { kind: "projected", exceeded, mode, records, text } },
    event: { ...facts, records, reason: null },
  };
}

/**
 * What the user has decided stands above the policy: complete results are wanted, the tool is exempt or excluded, values
 * of it are declared, nothing from outside is to be shown. What fits the conversation stays there whole (decisions.md).
 */
function isJudged(result: KeptResult, kept: Kept & { kind: "stored" }, context: CallContext): boolean {
  const { policy, intent, claimPolicy, settings } = context;
  const { mode, exemption } = result.permit.proposed.proposal;
  if ((policy.artifact.on_unshapable_response ?? "pass") === "pass" || mode === "off") return false;
  if (result.isError || result.refused || kept.limits.excluded) return false;
  if (intent !== null || exemption !== null) return false;
  if (isTainted(result) && settings.claimCheck.taintedHeads === "omit") return false;
  return claimPolicy !== null && digestFor(claimPolicy, result.call.name, result.isError) === null;
}

function excessOf(result: KeptResult, rule: ResponseRule, { settings }: CallContext): Exceeded | null {
  const { responseBytes, responseTokens } = settings.responses;
  const items = result.items ?? (rule.items === null ? null : recordsAt(result.safe, rule.items));
  return exceededBy(
    { items, bytes: result.bytes, tokens: result.tokensEstimated },
    { items: rule.maximumItems, bytes: responseBytes, tokens: responseTokens },
  );
}

/** The envelope, and no more than may stay in the conversation of any result. */
function boundsFor(
  { maximumItems }: ResponseRule,
  { limits }: Kept & { kind: "stored" },
  { settings, ports }: CallContext,
) {
  const { responseBytes, responseTokens } = settings.responses;
  return {
    items: maximumItems,
    bytes: leastOf(responseBytes, limits.capBytes),
    chars: limits.capBytes === null ? limits.thresholdChars : null,
    tokens: responseTokens === null ? null : { maximum: responseTokens, counter: ports.tokens },
  };
}

const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
