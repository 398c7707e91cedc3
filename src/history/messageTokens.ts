/** Tokens of a message, counted once. */
import type { Message } from "../schema/message";
import type { TokenCounter } from "../schema/tokens";

const counted = new WeakMap<TokenCounter, WeakMap<Message, number>>();

/** Of its text, its calls' names and arguments, and the lines that stand for media; images are not counted. */
export function messageTokens(message: Message, counter: TokenCounter): number {
  const known = counted.get(counter) ?? new WeakMap<Message, number>();
  counted.set(counter, known);
  const tokens = known.get(message) ?? counter.count(textOf(message));
  known.set(message, tokens);
  return tokens;
}

function textOf(message: Message): string {
  if (message.role === "user") return message.text;
  if (message.role === "assistant")
    return message.text + message.calls.map(({ name, arguments: given }) => name + given).join("");
  const beside = (message.media ?? []).map((media) => (media.shown === "line" ? media.text : media.label));
  return message.text + beside.join("");
}
