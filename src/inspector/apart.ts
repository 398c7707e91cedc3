/** What became of a result that was larger than its envelope, in the call that the inspector shows. */
import type { EventOf } from "../schema/event";
import type { CallView } from "../schema/view";

type ResponseView = NonNullable<CallView["response"]>;

export function projected({
  exceeded,
  mode,
  records,
  reason,
}: EventOf<"projected">): Pick<CallView, "response"> {
  return { response: { exceeded, mode, records, reason, branch: null } };
}

/** Only what was judged is branched; a branch alone is shown nowhere. */
export function branched(call: CallView, event: EventOf<"branched">): Partial<CallView> {
  const {
    outcome,
    failure,
    detail,
    model,
    usage,
    elapsedMs,
    givenChars,
    totalChars,
    citations,
    completeness,
  } = event;
  const tokens = { inputTokens: usage?.inputTokens ?? null, outputTokens: usage?.outputTokens ?? null };
  const facts = {
    outcome,
    failure,
    detail,
    model,
    elapsedMs,
    givenChars,
    totalChars,
    citations,
    completeness,
  };
  return call.response === null ? {} : { response: { ...call.response, branch: { ...facts, ...tokens } } };
}

/** One line for terminals and transcripts. */
export function responseWords({ exceeded, mode, records, reason, branch }: ResponseView): string {
  const { dimension, actual, limit } = exceeded;
  const excess = `${actual} ${dimension}, envelope ${limit}`;
  const would = mode === "enforce" ? "" : "would be ";
  if (records !== null)
    return `${excess}: ${would}shown as the first ${records.records} of ${records.totalRecords} records`;
  if (branch === null) return `${excess}: not projected (${reason})`;
  const { outcome, failure, model, citations, givenChars, totalChars, completeness } = branch;
  if (outcome === "observed") return `${excess}: ${would}answered apart`;
  if (outcome === "failed") return `${excess}: branch failed (${failure})`;
  const cited = `${citations.verified} of ${citations.given} citations verified`;
  return `${excess}: answered apart by ${model} from ${givenChars} of ${totalChars} characters, ${completeness}, ${cited}`;
}
