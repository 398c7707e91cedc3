/** Tools as the house sees them: what one is, what a call of it asks for, and how it can end. */
import * as z from "zod";
import type { LineHint } from "./coverage";
import type { MediaPart } from "./media";
import type { RawText } from "./text";

/** Decides how much of a result stays inline (CONFORMANCE §1, table). `error` is chosen by the outcome, not declared. */
export const ToolClass = z.enum(["list", "read", "read_range", "execute", "error", "other"]);
export type ToolClass = z.infer<typeof ToolClass>;

/** What a call can change: nothing, files, or anything. */
export const ToolEffect = z.enum(["read", "write", "execute"]);
export type ToolEffect = z.infer<typeof ToolEffect>;

/**
 * Which MCP server has a tool, in fields of its own: nothing is ever read out of the name that the model sees. What the
 * server says of itself and of the tool is its own word, and proves nothing (CONFORMANCE §7).
 */
export const ToolOrigin = z.object({
  configured: z.string(), // the server's name in the user's settings
  server: z.string(), // as it calls itself: the identity that contracts name
  version: z.string(),
  tool: z.string(), // as the server calls the tool
  schemaSha256: z.string(), // of the input schema's canonical JSON (RFC 8785)
  listingSha256: z.string(), // of all that the server says of the tool: what a person has allowed
  hints: z
    .object({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    })
    .partial(),
});
export type ToolOrigin = z.infer<typeof ToolOrigin>;

/** Stands in the names of all tools of MCP servers, and in none of ours. */
export const SERVER_MARK = "__";

/**
 * A tool as offered to the model. `inputSchema` is JSON Schema. `reach: "outside"`: results come from beyond this
 * machine's workspace (MCP, network, other extensions) and are untrusted data (CONFORMANCE §1, Taint).
 */
export const ToolSpec = z.object({
  name: z.string().min(1),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  class: ToolClass,
  effect: ToolEffect,
  reach: z.literal("outside").optional(),
  origin: ToolOrigin.optional(),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/**
 * How a tool ended. `class` overrides the spec's (a read with an explicit range); `items` is how many records came
 * back, counted by the tool that made them; `json` is the result's structured form, where the text is not that; `lines`
 * says that each line is a record, and whether they are all. `unknown`:
 * what came back does not say whether the tool failed. `media` is what came back besides the text, which then may be empty.
 */
export type ToolOutcome = { readonly text: RawText; readonly media?: readonly MediaPart[] } & (
  | {
      readonly kind: "ok";
      readonly class?: ToolClass;
      readonly items?: number;
      readonly json?: RawText;
      readonly lines?: LineHint;
    }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "unknown"; readonly code: string }
);

/** What a write or execute call would do, shown to the person who is asked. */
export type ToolPreview =
  | {
      readonly kind: "diff";
      readonly path: string; // workspace-relative, forward slashes
      readonly before: string;
      readonly after: string;
      readonly sensitive: boolean; // always asked for, never "always allow" (CONFORMANCE §7)
    }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly folder: string;
      readonly sensitive: boolean;
    }
  | {
      readonly kind: "call"; // of a server's tool
      readonly server: string; // as the user calls it
      readonly tool: string; // as the server calls it
      readonly arguments: string; // JSON text
      readonly sensitive: boolean;
    }
  | { readonly kind: "invalid"; readonly code: string; readonly text: string }; // the call cannot run: nobody is asked

/** What a running tool may use. `preview` is what the person allowed: a tool that would now do something else must refuse. */
export type ToolContext = {
  readonly signal: AbortSignal;
  readonly preview: ToolPreview | null;
  readonly progress: (text: string) => void;
};

/** A tool: its description and its hands. `argumentsText` is JSON text, already clamped; the tool validates it. */
export type Tool = {
  readonly spec: ToolSpec;
  preview?(argumentsText: string, signal: AbortSignal): Promise<ToolPreview>;
  run(argumentsText: string, context: ToolContext): Promise<ToolOutcome>;
};
