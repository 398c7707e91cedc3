/** What if: what a request carries, by what filled it. */
import type { Item, SaidItem } from "./types";

/** `assumed`: what stands before a conversation and is in no transcript. `read_back`: windows of hidden results. */
export type FillKind =
  | "system"
  | "tools"
  | "assumed"
  | "words"
  | "replies"
  | "arguments"
  | "result"
  | "read_back";
/** `tool`: of results only. `items`: how many there are of them. */
export type Fill = {
  readonly kind: FillKind;
  readonly tool: string | null;
  readonly items: number;
  readonly tokens: number;
};
/** A request: which one, from 1, and what it carries. */
export type Window = { readonly request: number; readonly tokens: number; readonly fills: readonly Fill[] };

/** A request with the sizes of its items, as they were shown in it. */
export type Carried = {
  readonly request: number;
  readonly tokens: number;
  readonly before: readonly Fill[]; // what stands before its items
  readonly items: number;
  readonly sizes: readonly number[];
  readonly all: readonly Item[]; // of all requests: the first `items` are its own
};

export function fillsOf({ items: count, sizes, all }: Carried): readonly Fill[] {
  const fills = new Map<string, { kind: FillKind; tool: string | null; items: number; tokens: number }>();
  const add = (kind: FillKind, tool: string | null, tokens: number, items = 1) => {
    const key = `${kind} ${tool ?? ""}`;
    const fill = fills.get(key) ?? { kind, tool, items: 0, tokens: 0 };
    fills.set(key, { ...fill, items: fill.items + items, tokens: fill.tokens + tokens });
  };
  for (const kind of ["words", "replies", "arguments"] as const) add(kind, null, 0, 0);
  for (let at = 0; at < count; at++) {
    const item = all[at];
    const tokens = sizes[at] ?? 0;
    if (item?.kind === "user") add("words", null, tokens);
    else if (item?.kind === "window") add("read_back", null, tokens);
    else if (item?.kind === "result") add("result", item.tool, tokens);
    else if (item?.kind === "assistant") {
      const calls = argumentTokens(item);
      add("replies", null, tokens - calls);
      add("arguments", null, calls, item.calls?.length ?? 0);
    }
  }
  const found = [...fills.values()].filter(({ items }) => items > 0);
  const results = found.filter(({ kind }) => kind === "result").sort((a, b) => b.tokens - a.tokens);
  return [
    ...found.filter(({ kind }) => kind !== "result" && kind !== "read_back"),
    ...results,
    ...found.filter(({ kind }) => kind === "read_back"),
  ];
}

export const argumentTokens = ({ calls = [] }: SaidItem): number =>
  calls.reduce((sum, call) => sum + call.tokens, 0);

/** Without what was read back: that is no item of the session. */
export function sizesOf(carried: Carried | null): readonly number[] {
  if (carried === null) return [];
  return carried.sizes.slice(0, carried.items).filter((_, at) => carried.all[at]?.kind !== "window");
}
