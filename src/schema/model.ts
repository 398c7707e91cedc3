/** Chat models as the house sees them: one request, a stream of parts. */
import * as z from "zod";
import type { MediaType } from "./media";
import type { Message, ToolMessage } from "./message";
import type { ToolSpec } from "./tool";

/** What an adapter can do (CONFORMANCE §5, Adapters). */
export const ModelAbilities = z.object({
  rawArguments: z.boolean(), // hands over a call's arguments as the bytes the model wrote
  usage: z.boolean(), // reports token usage
  cacheControl: z.boolean(), // lets us place prompt-cache breakpoints
  images: z.boolean().optional(), // takes images in results; absent, as in older logs: it does not
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

/** A request as the log knows it: images by reference. */
export type DurableRequest = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
};

/** A result on its way: lines that stand for media are in its text, the images that are shown beside it. */
export type SentImage = { readonly mediaType: MediaType; readonly bytes: Uint8Array };
export type SentResult = Omit<ToolMessage, "media"> & {
  readonly media?: never;
  readonly images?: readonly SentImage[];
};
export type SentMessage = Exclude<Message, ToolMessage> | SentResult;
export type ChatRequest = Omit<DurableRequest, "messages"> & { readonly messages: readonly SentMessage[] };

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
