/** Claims: what the history holds in place of a large result (seed 000). */
import * as z from "zod";
import { ToolClass } from "./tool";

/** SHA-256 of UTF-8 text, 64 hex digits. It is both the content's name and its proof. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand<"Digest">();
export type Digest = z.infer<typeof Digest>;

/** SHA-256 of a text's UTF-8 bytes. Synchronous, and a port: pure rooms have no Node. */
export type Hash = (text: string) => Digest;

/** `claim:` and 32 hex digits (CONFORMANCE §1, Handle). */
export const Handle = z
  .string()
  .regex(/^claim:[0-9a-f]{32}$/)
  .brand<"Handle">();
export type Handle = z.infer<typeof Handle>;

/** A row of the session's claim index. */
export const Claim = z.object({
  handle: Handle,
  sha256: Digest,
  tool: z.string(),
  class: ToolClass,
  chars: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  lines: z.int().nonnegative(),
  reclaimable: z.literal(true).optional(), // may go `ttlSeconds` after its last use (CONFORMANCE §0.6); absent: stays
  tainted: z.literal(true).optional(), // came from outside: shown as untrusted data wherever it is read
});
export type Claim = z.infer<typeof Claim>;

/** Why a handle was not redeemed. The model sees one refusal; this is for the log (CONFORMANCE §0.3). */
export const RefusalReason = z.enum([
  "malformed",
  "unknown",
  "missing",
  "corrupt",
  "unreadable",
  "invalid_offset",
  "invalid_arguments",
]);
export type RefusalReason = z.infer<typeof RefusalReason>;

/** Arguments of the retrieval tool. A number that is no whole offset from 0 up is refused by name, not by form (C11). */
export const FetchArguments = z.strictObject({
  handle: z.string().describe("The handle from the result, such as claim:0123…"),
  offset: z.number().optional().describe("First character to read, from 0. Default 0."),
});
export type FetchArguments = z.infer<typeof FetchArguments>;
export const FETCH_ARGUMENTS_SCHEMA = z.toJSONSchema(FetchArguments) as Record<string, unknown>;
