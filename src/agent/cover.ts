/** Step 9: a stored result that is a list is shown as its first page, which says whether the list is complete (CONFORMANCE §6). */
import { digestFor } from "../claims/policy";
import { FETCH_RESULT } from "../claims/ticket";
import { indexList } from "../coverage/indexList";
import { pageLabel } from "../coverage/label";
import { limitedBy, limitWords } from "../coverage/limitedBy";
import { bytesOf, readPage } from "../coverage/readList";
import { PAGE_BYTES, type PageEntry, type Snapshot, snapshotIdOf, snapshotOf } from "../coverage/snapshot";
import type { ListHints } from "../schema/coverage";
import type { EventOf } from "../schema/event";
import type { SafeText } from "../schema/text";
import { responseRuleOf } from "../thimble/envelope";
import type { JudgedResult } from "./branch";
import type { CallContext } from "./callContext";
import { subjectOf } from "./question";
import type { Step } from "./step";
import { isTainted } from "./store";

/** The first page of a list, and the line before it; null: the result is shown as without this step. */
export type CoveredResult = JudgedResult & {
  readonly page: { readonly label: string; readonly envelope: string } | null;
};

/** No event where the result is no list, or is not over its limit, or stands in another form already. */
export async function cover(
  result: JudgedResult,
  context: CallContext,
): Promise<Step<CoveredResult, "covered" | null>> {
  const none = { value: { ...result, page: null }, event: null };
  const { kept } = result;
  if (kept.kind !== "stored" || !mayBeList(result, context)) return none;
  const hints = hintsFor(result, context);
  const { claim } = kept;
  const snapshot = snapshotFor(result.safe, claim.sha256, hints, PAGE_BYTES, context);
  if (snapshot === null) return none;
  const read = await readPage(snapshot, null, bytesOf(result.safe));
  if (read.kind === "refused") return none;
  context.lists.set(claim.handle, snapshot);
  const facts = limitsOf(result, snapshot);
  const by = limitedBy(facts);
  const words = limitWords(by, facts);
  const label = [
    pageLabel(claim.handle, snapshot, read.page, FETCH_RESULT),
    ...(words === "" || snapshot.complete === true ? [] : [`[The list itself: ${words}.]`]),
  ].join("\n");
  const skipped = by === "our_clamp" ? (facts.requested ?? 0) - (facts.sent ?? 0) : 0;
  const event: EventOf<"covered"> = {
    type: "covered",
    call: result.call.call,
    tool: result.call.name,
    handle: claim.handle,
    format: snapshot.format,
    hints,
    budgetBytes: snapshot.budgetBytes,
    total: snapshot.total,
    pages: snapshot.pages.length,
    complete: snapshot.complete,
    limitedBy: by,
    skipped,
    page: shownOf(read.page),
  };
  return { value: { ...result, page: { label, envelope: read.text } }, event };
}

/** The pages of a stored text; null: it is no list, or its pages cannot be so small. */
export function snapshotFor(
  text: SafeText,
  sha256: string,
  hints: ListHints,
  budgetBytes: number,
  { salt, ports }: Pick<CallContext, "salt" | "ports">,
): Snapshot | null {
  const index = indexList(text, hints);
  if (index.kind === "text") return null;
  const id = snapshotIdOf(salt, sha256, ports.hash);
  const snapshot = snapshotOf(text, index, { id, budgetBytes, hash: ports.hash });
  return snapshot.kind === "snapshot" ? snapshot : null;
}

export const shownOf = ({ first, last, references }: PageEntry): EventOf<"covered">["page"] => ({
  first,
  last,
  references: references.map(({ index }) => index),
});

/**
 * Only where the tool lists things, or its class says nothing: a file that is read is what it is, and a command's output is
 * a log. What the user or the policy put in another form stays in it.
 */
function mayBeList(result: JudgedResult, { claimPolicy, settings }: CallContext): boolean {
  const { kept } = result;
  const { kind } = result.response;
  if (result.isError || result.refused || (kind !== "ordinary" && kind !== "failed")) return false;
  if (result.class !== "list" && result.class !== "other") return false;
  if (kept.kind !== "stored" || kept.limits.excluded || !kept.limits.hasPreview) return false;
  if (kept.limits.capBytes !== null && kept.limits.capBytes < PAGE_BYTES) return false; // a page would be larger
  if (isTainted(result) && settings.claimCheck.taintedHeads === "omit") return false;
  return claimPolicy !== null && digestFor(claimPolicy, result.call.name, result.isError) === null;
}

function hintsFor(result: JudgedResult, context: CallContext): ListHints {
  const rule = responseRuleOf(
    subjectOf(result.call.name, result.permit.tool.spec),
    context.policy,
    context.settings.limits.hardMaximum,
  );
  return { pointer: result.lines === null ? rule.items : null, lines: result.lines };
}

/** What was asked for, what the tool got, what came back: whose limit the list stopped at. */
function limitsOf({ permit }: JudgedResult, { total, complete }: Snapshot) {
  const { changes } = permit.proposed.proposal;
  const [change] = changes;
  const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
  return {
    requested: numberOf(change?.from),
    sent: numberOf(change?.to),
    returned: total,
    saysMore: complete === "unknown" ? null : !complete,
  };
}
