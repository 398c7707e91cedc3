// The inspector's browser side: what fills a window, in the order in which it is stacked (`FILL_KINDS`).
import type { FillKind } from "../src/schema/view";

export type FillPart = { readonly kind: FillKind; readonly name: string; readonly says: string };

export const FILL_PARTS: readonly FillPart[] = [
  { kind: "system", name: "System", says: "The system prompt" },
  { kind: "tools", name: "Tools", says: "The tools that the model may call" },
  { kind: "user", name: "You", says: "What you asked" },
  { kind: "assistant", name: "Assistant", says: "The model's replies and its calls" },
  { kind: "inline", name: "Results", says: "Tool results that the model has whole" },
  {
    kind: "heads",
    name: "Heads and pages",
    says: "Beginnings of stored results, and pages that were read back",
  },
  { kind: "tickets", name: "Tickets", says: "What stands in a stored result's place" },
  { kind: "aged", name: "Shortened", says: "Old results that were shortened" },
];

export const sumOf = (tokens: readonly number[]): number => tokens.reduce((sum, some) => sum + some, 0);
