/** What was sent for one turn, beside the request before it: what the inspector shows of a request. */
import * as z from "zod";
import { Digest } from "./claim";
import { ReusedPrefix } from "./cost";

const size = z.int().nonnegative();
const ChangedBy = z.object({ n: size, type: z.string() });
export type ChangedBy = z.infer<typeof ChangedBy>;

/** One part of a request. Sizes are of its text as `RequestReader.text` gives it; `tokens` null: nobody counts. */
export const RequestItem = z.object({
  at: z.int().min(-2), // -2: the system prompt, -1: the tools, from 0: messages
  role: z.enum(["system", "tools", "user", "assistant", "tool"]),
  call: z.string().nullable(), // of a result
  tool: z.string().nullable(), // of a result
  chars: size,
  tokens: size.nullable(),
  state: z.enum(["same", "changed", "new"]), // beside the request before
  by: ChangedBy.nullable(), // the event that changed it
  preview: z.string(), // its beginning on one line, at most 200 chars
});
export type RequestItem = z.infer<typeof RequestItem>;

/** One request, as it is rebuilt from the log. */
export const SentRequest = z.object({
  turn: size,
  n: size, // of its event
  model: z.string(),
  messages: size,
  items: z.array(RequestItem), // the first page; the rest by `RequestReader.page`
  /** Items by their state, all pages together; `removed`: those of the request before that this one has not. */
  same: size,
  changed: size,
  added: size,
  removed: size,
  /** Where it first differs from the one before, and by which event; null: it is the first. */
  divergence: z.object({ at: z.int().min(-1), by: ChangedBy.nullable() }).nullable(),
  prefix: ReusedPrefix.nullable(), // as recorded
  cachedTokens: size.nullable(), // as the provider's reply says
  bytes: size.nullable(), // as recorded; null: another program sent it, and nobody wrote down what
  sha256: Digest.nullable(), // the same
});
export type SentRequest = z.infer<typeof SentRequest>;

/** Items of one request in a window: `from` counts items, of `total`. */
export const RequestView = z.object({
  turn: size,
  n: size, // of the request's event
  model: z.string(),
  total: size,
  from: size,
  items: z.array(RequestItem),
  removed: size, // messages of the request before that are not in this one
  divergence: z.object({ at: z.int().min(-2), by: ChangedBy.nullable() }).nullable(), // null: the first request
  prefix: ReusedPrefix.nullable(),
  cachedTokens: size.nullable(), // as the provider's reply says
  isExact: z.boolean().nullable(), // what is rebuilt has the digest that the log has; null: the log has none
});
export type RequestView = z.infer<typeof RequestView>;
