// The inspector's browser side: a result that was larger than its envelope, and what was shown of it instead. Pure.
import type { BranchFailure, Exceeded, ProjectionReason } from "../src/schema/branch";
import type { CallView } from "../src/schema/view";
import { capital, type Format } from "./format";
import { type Fact, factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";

type ResponseView = NonNullable<CallView["response"]>;
type BranchView = NonNullable<ResponseView["branch"]>;

const REASONS: Readonly<Record<ProjectionReason, string>> = {
  no_pointer: "no contract says where its records are",
  not_json: "it is not JSON",
  ambiguous: "a name on the way to its records, or beside them, occurs twice",
  pointer_missing: "it has no records where the contract says",
  not_an_array: "what the contract names is no list",
  no_record_fits: "not even its first record fits",
};

const FAILURES: Readonly<Record<BranchFailure, string>> = {
  deadline: "it took too long",
  stopped: "it was stopped",
  model_failed: "the model failed",
  over_budget: "it needed more tokens than it may use",
  called_a_tool: "the model tried to call a tool",
  unparsable: "the model did not answer in the form that was asked for",
  no_verified_citation: "nothing that it cited was found in the result",
  source_unreadable: "the stored result could not be read",
};

const excessText = ({ dimension, actual, limit }: Exceeded, f: Format): string =>
  `${f.number(actual)} ${dimension}${dimension === "tokens" ? " (estimated)" : ""}, envelope ${f.number(limit)}`;

/** "37 items, envelope 10: the first 10 of 37 records are shown". */
export function responseLine(response: ResponseView, f: Format): string {
  const { exceeded, mode, records, reason, branch } = response;
  const isObserved = mode !== "enforce";
  const excess = excessText(exceeded, f);
  if (records !== null) {
    const shown = `the first ${f.number(records.records)} of ${f.count(records.totalRecords, "record")}`;
    return `${excess}: ${shown} ${isObserved ? "would be" : "are"} shown`;
  }
  return `${excess}: ${branch === null ? (reason === null ? "" : `shown as ever, ${REASONS[reason]}`) : branchLine(branch)}`;
}

function branchLine({ outcome, failure, completeness }: BranchView): string {
  if (outcome === "observed") return "a model would answer from it";
  if (outcome === "failed") return `branch failed, ${failure === null ? "" : FAILURES[failure]}`;
  return `answered apart (${completeness})`;
}

export function responseRow(key: string, response: ResponseView, f: Format): Row {
  const { exceeded, records, reason, branch } = response;
  return rowOf({
    key: `${key}/response`,
    kind: "response",
    icon: branch === null ? "filter" : "git-branch",
    tone: branch?.outcome === "failed" ? "warning" : "plain",
    label: branch === null ? "Envelope" : "Branch",
    description: oneLine(responseLine(response, f)),
    details: () => ({
      facts: [
        ...factsOf(
          ["Envelope", excessText(exceeded, f)],
          [
            "Records",
            records &&
              `${f.number(records.records)} of ${f.number(records.totalRecords)} at ${records.pointer}`,
          ],
          ["Beside them", records && `${records.copied.join(", ") || "nothing"} shown`],
          ["Not shown as records", reason && capital(REASONS[reason])],
        ),
        ...(branch === null ? [] : branchFacts(branch, f)),
      ],
      texts: [],
    }),
  });
}

function branchFacts(branch: BranchView, f: Format): Fact[] {
  const { outcome, failure, detail, model, elapsedMs, givenChars, totalChars, citations, completeness } =
    branch;
  if (outcome === "observed") return factsOf(["Branch", "Would have run"]);
  const { inputTokens, outputTokens } = branch;
  const tokens =
    inputTokens === null || outputTokens === null
      ? "not reported"
      : `${f.number(inputTokens)} in, ${f.number(outputTokens)} out`;
  return factsOf(
    ["Branch", failure === null ? "Answered" : `Failed: ${FAILURES[failure]}`],
    ["Detail", detail],
    ["Model", model],
    ["Read", `${f.number(givenChars)} of ${f.count(totalChars, "character")}`],
    ["Complete", completeness],
    [
      "Citations",
      `${f.number(citations.verified)} of ${f.number(citations.given)} verified, ${f.number(citations.dropped)} left out`,
    ],
    ["Tokens of the branch", tokens],
    ["Time of the branch", f.ms(elapsedMs)],
  );
}
