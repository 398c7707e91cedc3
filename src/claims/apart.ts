/** The sentences around what is shown of a result in place of its ticket: its first records, or an answer from it (seed 003 §Micro-context branch). */
import type { BranchFailure, Citation, Completeness, Exceeded, ProjectedRecords } from "../schema/branch";
import type { Handle } from "../schema/claim";
import { FETCH_RESULT, fenced, headlessTicketOf } from "./ticket";

type WholeFacts = {
  readonly tool: string;
  readonly handle: Handle;
  readonly totalChars: number;
  readonly what: string;
  readonly tainted: boolean;
};

/** "37 items, limit 10". */
export function excessWords({ dimension, actual, limit }: Exceeded): string {
  return `${actual} ${dimension === "tokens" ? "tokens by estimate" : dimension}, limit ${limit}`;
}

/** `text` is the projection; the last line is a ticket's, so that the handle is found where it always is. */
export function projectionText(
  facts: WholeFacts,
  exceeded: Exceeded,
  { records, text }: { readonly records: ProjectedRecords; readonly text: string },
): string {
  const { tool, tainted } = facts;
  const { records: shown, totalRecords, pointer, leftOut } = records;
  const members =
    leftOut === 0 ? "" : ` ${leftOut} other ${leftOut === 1 ? "value is" : "values are"} not shown.`;
  const rest =
    totalRecords === shown
      ? "All of its records are here, unchanged."
      : `${totalRecords - shown} more are not shown. Absence below proves nothing.`;
  return [
    `[First ${shown} of ${totalRecords} records at ${pointer} from ${tool} (${excessWords(exceeded)}). ${rest}${members}]`,
    tainted ? fenced(text, tool) : text,
    headlessTicketOf(facts),
  ].join("\n\n");
}

/** `text`: answer and citations, made safe. `next`: the first char of the source that the branch was not given. */
export function branchText(
  facts: WholeFacts,
  exceeded: Exceeded,
  said: {
    readonly text: string;
    readonly completeness: Completeness;
    readonly dropped: number;
    readonly next: number | null;
  },
): string {
  const { tool, tainted, totalChars, handle } = facts;
  const { text, completeness, dropped, next } = said;
  const read = next === null ? `all ${totalChars} characters` : `characters 0–${next - 1} of ${totalChars}`;
  const lost =
    dropped === 0 ? "" : ` ${dropped} more ${dropped === 1 ? "was" : "were"} not found there and left out.`;
  const rest =
    next === null
      ? []
      : [
          `[Not read: characters ${next}–${totalChars - 1}. Next: ${FETCH_RESULT} with handle='${handle}', offset=${next}.]`,
        ];
  return [
    `[An answer from the result of ${tool} (${excessWords(exceeded)}), not the result: a model without tools read ${read}; it is ${COMPLETENESS[completeness]}. What it cites was found in the result.${lost} Absence below proves nothing.]`,
    tainted ? fenced(text, tool) : text,
    ...rest,
    headlessTicketOf(facts),
  ].join("\n\n");
}

const COMPLETENESS: Readonly<Record<Completeness, string>> = {
  complete: "complete by its own account",
  partial: "partial",
  unknown: "complete or not: unknown",
};

/** An answer and what it rests on, one line for each citation. */
export function answerText(answer: string, citations: readonly Citation[]): string {
  const lines = citations.map((one) =>
    "pointer" in one ? `- at ${one.pointer}` : `- ${JSON.stringify(one.quote)}`,
  );
  return [answer.trim(), "", "Cited:", ...lines].join("\n");
}

/** Why there is a ticket where an answer was wanted. */
export const BRANCH_FAILURES: Readonly<Record<BranchFailure, string>> = {
  deadline: "it took too long",
  stopped: "it was stopped",
  model_failed: "the model failed",
  over_budget: "it needed more tokens than it may use",
  called_a_tool: "the model tried to call a tool, and has none there",
  unparsable: "the model did not answer in the form that was asked for",
  no_verified_citation: "nothing that it cited was found in the result",
  source_unreadable: "the stored result could not be read",
};

/** One line behind the ticket. */
export const branchFailedLine = (failure: BranchFailure): string =>
  `[branch_failed: a model was to answer from this result, and ${BRANCH_FAILURES[failure]}. Nothing of it is shown.]`;
