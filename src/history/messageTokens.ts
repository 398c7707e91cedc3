/** How many tokens a message is, each message counted once: messages are values, and a changed one is another. */
import type { MediaShown, Message } from "../schema/message";
import type { TokenCounter } from "../schema/tokens";

/**
 * What an image counts as, whatever its size: the most that one costs where models are told to scale it to 1.15
 * megapixels. Its bytes are not in the message, and every model counts them otherwise.
 */
export const IMAGE_TOKENS = 1600;

const counted = new WeakMap<TokenCounter, WeakMap<Message, number>>();

/**
 * The text; of a reply, the name and the arguments of each call; of a result, the lines that stand for media, and each
 * image as `IMAGE_TOKENS` with its label. Not counted: ids, roles and what a wire format puts around them
 * (`calibration.ts` makes up for it).
 */
export function messageTokens(message: Message, counter: TokenCounter): number {
  let known = counted.get(counter);
  if (!known) {
    known = new WeakMap();
    counted.set(counter, known);
  }
  const before = known.get(message);
  if (before !== undefined) return before;
  const tokens = tokensIn(message, counter);
  known.set(message, tokens);
  return tokens;
}

function tokensIn(message: Message, { count }: TokenCounter): number {
  const text = count(message.text);
  if (message.role === "assistant")
    return message.calls.reduce((sum, call) => sum + count(call.name) + count(call.arguments), text);
  if (message.role === "tool")
    return (message.media ?? []).reduce((sum, media) => sum + mediaTokens(media, count), text);
  return text;
}

export function mediaTokens(media: MediaShown, count: TokenCounter["count"]): number {
  return media.shown === "line" ? count(media.text) : IMAGE_TOKENS + count(media.label ?? "");
}
