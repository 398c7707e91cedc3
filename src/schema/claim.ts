/** Claims: what the history holds in place of a large result (seed 000). */
import * as z from "zod";
import { MediaType } from "./media";
import { ToolClass } from "./tool";

/** SHA-256 of a content's bytes (of text: UTF-8), 64 hex digits. It is both the content's name and its proof. */
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
  frames: Digest, // of the frame table: a window is proven without reading the rest
  tool: z.string(),
  class: ToolClass,
  chars: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  lines: z.int().nonnegative(),
  mediaType: MediaType.optional(), // content that is not text: it has 0 chars and 0 lines, and no windows; absent: text
  reclaimable: z.literal(true).optional(), // may go `ttlSeconds` after its last use (CONFORMANCE §0.6); absent: stays
  tainted: z.literal(true).optional(), // came from outside: shown as untrusted data wherever it is read
  forgotten: z.literal(true).optional(), // the person deleted its content; absent: nobody did, or it was stored again since
});
export type Claim = z.infer<typeof Claim>;

/** Why a page or a record of a list was not served. */
export const COVERAGE_REFUSALS = [
  "empty_cursor",
  "malformed_cursor",
  "foreign_cursor",
  "unknown_cursor",
  "cycling_cursor",
  "altered_page",
  "corrupt_page",
  "corrupt_record",
  "budget_too_small",
] as const;

/** Why a handle was not redeemed. The model sees one refusal; this is for the log (CONFORMANCE §0.3). */
export const RefusalReason = z.enum([
  ...COVERAGE_REFUSALS,
  "malformed",
  "unknown",
  "forgotten",
  "missing",
  "corrupt",
  "unreadable",
  "invalid_offset",
  "not_found",
  "invalid_arguments",
]);
export type RefusalReason = z.infer<typeof RefusalReason>;

/** Arguments of the retrieval tool. Numbers that are no offset or line are refused by name, not by form (C11). */
export const FetchArguments = z
  .strictObject({
    handle: z
      .string()
      .describe(
        "The handle from the result, such as claim:0123…; for a list with what stands behind it: @13 for the page that begins with record 13, #7 for record 7.",
      ),
    offset: z.number().optional().describe("First character to read, from 0. Default 0."),
    line: z.number().optional().describe("First line to read, from 1, instead of an offset."),
    find: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("Text to look for in the whole content, letter for letter."),
    pointer: z
      .string()
      .max(1000)
      .optional()
      .describe("JSON pointer to one value of a JSON content, such as /items/3."),
  })
  .refine(
    ({ offset, line, find, pointer }) =>
      [offset, line, find, pointer].filter((one) => one !== undefined).length <= 1,
    {
      message: "takes at most one of offset, line, find and pointer",
    },
  );
export type FetchArguments = z.infer<typeof FetchArguments>;
export const FETCH_ARGUMENTS_SCHEMA = z.toJSONSchema(FetchArguments) as Record<string, unknown>;

/** How a handle was read back. */
export const Selector = z.enum(["offset", "line", "find", "pointer", "record"]);
export type Selector = z.infer<typeof Selector>;

/** To which side of a place in a content a text is looked for. */
export const Direction = z.enum(["next", "previous"]);
export type Direction = z.infer<typeof Direction>;

/** One place where a text was found. `offset` in chars from 0, `line` from 1; `excerpt` is the line around it, cut. */
export type Match = { readonly offset: number; readonly line: number; readonly excerpt: string };

/** `total`: all of them, where `isCounted`; else at least so many. */
export type Matches = {
  readonly matches: readonly Match[];
  readonly total: number;
  readonly isCounted: boolean;
};
