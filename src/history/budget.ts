/** Budgets: how much of one turn's results stays inline (seed 001 §Orçamento, CONFORMANCE §3). Sizes in chars. */
import type { BudgetSettings } from "../schema/settings";

/** A preview keeps a head and a tail in this proportion, and no less than this of a result. */
export const PREVIEW_HEAD_CHARS = 4000;
export const PREVIEW_TAIL_CHARS = 1000;
/** What is kept at least, in the same proportion, of a turn whose previews together are still too long. */
const LEAST_CHARS = 500;
/** Room for the label between them. */
const LABEL_CHARS = 250;

/** `isExempt`: has a cap of its own (excluded from the claim check), is a window or was cut already; it still counts in the turn. `isFixed`: a window or a branch's answer, never cut. */
export type ResultSize = {
  readonly call: string;
  readonly chars: number;
  readonly bytes: number;
  readonly isExempt: boolean;
  readonly isFixed: boolean;
};
export type BudgetCut = { readonly call: string; readonly keepChars: number };
export type BudgetPass = { readonly limit: keyof BudgetSettings; readonly cuts: readonly BudgetCut[] };

/** The cuts that bring one turn's results within its budgets: single results first, then the turn, largest first, none further than needed (B1, B2). */
export function overBudget(sizes: readonly ResultSize[], settings: BudgetSettings): readonly BudgetPass[] {
  const whole = PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS;
  const single = sizes
    .filter(
      ({ chars, isExempt }) => !isExempt && chars > Math.max(settings.perResultChars, whole + LABEL_CHARS),
    )
    .map(({ call }) => ({ call, keepChars: whole }));
  const cut = new Set(single.map(({ call }) => call));
  const afterSingle = sizes.map((size) => (cut.has(size.call) ? shrunk(size, whole) : size));

  const turn = reduce(afterSingle, settings.perTurnChars, ({ chars }) => chars);
  const kept = new Map(turn.map(({ call, keepChars }) => [call, keepChars]));
  const afterTurn = afterSingle.map((size) => shrunk(size, kept.get(size.call) ?? size.chars));
  const bytes = reduce(afterTurn, settings.perTurnBytes, ({ bytes }) => bytes);

  const passes: BudgetPass[] = [
    { limit: "perResultChars", cuts: single },
    { limit: "perTurnChars", cuts: turn },
    { limit: "perTurnBytes", cuts: bytes },
  ];
  return passes.filter(({ cuts }) => cuts.length > 0);
}

/** To previews first; where all of those are still too much, further. */
function reduce(
  sizes: readonly ResultSize[],
  limit: number,
  sizeOf: (size: ResultSize) => number,
): BudgetCut[] {
  const kept = new Map<string, number>();
  let left = sizes;
  for (const leastChars of [PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS, LEAST_CHARS]) {
    for (const { call, keepChars } of cutTo(left, limit, sizeOf, leastChars)) kept.set(call, keepChars);
    left = sizes.map((size) => shrunk(size, kept.get(size.call) ?? size.chars));
  }
  return [...kept].map(([call, keepChars]) => ({ call, keepChars }));
}

function cutTo(
  sizes: readonly ResultSize[],
  limit: number,
  sizeOf: (size: ResultSize) => number,
  leastChars: number,
): BudgetCut[] {
  let excess = sizes.reduce((sum, size) => sum + sizeOf(size), 0) - limit;
  const cuts: BudgetCut[] = [];
  for (const size of [...sizes].sort((a, b) => sizeOf(b) - sizeOf(a))) {
    if (excess <= 0) break;
    if (size.isFixed) continue;
    const perChar = sizeOf(size) / Math.max(1, size.chars);
    const needed = size.chars - Math.ceil(excess / perChar) - LABEL_CHARS;
    const keepChars = Math.max(leastChars, needed);
    if (keepChars + LABEL_CHARS >= size.chars) continue; // nothing to gain here
    cuts.push({ call: size.call, keepChars });
    excess -= (size.chars - keepChars - LABEL_CHARS) * perChar;
  }
  return cuts;
}

function shrunk(size: ResultSize, keepChars: number): ResultSize {
  if (keepChars >= size.chars) return size;
  const chars = keepChars + LABEL_CHARS;
  return { ...size, chars, bytes: Math.ceil((size.bytes * chars) / size.chars) };
}
