/** Messages: what the model is sent, before any wire format. */
import * as z from "zod";

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
});
export type UserMessage = z.infer<typeof UserMessage>;
export type AssistantMessage = z.infer<typeof AssistantMessage>;
export type ToolMessage = z.infer<typeof ToolMessage>;

/** A message of the durable history. The system prompt is not part of it: it comes from the session's configuration. */
export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage, ToolMessage]);
export type Message = z.infer<typeof Message>;
