// The inspector's browser side: a turn as one row, out of the row that the host sent, or of the whole turn. Pure.
import type { TurnRow } from "../src/schema/inspector";
import type { TurnView } from "../src/schema/view";
import type { Format } from "./format";
import { type Fact, factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";
import { endName, replyEnd, requestLine } from "./words";

export const turnKey = (session: string, turn: number): string => `${session}/t${turn}`;
/** The key of a turn whose number is not known yet, by its place. */
export const placeKey = (session: string, at: number): string => `${session}/@${at}`;

/** What is known of a turn; neither: the row is a placeholder. */
export type KnownTurn = { readonly row: TurnRow | undefined; readonly turn: TurnView | undefined };

export function turnRow(session: string, at: number, known: KnownTurn, isRunning: boolean, f: Format): Row {
  const { row, turn } = known;
  const number = row?.turn ?? turn?.turn;
  if (number === undefined) return placeholderRow(placeKey(session, at), true);
  const tone = row?.tone ?? toneOf(turn, isRunning);
  const isAsked = row?.isAsked ?? turn?.asked != null;
  const text = oneLine(row?.text ?? (turn === undefined ? "" : turnText(turn, f)));
  const counts = row === undefined ? [] : countsOf(row, f);
  return rowOf({
    key: turnKey(session, number),
    kind: "turn",
    icon: tone === "busy" ? "loading" : isAsked ? "comment" : "arrow-small-right",
    tone,
    label: `Turn ${f.number(number)}`,
    description: text,
    tooltip: [`Turn ${f.number(number)}: ${text}`, ...counts, ...startedLine(row, f)].join("\n"),
    isParent: true,
    details: () => ({
      facts: turnFacts(known, isRunning, counts, f),
      texts: turn?.asked == null ? [] : [{ label: "Asked", text: turn.asked }],
    }),
    event: turn?.request ? { n: turn.request.n, type: "requested" } : null,
  });
}

/** A row that is not there yet. It has the height of one, and says so to nobody who did not ask. */
export const placeholderRow = (key: string, isParent: boolean): Row =>
  rowOf({ key, kind: "placeholder", icon: "blank", tone: "quiet", label: "Loading…", isParent });

function toneOf(turn: TurnView | undefined, isRunning: boolean): TurnRow["tone"] {
  if (isRunning) return "busy";
  return turn?.reply?.end === "failed" || turn?.ended?.end === "failed" ? "error" : "plain";
}

const startedLine = (row: TurnRow | undefined, f: Format): string[] =>
  row?.startedAt == null ? [] : [f.fullTime(row.startedAt)];

function countsOf({ calls, stored, shortened, lowered, tokens }: TurnRow, f: Format): string[] {
  const parts = [
    tokens === null ? "" : f.count(tokens, "token"),
    calls === 0 ? "" : f.count(calls, "call"),
    stored === 0 ? "" : `${f.number(stored)} stored`,
    shortened === 0 ? "" : `${f.number(shortened)} shortened`,
    lowered === 0 ? "" : `${f.count(lowered, "limit")} lowered`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [parts.join(", ")];
}

function turnFacts({ row, turn }: KnownTurn, isRunning: boolean, counts: string[], f: Format): Fact[] {
  const startedAt = row?.startedAt ?? turn?.request?.at ?? null;
  const tools = turn?.calls.map(({ tool }) => tool).join(", ") ?? "";
  const isWaiting = turn?.reply === null && !isRunning;
  return [
    ...(startedAt === null ? [] : [{ label: "Started", value: f.fullTime(startedAt), at: startedAt }]),
    ...factsOf(
      ["In short", counts[0] ?? null],
      ["Reply", turn === undefined || isWaiting ? null : replyEnd(turn, f)],
      ["Request", turn?.request ? requestLine(turn.request, f) : null],
      ["Calls", tools === "" ? null : oneLine(tools, 400)],
      ["Run ended", turn?.ended ? endName(turn.ended.end) : null],
    ),
  ];
}

/** What was asked; in a turn where nothing was, what the turn did. */
function turnText(turn: TurnView, f: Format): string {
  if (turn.asked !== null) return turn.asked;
  if (turn.calls.length > 0) return turn.calls.map(({ tool }) => tool).join(", ");
  const said = oneLine(turn.reply?.text ?? "");
  return said === "" ? replyEnd(turn, f) : said;
}
