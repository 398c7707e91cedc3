/** Content that is not text: what a tool may return besides text. */
import * as z from "zod";

declare const side: unique symbol;

/** An Internet media type without parameters, in lower case: the one word of a tool's that stands in our sentences. */
export const MediaType = z
  .string()
  .max(80)
  .regex(/^[a-z]+\/[a-z0-9][a-z0-9.+_-]*$/);
export type MediaType = z.infer<typeof MediaType>;

/** As the tool says it: neither its type nor its size was looked at yet. */
export type MediaPart = { readonly mediaType: string; readonly bytes: Uint8Array };

/** A part that has crossed the boundary: the only kind that may be stored. Its bytes are not searched for secrets. */
export type SafeMedia = {
  readonly mediaType: MediaType;
  readonly bytes: Uint8Array;
  readonly [side]: "safe";
};
