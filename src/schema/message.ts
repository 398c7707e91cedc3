/** Messages: what the model is sent, before any wire format. */
import * as z from "zod";
import { Digest, Handle } from "./claim";
import { MediaType } from "./media";

const bytes = z.int().nonnegative();

/**
 * A part of a result that is not text, as the conversation has it. `image`: its bytes are read from the store whenever a
 * request is built, never kept here; `label` is said with it. `line`: `text` stands for it. Without a handle it is not stored.
 */
export const MediaShown = z.discriminatedUnion("shown", [
  z.object({
    shown: z.literal("image"),
    handle: Handle,
    sha256: Digest,
    mediaType: MediaType,
    bytes,
    label: z.string().optional(),
  }),
  z.object({
    shown: z.literal("line"),
    handle: Handle.nullable(),
    mediaType: MediaType,
    bytes,
    text: z.string(),
  }),
]);
export type MediaShown = z.infer<typeof MediaShown>;
export type ImageShown = MediaShown & { readonly shown: "image" };

/** A call as the model made it. `call` is ours and unique in the session; `id` is the model's and may repeat. */
export const MessageCall = z.object({
  call: z.string(),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
export type MessageCall = z.infer<typeof MessageCall>;

export const UserMessage = z.object({ role: z.literal("user"), text: z.string() });
export const AssistantMessage = z.object({
  role: z.literal("assistant"),
  text: z.string(),
  calls: z.array(MessageCall),
});
export const ToolMessage = z.object({
  role: z.literal("tool"),
  call: z.string(),
  id: z.string(),
  name: z.string(),
  text: z.string(),
  isError: z.boolean(),
  media: z.array(MediaShown).optional(), // behind the text, in the tool's order
});
export type UserMessage = z.infer<typeof UserMessage>;
export type AssistantMessage = z.infer<typeof AssistantMessage>;
export type ToolMessage = z.infer<typeof ToolMessage>;

/** A message of the durable history. The system prompt is not part of it: it comes from the session's configuration. */
export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage, ToolMessage]);
export type Message = z.infer<typeof Message>;
