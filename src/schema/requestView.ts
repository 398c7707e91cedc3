/** What was sent in one request, message by message, beside the request before it. */
import * as z from "zod";
import { ReusedPrefix } from "./cost";

const size = z.int().nonnegative();
/** An event of the log. */
const Cause = z.object({ n: size, type: z.string() });

/** `at`: -2 is the system prompt, -1 the tools, messages count from 0. */
export const RequestItem = z.object({
  at: z.int().min(-2),
  role: z.enum(["system", "tools", "user", "assistant", "tool"]),
  call: z.string().nullable(),
  tool: z.string().nullable(),
  chars: size,
  tokens: size.nullable(),
  state: z.enum(["same", "changed", "new"]), // beside the request before
  by: Cause.nullable(), // what changed it
  preview: z.string(), // one line, at most 200 chars
});
export type RequestItem = z.infer<typeof RequestItem>;

/** Items of one request in a window: `from` counts items, of `total`. */
export const RequestView = z.object({
  turn: size,
  n: size, // of the request's event
  model: z.string(),
  total: size,
  from: size,
  items: z.array(RequestItem),
  removed: size, // messages of the request before that are not in this one
  divergence: z.object({ at: z.int().min(-2), by: Cause.nullable() }).nullable(), // null: the first request
  prefix: ReusedPrefix.nullable(),
  cachedTokens: size.nullable(), // as the provider's reply says
  isExact: z.boolean().nullable(), // what is rebuilt has the digest that the log has; null: the log has none
});
export type RequestView = z.infer<typeof RequestView>;
