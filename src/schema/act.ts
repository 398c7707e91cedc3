/** What a person may do to a session, whether it runs or not. Each is an event of its log (`agent/acts.ts`). */
import * as z from "zod";
import { Handle } from "./claim";

/**
 * `pin`: a result stays as it is shown, or no longer does. `shorten`: it becomes shorter now, its whole is stored.
 * `forget`: the stored content goes for good. `call` is ours ("t3c0").
 */
export const SessionAct = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("pin"), call: z.string(), isPinned: z.boolean() }),
  z.object({ kind: z.literal("shorten"), call: z.string() }),
  z.object({ kind: z.literal("forget"), handle: Handle }),
]);
export type SessionAct = z.infer<typeof SessionAct>;
