/** A scorecard as plain lines for a terminal: every figure with its unit and over how many calls it was taken. */
import type {
  Figure,
  NetFigure,
  ScorecardPair,
  ScorecardRow,
  ScorecardView,
  Verdict,
} from "../schema/scorecard";
import { columns, harmless } from "./columns";

export function scorecardReport({ sessions, rows, pairs, verdicts, notes }: ScorecardView): string[] {
  return [
    `${sessions.length} sessions: ${sessions.join(", ")}`,
    "",
    ...(rows.length > 0 ? columns([HEAD, ...rows.map(cellsOf)]) : ["No calls."]),
    ...rows.flatMap(marksOf),
    ...pairs.flatMap(pairLines),
    "",
    ...verdicts.map(verdictLine),
    ...notes,
  ].map(harmless);
}

const HEAD = [
  ...["tool", "argument", "reason", "mode", "policy", "calls", "decisions"],
  ...[
    "requested",
    "sent",
    "returned",
    "response",
    "tokens",
    "shown",
    "in tools",
    "continued",
    "read back or asked again",
  ],
];

/** `2000 items of 4`: a sum, and of how many calls it is. */
const told = ({ value, unit, calls }: Figure): string => (calls === 0 ? "-" : `${value} ${unit} of ${calls}`);

const cellsOf = (row: ScorecardRow): string[] => [
  row.tool,
  row.contract ?? "-",
  row.reason,
  row.mode,
  `${row.policy} (${row.policySha256.slice(0, 12)})`,
  String(row.calls),
  Object.entries(row.decisions)
    .map(([decision, count]) => `${decision} ${count}`)
    .join(" "),
  told(row.requested),
  told(row.effective),
  told(row.returned),
  told(row.response),
  row.tokens.map(told).join(" + ") || "-",
  told(row.shown),
  told(row.elapsed),
  String(row.continuations.length),
  String(row.refetches.length),
];

const marksOf = ({ tool, marks }: ScorecardRow): string[] =>
  marks.map(
    ({ session, call, kind, by }) =>
      `! ${tool} ${session}/${call} may have been lowered too far: ${kind} by ${by}`,
  );

function pairLines({
  control,
  candidate,
  refused,
  contracts,
  session,
  success,
  notes,
}: ScorecardPair): string[] {
  const lines = ["", `Control ${control}, candidate ${candidate}`];
  if (refused !== null) return [...lines, `  Not compared: ${refused}.`];
  const figures = [
    ...contracts.flatMap(({ tool, contract, figures: own }) =>
      own.map((f) => netCells(`${tool} ${contract}`, f)),
    ),
    ...session.map((f) => netCells("all requests", f)),
  ];
  const head = ["of", "unit", "control", "candidate", "re-reads", "branch", "net"];
  const runs = ({ answered, runs: all }: ScorecardPair["success"]["control"]) => `${answered} of ${all} runs`;
  return [
    ...lines,
    ...columns([head, ...figures]).map((line) => `  ${line}`),
    `  Answered: control ${runs(success.control)}, candidate ${runs(success.candidate)}`,
    ...notes.map((note) => `  ${note}`),
  ];
}

const netCells = (of: string, f: NetFigure): string[] => [
  f.of === "response" || f.of === "shown" ? `${of}, ${f.of}` : of,
  f.unit,
  `${f.control} of ${f.calls.control}`,
  `${f.candidate} of ${f.calls.candidate}`,
  `${f.rereads} of ${f.calls.rereads}`,
  String(f.branch),
  String(f.net),
];

function verdictLine({ tool, contract, verdict, reason, measured, counterfactual }: Verdict): string {
  const { calls, requested, proposed } = counterfactual;
  const observed =
    !measured && calls > 0
      ? ` Counterfactual: ${calls} calls asked for ${requested} items and would have asked for ${proposed}.`
      : "";
  return `${tool} ${contract}: ${verdict} (${reason}).${observed}`;
}
