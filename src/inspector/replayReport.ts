/** A replay and a counterfactual as plain lines for a terminal. */
import type { Counterfactual, Tally } from "../thimble/counterfactual";
import type { Difference, Replay } from "../thimble/replay";
import { columns, harmless } from "./columns";

export function replayReport({
  outcome,
  decisions,
  configurations,
  redacted,
  refused,
  differences,
}: Replay): string[] {
  const [first] = differences;
  const what = `${count(decisions, "decision")} made again under ${count(configurations, "configuration")}`;
  return [
    ...redacted.map(
      ({ call, tool, unproven }) =>
        `args_redacted ${call} ${tool}: decided on the kept bytes; ${unproven.join(" and ")} cannot be computed from them`,
    ),
    ...refused.map(
      ({ event, policy, message }) =>
        `refused: policy ${policy} of event ${event} is not replayed. ${message}`,
    ),
    ...(first ? [`first difference: ${differenceLine(first)}`] : []),
    outcome === "drift"
      ? `drift: ${count(differences.length, "difference")}; ${what}`
      : `${outcome}: ${what}${redacted.length > 0 ? `, ${redacted.length} of them on redacted arguments` : ""}`,
  ].map(harmless);
}

const differenceLine = ({ call, event, field, recorded, recomputed }: Difference): string =>
  `${call === null ? "" : `call ${call}, `}event ${event}, ${field}: recorded ${recorded}, recomputed ${recomputed}`;

export function counterfactualReport({ policy, calls, otherArguments, rows }: Counterfactual): string[] {
  const cells = ({ calls: n, counted, requested, effective }: Tally) => [
    String(n),
    counted === 0 ? "-" : `${requested}`,
    counted === 0 ? "-" : `${effective}`,
  ];
  const table = rows.map((row) => [
    row.tool,
    row.contract ?? "-",
    row.reason,
    ...cells(row.recorded),
    ...cells(row.would),
    String(row.otherArguments),
  ]);
  const head = [
    ...["tool", "argument", "reason"],
    ...["recorded calls", "items requested", "items sent"],
    ...["would be calls", "items requested", "items sent", "other arguments"],
  ];
  return [
    `Under ${policy.name} ${policy.version} (${policy.sha256.slice(0, 12)}), in the recorded modes:`,
    ...columns([head, ...table]),
    `${count(otherArguments, "call")} of ${calls} would have run with other arguments. What they would have returned is not known.`,
  ].map(harmless);
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
