/** What fills the next request, by kind, as its event says it. */
import { contentIn } from "../claims/content";
import { envelopeIn } from "../coverage/envelope";
import { type ContentOf, naiveOf } from "../history/fills";
import type { RequestFills } from "../schema/cost";
import type { Conversation } from "./conversation";

/** A page's content is its envelope. */
export const contentOf: ContentOf = (text, { shown, tainted }) =>
  shown === "page" ? envelopeIn(text) : contentIn(text, tainted);

type Parts = Pick<Conversation, "history" | "fills" | "prefixSize" | "sizes">;

export function requestFills({ history, fills, prefixSize, sizes: { counter } }: Parts): RequestFills {
  const { tokens, system, tools } = prefixSize;
  const sums = fills.of();
  return { system, tools, ...sums, naive: tokens + naiveOf(sums, history.removed, counter) };
}
