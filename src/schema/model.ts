/** Chat models as the house sees them: one request, a stream of parts. */
import * as z from "zod";
import type { Message } from "./message";
import type { ToolSpec } from "./tool";

/** What an adapter can do (CONFORMANCE §5, Adapters). */
export const ModelAbilities = z.object({
  rawArguments: z.boolean(), // hands over a call's arguments as the bytes the model wrote
  usage: z.boolean(), // reports token usage
  cacheControl: z.boolean(), // lets us place prompt-cache breakpoints
});
export type ModelAbilities = z.infer<typeof ModelAbilities>;

/** A model's identity. `id` is stable and is what the setting and the log name. */
export const ModelInfo = z.object({
  id: z.string().min(1),
  name: z.string(),
  maxInputTokens: z.int().positive().nullable(),
  abilities: ModelAbilities,
});
export type ModelInfo = z.infer<typeof ModelInfo>;

export const Usage = z.object({
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  cachedTokens: z.int().nonnegative().nullable(),
});
export type Usage = z.infer<typeof Usage>;

export type ChatRequest = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
};

/** A whole call or a piece of text. Deltas of calls never leave an adapter: a stop keeps whole calls only. */
export type ReplyPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: "usage"; readonly usage: Usage };

/** A chat model. `reply` throws `Failure("model-failed")` with the next step for the person; it honours `signal`. */
export type ChatModel = {
  readonly info: ModelInfo;
  reply(request: ChatRequest, signal: AbortSignal): AsyncIterable<ReplyPart>;
};
