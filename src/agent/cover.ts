/** Step 9: a stored result that is a list is shown as its first page, which says whether the list is complete (CONFORMANCE §6). */
import { digestFor } from "../claims/policy";
import { FETCH_RESULT } from "../claims/ticket";
import { indexList } from "../coverage/indexList";
import { pageLabel } from "../coverage/label";
import { type LimitFacts, limitedBy, limitWords } from "../coverage/limitedBy";
import { bytesOf, readPage } from "../coverage/readList";
import { PAGE_BYTES, type PageEntry, type Snapshot, snapshotIdOf, snapshotOf } from "../coverage/snapshot";
import type { Handle, Hash } from "../schema/claim";
import type { ListHints } from "../schema/coverage";
import type { EventOf } from "../schema/event";
import type { SafeText } from "../schema/text";
import { responseRuleOf } from "../thimble/envelope";
import { countsOf, type Items } from "../thimble/items";
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
  const counts = countsIn(result, context);
  const hints = hintsFor(result, counts.sent, context);
  const { claim } = kept;
  if (isReadOtherwise(claim.handle, hints, context)) return none;
  const snapshot = snapshotFor(result.safe, claim.handle, hints, PAGE_BYTES, context.ports.hash);
  if (snapshot === null) return none;
  keepList(claim.handle, hints, snapshot, context);
  const read = await readPage(snapshot, null, bytesOf(result.safe));
  if (read.kind === "refused") return none;
  const facts = limitsOf(counts, snapshot);
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
  handle: Handle,
  hints: ListHints,
  budgetBytes: number,
  hash: Hash,
): Snapshot | null {
  const index = indexList(text, hints);
  if (index.kind === "text") return null;
  const snapshot = snapshotOf(text, index, { id: snapshotIdOf(handle), budgetBytes, hash });
  return snapshot.kind === "snapshot" ? snapshot : null;
}

/** Their tables are made again of what is stored, so few are held. */
export const LISTS_AT_HAND = 16;

/** The latest are held: a list that is used again is the latest. */
export function keepList(
  handle: Handle,
  hints: ListHints,
  snapshot: Snapshot,
  { lists }: Pick<CallContext, "lists">,
): void {
  lists.delete(handle);
  lists.set(handle, { hints, snapshot });
  for (const oldest of lists.keys()) {
    if (lists.size <= LISTS_AT_HAND) break;
    lists.delete(oldest);
  }
}

/**
 * The same content is the same handle, whichever tool returned it: its pages were decided when it was first shown, and
 * cursors of other pages would lead nowhere.
 */
function isReadOtherwise(handle: Handle, hints: ListHints, { lists, coverage }: CallContext): boolean {
  const recorded = coverage().lists;
  const before =
    lists.get(handle)?.hints ?? (Object.hasOwn(recorded, handle) ? recorded[handle]?.hints : undefined);
  return before !== undefined && !isSameReading(before, hints);
}

const isSameReading = (one: ListHints, other: ListHints): boolean =>
  one.pointer === other.pointer &&
  one.asked === other.asked &&
  one.lines?.headerLines === other.lines?.headerLines &&
  one.lines?.complete === other.lines?.complete;

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

function hintsFor(result: JudgedResult, asked: number | null, context: CallContext): ListHints {
  const rule = responseRuleOf(
    subjectOf(result.call.name, result.permit.tool.spec),
    context.policy,
    context.settings.limits.hardMaximum,
  );
  return { pointer: result.lines === null ? rule.items : null, lines: result.lines, asked };
}

type Counts = Pick<LimitFacts, "requested" | "sent">;

/** What was asked for and what the tool got, where a contract says which argument counts records. */
function countsIn({ permit }: JudgedResult, { policy }: CallContext): Counts {
  const { proposal, originalText } = permit.proposed;
  const counts = countsOf(proposal, originalText, policy);
  const numberOf = (value: Items | undefined): number | null => (typeof value === "number" ? value : null);
  return { requested: numberOf(counts?.requested), sent: numberOf(counts?.effective) };
}

/** With what came back: whose limit the list stopped at. */
function limitsOf(counts: Counts, { total, complete }: Snapshot): LimitFacts {
  return { ...counts, returned: total, saysMore: complete === "unknown" ? null : !complete };
}
