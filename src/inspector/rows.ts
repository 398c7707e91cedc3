/** What a page is sent of turns that are closed, of the plot, and of a session as a whole: small, whatever the session holds. */
import {
  INCREMENT_BYTES,
  MAXIMUM_COLUMNS,
  type Plot,
  type PlotColumn,
  type TurnRow,
} from "../schema/inspector";
import { byteLength } from "../schema/text";
import type { SessionHead, TurnView } from "../schema/view";
import { isIncomplete } from "./beginning";
import type { InspectorFold } from "./draft";
import { turnAt } from "./turnPages";
import { firstChars } from "./words";

const ROW_CHARS = 160;
const TEXT_CHARS = 400;
const LISTS = 12;
const NOTICES = 20;
const NOTICE_CHARS = 600;

type Turns = Pick<InspectorFold, "head" | "turns">;

export function rowsFrom(fold: Turns, from: number, count: number): TurnRow[] {
  const rows: TurnRow[] = [];
  for (let at = from; at < Math.min(from + count, fold.turns.numbers.length); at++) {
    const turn = turnAt(fold.turns, at);
    if (turn) rows.push(rowOf(fold, turn, at));
  }
  return rows;
}

/** Only the newest turn of a session that runs can be busy. */
export function rowOf({ head, turns }: Turns, turn: TurnView, at: number): TurnRow {
  const { asked, request, calls } = turn;
  const isRunning = head?.running === true && at === turns.numbers.length - 1;
  const count = (has: (call: TurnView["calls"][number]) => boolean) => calls.filter(has).length;
  return {
    at,
    turn: turn.turn,
    text: firstChars(wordsOf(turn).trim(), ROW_CHARS),
    isAsked: asked !== null,
    tone: toneOf(turn, isRunning),
    startedAt: request?.at ?? null,
    tokens: request?.fill?.tokens.reduce((sum, part) => sum + part, 0) ?? null,
    calls: calls.length,
    stored: count(({ stored, media }) => stored !== null || media.some(({ handle }) => handle !== null)),
    shortened: count(({ shortened }) => shortened.length > 0),
    lowered: count(({ receipt }) => (receipt?.changes.length ?? 0) > 0),
  };
}

/** What was asked; in a turn where nothing was, what it did. */
function wordsOf({ asked, calls, reply }: TurnView): string {
  if (asked !== null) return asked;
  if (calls.length > 0) return calls.map(({ tool }) => tool).join(", ");
  return reply?.text || reply?.error || "";
}

function toneOf({ reply, ended, calls, recovery, request }: TurnView, isRunning: boolean): TurnRow["tone"] {
  if (reply?.end === "failed" || ended?.end === "failed") return "error";
  if (recovery.length > 0 || (reply?.unread.length ?? 0) > 0 || ended?.end === "turn_limit") return "warning";
  if (!isRunning) return "plain";
  const isOpen = calls.some(({ state }) => state === "waiting" || state === "running");
  return (request !== null && reply === null && ended === null) || isOpen ? "busy" : "plain";
}

/** A turn with its texts cut: whole ones are asked for. */
export function turnOnWire({ reply, asked, ...turn }: TurnView): TurnView {
  return {
    ...turn,
    asked: asked && firstChars(asked, TEXT_CHARS),
    reply: reply && {
      ...reply,
      text: firstChars(reply.text, TEXT_CHARS),
      error: reply.error && firstChars(reply.error, TEXT_CHARS),
      unread: reply.unread.slice(0, LISTS),
    },
  };
}

export function headOnWire(head: SessionHead): SessionHead {
  const lists = [...head.lists.filter(isIncomplete), ...head.lists.filter((list) => !isIncomplete(list))];
  const notices = head.notices.slice(-NOTICES).map((notice) => firstChars(notice, NOTICE_CHARS));
  return { ...head, title: firstChars(head.title, TEXT_CHARS), lists: lists.slice(0, LISTS), notices };
}

export function columnOf({ turn, request }: TurnView, at: number): PlotColumn | null {
  if (!request?.fill) return null;
  const { tokens, naive, isEstimate } = request.fill;
  return { at, turn, tokens, naive, isEstimate };
}

/** A figure of each turn, side by side: what a plot of any length is drawn from without looking at the turns. */
const STRIDE = 12;
export type Series = number[];

export function intoSeries(series: Series, column: PlotColumn): void {
  const { at, turn, tokens, naive, isEstimate } = column;
  while (series.length < (at + 1) * STRIDE) series.push(-1);
  const figures = [turn, ...tokens, naive, isEstimate ? 1 : 0];
  for (const [i, figure] of figures.entries()) series[at * STRIDE + i] = figure;
}

const sizeAt = (series: Series, at: number): number => {
  let sum = 0;
  for (let i = 1; i <= 8; i++) sum += series[at * STRIDE + i] ?? 0;
  return sum;
};

/** Of the turns that a column stands for, the one with the largest request. */
export function plotOf({ series, turns }: Pick<InspectorFold, "series" | "turns">): Plot {
  const count = turns.numbers.length;
  let turnsPerColumn = 1;
  while (Math.ceil(count / turnsPerColumn) > MAXIMUM_COLUMNS) turnsPerColumn *= 2;
  const columns: (PlotColumn | null)[] = [];
  for (let from = 0; from < count; from += turnsPerColumn) {
    let largest = -1;
    for (let at = from; at < Math.min(from + turnsPerColumn, count); at++)
      if ((series[at * STRIDE] ?? -1) >= 0 && (largest < 0 || sizeAt(series, at) >= sizeAt(series, largest)))
        largest = at;
    columns.push(largest < 0 ? null : columnAt(series, largest));
  }
  return { turnsPerColumn, columns };
}

function columnAt(series: Series, at: number): PlotColumn {
  const [turn = 0, ...figures] = series.slice(at * STRIDE, at * STRIDE + STRIDE);
  return { at, turn, tokens: figures.slice(0, 8), naive: figures[8] ?? 0, isEstimate: figures[9] === 1 };
}

export const isSmall = (piece: unknown, limitBytes = INCREMENT_BYTES): boolean =>
  byteLength(JSON.stringify(piece)) <= limitBytes;
