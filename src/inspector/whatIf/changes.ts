/** What if: what a policy did to results, and what of them is hidden at the end. */
import type { TokenCounter } from "../../schema/tokens";
import type { Item, Policy, Session } from "./types";

export type Hidden = { readonly results: number; readonly tokens: number };

export type Changes = {
  readonly storedOnArrival: Hidden;
  readonly shortenedLater: Hidden & { readonly toOneLine: number };
};

/** Told apart by when. Tokens are those that it took off, each time. */
export class ChangeCount {
  readonly #tokens: TokenCounter;
  readonly #now = new Map<number, number>(); // tokens of what was changed
  readonly #stored = new Set<number>();
  readonly #shortened = new Set<number>();
  readonly #lines = new Set<number>();
  #storedTokens = 0;
  #shortenedTokens = 0;

  constructor(tokens: TokenCounter) {
    this.#tokens = tokens;
  }

  around(policy: Policy): Policy {
    return {
      name: policy.name,
      open: (tokens, profile) => {
        const ask = policy.open(tokens, profile);
        let seen = 0;
        return (items, moment) => {
          const changes = ask(items, moment);
          for (const { at, shown } of changes) this.#note(items, at, shown, at >= seen);
          seen = items.length;
          return changes;
        };
      },
    };
  }

  #note(
    items: readonly Item[],
    at: number,
    shown: { text: string; kept: readonly unknown[] },
    isNew: boolean,
  ) {
    const tokens = this.#tokens.count(shown.text);
    const taken = (this.#now.get(at) ?? items[at]?.tokens ?? 0) - tokens;
    const isArrival = isNew && !this.#now.has(at);
    this.#now.set(at, tokens);
    if (isArrival) {
      this.#stored.add(at);
      this.#storedTokens += taken;
      return;
    }
    this.#shortened.add(at);
    this.#shortenedTokens += taken;
    if (shown.kept.length === 0) this.#lines.add(at);
  }

  get figures(): Changes {
    return {
      storedOnArrival: { results: this.#stored.size, tokens: this.#storedTokens },
      shortenedLater: {
        results: this.#shortened.size,
        tokens: this.#shortenedTokens,
        toOneLine: this.#lines.size,
      },
    };
  }
}

export function hiddenAtEnd({ items }: Session, sizes: readonly number[]): Hidden {
  let results = 0;
  let hidden = 0;
  for (const [at, size] of sizes.entries()) {
    const item = items[at];
    if (item?.kind !== "result" || size === item.tokens) continue;
    results++;
    hidden += item.tokens - size;
  }
  return { results, tokens: hidden };
}
