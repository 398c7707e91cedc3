/** How large a request is, and each beginning of it: kept up as messages come, never counted anew. */
import type { Message } from "../schema/message";
import { byteLength, charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import { messageTokens } from "./messageTokens";

/** Of the canonical JSON of messages, their commas left out; tokens of what a provider is sent of them. */
export type Size = { readonly tokens: number; readonly chars: number; readonly bytes: number };

/** Sums over the first messages of a request. `[i]` is of the first i. */
export class BeginningSums<Sum> {
  readonly #sums: Sum[];
  readonly #summed: Message[] = []; // one for each sum but the first

  constructor(nothing: Sum) {
    this.#sums = [nothing];
  }

  /** `from`: messages before it are those that were given last time. Contract: `add` is decided by the message alone. */
  update(messages: readonly Message[], from: number, add: (sum: Sum, message: Message) => Sum): void {
    let start = Math.max(0, Math.min(from, this.#summed.length, messages.length));
    while (start < this.#summed.length && this.#summed[start] === messages[start]) start++; // it is asked often
    this.#sums.length = start + 1;
    this.#summed.length = start;
    for (let i = start; i < messages.length; i++) {
      const message = messages[i] as Message;
      this.#summed.push(message);
      this.#sums.push(add(this.#sums[i] as Sum, message));
    }
  }

  /** Of the first `messages`; of all where it is not given. */
  of(messages = this.#sums.length - 1): Sum {
    return this.#sums[Math.max(0, Math.min(messages, this.#sums.length - 1))] as Sum;
  }
}

/** The sizes of a request's messages, and of each beginning of them. */
export class RequestSizes {
  readonly counter: TokenCounter;
  readonly #sums = new BeginningSums<Size>({ tokens: 0, chars: 0, bytes: 0 });

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** `from`: messages before it are those that were given last time. */
  update(messages: readonly Message[], from: number): void {
    this.#sums.update(messages, from, (sum, message) => {
      const { tokens, chars, bytes } = sizeOf(message, this.counter);
      return { tokens: sum.tokens + tokens, chars: sum.chars + chars, bytes: sum.bytes + bytes };
    });
  }

  /** Of the first `messages`; of all where it is not given. */
  of(messages?: number): Size {
    return this.#sums.of(messages);
  }

  tokensFrom(message: number): number {
    return this.of().tokens - this.of(message).tokens;
  }
}

const known = new WeakMap<Message, { readonly chars: number; readonly bytes: number }>();

function sizeOf(message: Message, counter: TokenCounter): Size {
  let size = known.get(message);
  if (size === undefined) {
    const text = JSON.stringify(message);
    size = { chars: charLength(text), bytes: byteLength(text) };
    known.set(message, size);
  }
  return { ...size, tokens: messageTokens(message, counter) };
}
