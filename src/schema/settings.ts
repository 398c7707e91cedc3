/** Settings as the core sees them: `cloakroom.*` in the editor, defaults in the CLI. Editor-only settings are not here. */
import * as z from "zod";
import { CachePrices } from "./cost";
import { LimitMode, Pointer } from "./policy";

/** Threshold and head of one tool or of the whole mechanism (seed 000 §Thresholds). Chars are code points. */
export const ClaimLimits = z.object({
  thresholdChars: z.int().describe("Results up to this many characters stay in the conversation."),
  headChars: z.int().describe("How many characters of a stored result stay in the conversation."),
});
export type ClaimLimits = z.infer<typeof ClaimLimits>;

export const ClaimCheckSettings = ClaimLimits.extend({
  enabled: z.boolean(),
  slack: z.number().min(0).max(4), // share of the threshold that a result may exceed it by and still stay inline
  ttlSeconds: z.int(), // of reclaimable content (CONFORMANCE §0.6)
  perTool: z.record(z.string(), ClaimLimits), // replaces the limits whole
  exclude: z.array(z.string()), // tools whose results are never substituted
  // Seed 002, CONFORMANCE §1. A log from before these fields means their defaults.
  include: z.array(z.string()).nullable().default(null), // only these tools' results are substituted; null = all
  capBytes: z.int().nullable().default(null), // UTF-8 bytes; replaces the thresholds by class, without slack
  preview: z.boolean().default(true), // false: a ticket without a head
  previewChars: z.int().nullable().default(null), // head of every class but errors; null = by class
  digests: z.record(z.string(), z.array(Pointer)).default({}), // per tool: values of a JSON result in place of the head
  reclaimable: z.array(z.string()).default([]), // tools whose content may go ttlSeconds after its last use
  taintedHeads: z.enum(["fence", "omit"]).default("fence"), // heads of results from outside
});
export type ClaimCheckSettings = z.infer<typeof ClaimCheckSettings>;

/** Size of what stays inline (seed 001 §Budget, CONFORMANCE §3). */
export const BudgetSettings = z.object({
  perResultChars: z.int().positive(),
  perTurnChars: z.int().positive(),
  perTurnBytes: z.int().positive(),
});
export type BudgetSettings = z.infer<typeof BudgetSettings>;

/** Microcompaction (seed 001, CONFORMANCE §4). Ages are counted in turns. */
export const AgeingSettings = z.object({
  strategy: z.enum(["off", "age", "cacheAware"]),
  shortenAfterTurns: z.int().positive(),
  clearAfterTurns: z.int().positive(),
  minimumChars: z.int().nonnegative(),
  /** Prices by a part of a model's id, before the built-in table. A log from before this field means none. */
  cacheProfiles: z.record(z.string(), CachePrices).default({}),
});
export type AgeingSettings = z.infer<typeof AgeingSettings>;

export const LimitSettings = z.object({
  mode: LimitMode,
  hardMaximum: z.int().positive().nullable(), // above contracts and every exemption (CONFORMANCE §0.7)
});
export type LimitSettings = z.infer<typeof LimitSettings>;

/**
 * The response side: the envelope of a result besides its items, and what a branch over a larger one may use. A log from
 * before these fields means their defaults.
 */
export const ResponseSettings = z.object({
  responseBytes: z.int().positive().nullable().default(65_536), // UTF-8; null: not an envelope
  responseTokens: z.int().positive().nullable().default(16_384), // by the counter of the run; null: not an envelope
  microContext: z.boolean().default(false), // without it no policy can start a branch
  branchInputTokens: z.int().positive().default(16_000), // of the whole request
  branchOutputTokens: z.int().positive().default(1000),
  branchSeconds: z.int().positive().max(3600).default(60),
});
export type ResponseSettings = z.infer<typeof ResponseSettings>;
const DEFAULT_RESPONSES: ResponseSettings = ResponseSettings.parse({});

export const CoreSettings = z.object({
  claimCheck: ClaimCheckSettings,
  budgets: BudgetSettings,
  ageing: AgeingSettings,
  limits: LimitSettings,
  responses: ResponseSettings.default(DEFAULT_RESPONSES),
  maxTurns: z.int().positive(),
});
export type CoreSettings = z.infer<typeof CoreSettings>;

export const DEFAULT_SETTINGS: CoreSettings = {
  claimCheck: {
    enabled: true,
    thresholdChars: 4096,
    headChars: 512,
    slack: 0.25,
    ttlSeconds: 3600,
    perTool: {},
    exclude: [],
    include: null,
    capBytes: null,
    preview: true,
    previewChars: null,
    digests: {},
    reclaimable: [],
    taintedHeads: "fence",
  },
  budgets: { perResultChars: 20_000, perTurnChars: 200_000, perTurnBytes: 8_000_000 },
  ageing: {
    strategy: "cacheAware",
    shortenAfterTurns: 2,
    clearAfterTurns: 4,
    minimumChars: 3000,
    cacheProfiles: {},
  },
  limits: { mode: "observe", hardMaximum: null },
  responses: DEFAULT_RESPONSES,
  maxTurns: 50,
};
