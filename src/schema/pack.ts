/** What stands beside the contract packs: the count-like arguments of real tools that get no contract, and why. */
import * as z from "zod";
import { Pointer } from "./policy";

/** Why an argument must not be lowered: a closed set. */
export const LeftAloneReason = z.enum([
  "not_a_count", // a quantity of something else: an age, a score, a number of connections
  "size", // bytes, characters, tokens
  "lines", // lines of one text, where a cut falls anywhere
  "depth", // how deep, not how many
  "write", // the tool changes something, or the number bounds what it changes
  "scan_bound", // how much is looked at: a smaller one makes the answer wrong, not short
  "ranking", // which items come first depends on it
  "aggregation", // the answer is computed from what it lets through
  "per_group", // items of each group: what is lost hides inside a record that looks whole
  "mixed_continuation", // the tool's actions go on in different ways, so that no recipe is true for all
  "loss_matters", // no way on, and a missing item is a fault (audits, money)
  "opaque_path", // in an array or an open object: no fixed pointer names it
]);
export type LeftAloneReason = z.infer<typeof LeftAloneReason>;

export const LeftAlone = z.strictObject({
  server: z.string().min(1).describe("The server, as its tool list is called."),
  tool: z.string().min(1),
  argument: Pointer.describe("JSON pointer to the argument; - is any element of an array."),
  occurrences: z.int().min(2).optional().describe("How often the schema has it under this pointer."),
  reason: LeftAloneReason,
  why: z.string().regex(/^[A-Z].{19,}\.$/s, "must be a sentence"),
});
export type LeftAlone = z.infer<typeof LeftAlone>;

export const LeftAloneList = z.array(LeftAlone);
