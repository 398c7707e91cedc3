/** The response side of Thimble: what exceeds its envelope, what is shown of it, what a branch says of it (seed 003 §Micro-context branch). */
import * as z from "zod";
import { Digest, Handle } from "./claim";
import { Usage } from "./model";
import { LimitMode } from "./policy";

const size = z.int().nonnegative();

/** In the order in which they are looked at (CONFORMANCE §5, Response side). */
export const Dimension = z.enum(["items", "bytes", "tokens"]);
export type Dimension = z.infer<typeof Dimension>;

/** The first dimension in which a result is larger than its envelope. Tokens are estimated; `measured` names how. */
export const Exceeded = z.object({ dimension: Dimension, actual: size, limit: size });
export type Exceeded = z.infer<typeof Exceeded>;

/** Why nothing was projected: the result is then shown as it would have been. A closed set. */
export const ProjectionReason = z.enum([
  "no_pointer", // no contract says where the records are
  "not_json",
  "ambiguous", // a name on the way to the records, or beside them, occurs twice
  "pointer_missing",
  "not_an_array",
  "no_record_fits",
]);
export type ProjectionReason = z.infer<typeof ProjectionReason>;

/** Records and members are the source's own bytes. `leftOut`: members beside the records that were not copied. */
export const ProjectedRecords = z.object({
  pointer: z.string(),
  records: size, // shown: the first ones
  totalRecords: size,
  copied: z.array(z.string()), // pointers of the members beside the records
  leftOut: size,
  bytes: size,
});
export type ProjectedRecords = z.infer<typeof ProjectedRecords>;

/** `observe`: nothing was shown otherwise, only judged. Exactly one of `records` and `reason` is null. */
export const Projection = z.object({
  handle: Handle,
  exceeded: Exceeded,
  mode: LimitMode,
  records: ProjectedRecords.nullable(),
  reason: ProjectionReason.nullable(),
});

/** How a branch fails: a closed set. Whatever it is, the model gets the ticket. */
export const BranchFailure = z.enum([
  "deadline",
  "stopped",
  "model_failed",
  "over_budget",
  "called_a_tool",
  "unparsable",
  "no_verified_citation",
  "source_unreadable",
]);
export type BranchFailure = z.infer<typeof BranchFailure>;

/** What part of the source an answer rests on. */
export const Completeness = z.enum(["complete", "partial", "unknown"]);
export type Completeness = z.infer<typeof Completeness>;

/** What the branch's model is asked for, and nothing else. */
export const BranchReply = z.strictObject({
  answer: z.string().refine((text) => text.trim() !== "", { message: "must not be blank" }),
  citations: z.array(
    z.union([z.strictObject({ pointer: z.string() }), z.strictObject({ quote: z.string() })]),
  ),
  completeness: Completeness,
});
export type BranchReply = z.infer<typeof BranchReply>;
export type Citation = BranchReply["citations"][number];

/** A branch as the log has it. What it said is in `remembered`; without an answer nothing of it is kept. */
export const Branch = z.object({
  handle: Handle,
  exceeded: Exceeded,
  mode: LimitMode,
  outcome: z.enum(["answered", "failed", "observed"]), // observed: it would have run
  failure: BranchFailure.nullable(),
  detail: z.string().nullable(), // of a failure, for people
  model: z.string(),
  policySha256: Digest,
  requestSha256: Digest.nullable(), // as `requested.sha256`; null: no request was made
  modelCalls: size,
  usage: Usage.nullable(), // as the model reports it
  estimated: z.object({ inputTokens: size, outputTokens: size, estimator: z.string() }),
  elapsedMs: size,
  givenChars: size, // of the source, from its beginning
  totalChars: size,
  citations: z.object({ given: size, verified: size, dropped: size }),
  completeness: Completeness.nullable(),
  continuation: z.object({ handle: Handle, offset: size }).nullable(), // what was not given
});
export type Branch = z.infer<typeof Branch>;
