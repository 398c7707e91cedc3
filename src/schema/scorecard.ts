/** The scorecard (CONFORMANCE §5): what limits did, with units and sample sizes. A saving is measured in pairs, or it is not stated. */
import * as z from "zod";
import { LimitMode } from "./policy";

const size = z.int().nonnegative();

/** A whole number; decimal digits as text above 2^53 - 1. */
const Whole = z.union([z.int(), z.string().regex(/^\d+$/)]);

/** A sum with its unit and over how many calls it was taken. The unit of tokens names their estimator. */
export const Figure = z.object({ value: Whole, unit: z.string(), calls: size });
export type Figure = z.infer<typeof Figure>;

/** Which calls a row or verdict is about. `contract` null: none spoke for them. `policy`: name and version. */
export const Subject = z.object({ tool: z.string(), contract: z.string().nullable() });
export type Subject = z.infer<typeof Subject>;

export const Mark = z.object({
  session: z.string(),
  call: z.string(),
  kind: z.enum(["continued", "asked_again", "read_back", "override", "missing_evidence"]),
  by: z.string(), // a call, or an event of the log
});

/** Calls of one tool × contract × reason × mode × policy identity. Figures are sums over the calls that have them. */
export const ScorecardRow = Subject.extend({
  reason: z.string(),
  mode: LimitMode,
  policy: z.string(),
  policySha256: z.string(),
  rulesSha256: z.string(),
  calls: size,
  decisions: z.record(z.string(), size), // pass, clamp, deny, error
  requested: Figure,
  effective: Figure,
  proposed: Figure, // what enforcing would have sent: a counterfactual count, never a saving
  returned: Figure, // items, measured
  response: Figure, // bytes that tools returned
  tokens: z.array(Figure), // of the same, one per estimator
  shown: Figure, // bytes that entered the conversation
  elapsed: Figure, // ms in tools
  continuations: z.array(z.string()), // SESSION/CALL that went on from a call of this row
  refetches: z.array(z.string()), // that asked for the same within three turns, or read it back
  overrides: size,
  marks: z.array(Mark),
});
export type ScorecardRow = z.infer<typeof ScorecardRow>;

/**
 * One unit on both sides of a pair. net = control - candidate - rereads - branch, so that what is lost is below 0;
 * `candidate` leaves out the `rereads`: calls that its clamps caused.
 */
export const NetFigure = z.object({
  unit: z.string(),
  of: z.enum(["response", "shown", "requests", "input"]),
  control: size,
  candidate: size,
  rereads: size,
  branch: size, // what micro-context branches of the candidate took, where the unit is tokens; the control's are in `control`
  net: z.int(),
  calls: z.object({ control: size, candidate: size, rereads: size }),
});
export type NetFigure = z.infer<typeof NetFigure>;

/** `lowered`: calls of the candidate that ran with a smaller count; `proposed`: of the control that would have. */
export const PairedContract = Subject.extend({
  rulesSha256: z.string(),
  lowered: size,
  proposed: size,
  figures: z.array(NetFigure),
  marks: z.array(Mark),
});
export type PairedContract = z.infer<typeof PairedContract>;

/** Runs that ended with an answer, of those that ended. */
export const Success = z.object({ answered: size, runs: size });

/** The same task with limits observed and enforced, paired by whoever asked. `refused`: why nothing is compared. */
export const ScorecardPair = z.object({
  control: z.string(),
  candidate: z.string(),
  refused: z.string().nullable(),
  contracts: z.array(PairedContract),
  session: z.array(NetFigure), // over all requests: what both sides sent, and what the model reported
  success: z.object({ control: Success, candidate: Success }),
  notes: z.array(z.string()),
});
export type ScorecardPair = z.infer<typeof ScorecardPair>;

/** Of one contract under one set of rules. `counterfactual`: what is known without a pair, in calls and items. */
export const Verdict = Subject.extend({
  rulesSha256: z.string(),
  verdict: z.enum(["promote", "keep observing", "demote"]),
  reason: z.string(),
  measured: z.boolean(), // false: "not measured"
  counterfactual: z.object({ calls: size, requested: Whole, proposed: Whole }),
});
export type Verdict = z.infer<typeof Verdict>;

export const ScorecardView = z.object({
  sessions: z.array(z.string()),
  rows: z.array(ScorecardRow),
  pairs: z.array(ScorecardPair),
  verdicts: z.array(Verdict),
  notes: z.array(z.string()),
});
export type ScorecardView = z.infer<typeof ScorecardView>;
