/** The Thimble policy artifact (seed 003 §Policy artifact, CONFORMANCE §5) and the decisions made with it. */
import * as z from "zod";
import { Digest } from "./claim";

/** Result limits: not evaluated, evaluated and reported, evaluated and applied. */
export const LimitMode = z.enum(["off", "observe", "enforce"]);
export type LimitMode = z.infer<typeof LimitMode>;

/** RFC 6901, without the pointer to the whole document. */
export const Pointer = z.string().regex(/^(?:\/(?:[^~/]|~[01])*)+$/, "must be a JSON pointer such as /limit");

/** How the caller gets what a clamp left out. */
export const Continuation = z.strictObject({
  kind: z.enum(["cursor", "offset", "page", "rerun"]).describe("How the tool goes on after a first page."),
  argument: Pointer.optional().describe(
    "JSON pointer to the argument that goes on: the cursor, offset or page.",
  ),
  result: Pointer.optional().describe("JSON pointer to the next cursor in the tool's result."),
  first: z
    .literal([0, 1])
    .optional()
    .describe("Number of the tool's first page. Without it 0 and 1 are first."),
});
export type Continuation = z.infer<typeof Continuation>;

/** Evidence that one argument of one tool controls how many results come back, and that lowering it is safe. */
export const Contract = z.strictObject({
  tool: z.string().min(1).describe("Exact tool name."),
  argument: Pointer.describe("JSON pointer to the result-count argument."),
  aliases: z
    .array(Pointer)
    .optional()
    .describe("Other pointers of the same argument; the first one present is used."),
  dimension: z.literal("items").describe("What the argument counts."),
  maximum: z.int().positive().optional().describe("Ceiling. Defaults to default_budget.items."),
  minimum: z.int().nonnegative().optional().describe("Floor: a call is never lowered below it."),
  range: z
    .strictObject({ minimum: z.int().optional(), maximum: z.int().optional() })
    .optional()
    .describe("Legal values of the argument; others are left to the tool."),
  safe_to_reduce: z.boolean().describe("A smaller value changes neither side effects nor authority."),
  read_only: z.boolean().optional().describe("The tool changes nothing."),
  mode: LimitMode.optional().describe("Lowers the mode for this contract only."),
  continuation: Continuation.optional(),
  items: Pointer.optional().describe("JSON pointer to the returned list, for the measured count."),
  server: z.string().optional().describe("Identity of the MCP server that has the tool."),
  schema_sha256: Digest.optional().describe("Digest of the input schema that the contract was written for."),
  evidence: z.string().optional().describe("Where the contract's claims come from."),
});
export type Contract = z.infer<typeof Contract>;

/** The policy artifact. Identity = kind + version + digest of its canonical content. */
export const PolicyArtifact = z.strictObject({
  $schema: z.string().optional(),
  kind: z.literal("fak/tool-result-budget"),
  version: z.string().regex(/^\d+\.\d+\.\d+$/, "must be a semantic version such as 1.0.0"),
  name: z.string().min(1),
  mode: LimitMode.describe("The highest mode this policy may run in."),
  default_budget: z.strictObject({ items: z.int().positive() }),
  contracts: z.array(Contract),
  on_unshapable_response: z
    .enum(["pass", "project", "micro_context"])
    .optional()
    .describe(
      "What happens to a result larger than its envelope: nothing; its first whole records are shown; or, where that is not possible and the user allows it, a context of its own answers from it. Defaults to pass.",
    ),
});
export type PolicyArtifact = z.infer<typeof PolicyArtifact>;

/** Which policy, exactly. `rulesSha256` leaves every `mode` out (CONFORMANCE §0.8). */
export const PolicyIdentity = z.object({
  name: z.string(),
  version: z.string(),
  sha256: Digest,
  rulesSha256: Digest,
});
export type PolicyIdentity = z.infer<typeof PolicyIdentity>;

