// test/support: small sessions for the replays, as they are told: who said what, and what tools returned.
import { evidenceOf, type Said, stringLeaves } from "../../src/inspector/whatIf/evidence";
import { whole } from "../../src/inspector/whatIf/session";
import type { Policy, ResultItem, SaidItem, Session, Shown } from "../../src/inspector/whatIf/types";
import type { TokenCounter } from "../../src/schema/tokens";

/** `a`: a reply, to the request that its `idle` seconds passed before. */
export type Told =
  | { readonly u: string }
  | { readonly a: string; readonly args?: string; readonly idle?: number }
  | { readonly t: string; readonly tool?: string; readonly isError?: boolean };

/** One token per code unit: figures that can be added up by hand. */
export const units: TokenCounter = { name: "units", count: (text) => text.length };

export function sessionOf(...told: readonly Told[]): Session {
  const items: (SaidItem | ResultItem)[] = [];
  const texts: string[][] = [];
  const replies: (Said & { idle: number })[] = [];
  for (const one of told) {
    if ("u" in one) {
      items.push({ kind: "user", text: one.u, tokens: one.u.length });
      texts.push([one.u]);
    } else if ("a" in one) {
      const { a, args = "", idle = 0 } = one;
      const words = [a, ...(args === "" ? [] : stringLeaves(args))];
      replies.push({ items: items.length, words, idle });
      items.push({ kind: "assistant", text: `${a}\n${args}`, tokens: a.length + args.length });
      texts.push([a, args, ...words]);
    } else {
      items.push(resultOf(one.t, { turn: replies.length, ...one }));
      texts.push([one.t]);
    }
  }
  const evidence = evidenceOf(items, replies, (at) => texts[at] ?? []);
  const requests = replies.map((reply, n) => ({
    items: reply.items,
    idleSeconds: reply.idle,
    evidence: evidence[n] ?? [],
  }));
  return { name: "told", items, requests };
}

export function resultOf(
  text: string,
  { turn = 1, tool = "look", isError = false, shown = whole(text) as Shown } = {},
): ResultItem {
  return {
    kind: "result",
    tool,
    arguments: "{}",
    text,
    tokens: text.length,
    isError,
    turn,
    shown,
  };
}

/** Shows results so from the given request on, by their index among the items at that time. */
export const policyOf = (changes: Readonly<Record<number, Readonly<Record<number, Shown>>>>): Policy => ({
  name: "told",
  open:
    () =>
    (_, { request }) =>
      Object.entries(changes[request] ?? {}).map(([at, shown]) => ({ at: Number(at), shown })),
});
