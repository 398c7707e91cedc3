/** The receipt of one tool call (seed 003 §Decision and receipt schema): a fold, never written as such. */
import * as z from "zod";
import { Digest } from "./claim";
import { Change, LimitMode } from "./policy";

/** Field names are the seed's; the ones after `continuation` are CONFORMANCE §5's. Numbers are measured, never estimated, unless named so. */
export const Receipt = z.object({
  decision: z.enum(["pass", "clamp", "branch", "deny", "error"]),
  reason: z.string(),
  tool: z.string(),
  original_args_sha256: Digest,
  effective_args_sha256: Digest,
  changes: z.array(Change),
  policy: z.object({ name: z.string(), version: z.string(), sha256: Digest, rules_sha256: Digest }),
  model_round_trips: z.literal(0),
  actual: z
    .object({
      items: z.int().nullable(),
      bytes: z.int(),
      tokens_estimated: z.int(),
    })
    .nullable(), // null until the call has been executed and measured
  continuation: z
    .object({ kind: z.enum(["cursor", "offset", "page", "rerun"]), available: z.boolean() })
    .nullable(),
  contract: z.object({ tool: z.string(), argument: z.string(), server: z.string().optional() }).nullable(),
  mode: LimitMode,
  exemption: z.string().nullable(),
  proposed_changes: z.array(Change),
  arguments_source: z.enum(["raw", "parsed"]),
  estimator: z.string().nullable(),
});
export type Receipt = z.infer<typeof Receipt>;