/** What the check at the start of a session found of a contract. `reason`: why it may not act, or what overrides it. */
export const ContractCheck = z.object({
  id: z.string(), // of the contract as it is: whoever reviewed it reviewed this one
  source: z.string(),
  server: z.string().nullable(),
  tool: z.string(), // as the model calls it
  argument: z.string(),
  mode: LimitMode, // the highest that it may run in
  result: z.enum(["usable", "observe_only", "mismatch", "not_read_only", "invalid", "overridden"]),
  reason: z.string().nullable(),
  notes: z.array(z.string()),
});
export type ContractCheck = z.infer<typeof ContractCheck>;

/** What a review decided of a contract: enforced, or observed again. */
export const Rollout = z.object({
  id: z.string(), // of the contract
  tool: z.string(),
  argument: z.string(),
  mode: z.enum(["observe", "enforce"]),
  by: z.string(),
  at: z.int(), // Unix milliseconds
  why: z.string(),
});
export type Rollout = z.infer<typeof Rollout>;
export const Rollouts = z.array(Rollout);

/** Structured intent: set by the user only (CONFORMANCE §5, Exemptions and intent). */
export const NamedIntent = z.enum(["exhaustive", "export", "compliance", "migration", "exact_count"]);
export const Intent = z.union([
  NamedIntent,
  z.templateLiteral(["all ", z.number()]).refine((text) => /^all [1-9]\d{0,8}$/.test(text)), // a cardinality: "all 37"
]);
export type Intent = z.infer<typeof Intent>;

/** What an operator exempts from being lowered: calls of one tool or of all, for a time, or one call. */
export const OperatorExemption = z.object({
  id: z.string().min(1).max(64), // what the receipt shows
  tool: z.string().min(1).nullable(), // as the model calls it; null: every tool of the session
  once: z.boolean(), // for one call
  reason: z.string().min(1).max(500),
  owner: z.string().min(1).max(100),
  expiresAt: z.int().nullable(), // Unix milliseconds
});
export type OperatorExemption = z.infer<typeof OperatorExemption>;

/** What the person chose for a session. */
export const LimitChoice = z.object({ intent: Intent.nullable(), exemptions: z.array(OperatorExemption) });
export type LimitChoice = z.infer<typeof LimitChoice>;
export const LimitChoicesBySession = z.record(z.string(), LimitChoice);

/** Rules of workspaces' policies that may do more than observe on this machine. */
export const ApprovedRules = z.array(Digest);

/** Why a call passed or was clamped: a closed set (CONFORMANCE §5, Order). */
export const DecisionReason = z.enum([
  "mode_off",
  "unknown_tool_contract",
  "contract_schema_mismatch",
  "invalid_contract",
  "not_read_only",
  "structured_intent",
  "exempt",
  "invalid_json",
  "ambiguous_argument",
  "argument_missing",
  "not_an_integer",
  "outside_range",
  "paged_argument",
  "within_budget",
  "requested_items_above_policy_maximum",
  "observe_only",
  "hard_maximum",
]);
export type DecisionReason = z.infer<typeof DecisionReason>;

/** `from` is a decimal string above 2^53 - 1, where a JSON number would be rounded. */
export const Change = z.object({
  path: z.string(),
  from: z.union([z.int(), z.string().regex(/^[1-9]\d{15,18}$/)]),
  to: z.int(),
  dimension: z.literal("items"),
});
export type Change = z.infer<typeof Change>;

/** What Thimble decided of one call, before anybody was asked. */
export const Proposal = z.object({
  decision: z.enum(["pass", "clamp"]),
  reason: DecisionReason,
  mode: LimitMode,
  contract: z.object({ tool: z.string(), argument: z.string(), server: z.string().optional() }).nullable(),
  exemption: z.string().nullable(),
  changes: z.array(Change), // applied
  proposedChanges: z.array(Change), // observe: what enforce would have applied
  originalSha256: Digest, // of the arguments' bytes as the model wrote them
  effectiveSha256: Digest,
});
export type Proposal = z.infer<typeof Proposal>;
