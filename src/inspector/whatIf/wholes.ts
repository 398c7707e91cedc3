/** What if: results as their tools returned them; where the text is gone, something of its size. */
import { contentIn } from "../../claims/content";
import { headOf } from "../../claims/cut";
import { NO_OUTPUT, unfenced } from "../../claims/ticket";
import type { Digest } from "../../schema/claim";
import type { EventOf, Logged } from "../../schema/event";
import { charLength } from "../../schema/text";
import type { TokenCounter } from "../../schema/tokens";

/** A log, and the stored contents that it names. */
export type RecordedSession = {
  readonly events: readonly Logged[];
  readonly contents: ReadonlyMap<Digest, { toString(encoding: "utf8"): string }>;
};

/** `says`: what of the text is known, which is all of it unless it is gone. */
export type Whole = { readonly text: string; readonly tokens: number; readonly says: string };

/** Of all results that are gone: what a log says of their sizes is only believed so far. */
const MAXIMUM_PLACEHOLDER_CHARS = 1 << 25;

/** Stored results whose content was deleted, is missing or was altered. */
export function goneIn({ events, contents }: RecordedSession): number {
  const gone = new Set<string>();
  for (const event of events)
    if (event.type === "tool_result_stored" && event.mediaType === undefined && !contents.has(event.sha256))
      gone.add(event.handle);
  return gone.size;
}

/** Contract: `note` has every event of the log up to the one that is asked for. */
export class Wholes {
  readonly #contents: RecordedSession["contents"];
  readonly #tokens: TokenCounter;
  readonly #stored = new Map<string, string>(); // handle → text
  readonly #measured = new Map<string, EventOf<"measured">>(); // by call
  #placeholderChars = MAXIMUM_PLACEHOLDER_CHARS; // that may still be made

  constructor({ contents }: RecordedSession, tokens: TokenCounter) {
    this.#contents = contents;
    this.#tokens = tokens;
  }

  note(event: Logged): void {
    if (event.type === "measured") this.#measured.set(event.call, event);
    if (event.type !== "tool_result_stored" || event.mediaType !== undefined) return;
    const content = this.#contents.get(event.sha256);
    if (content) this.#stored.set(event.handle, content.toString("utf8"));
  }

  of(event: Logged & EventOf<"remembered">): Whole {
    const stored = isStandIn(event) && event.handle !== null ? this.#stored.get(event.handle) : undefined;
    if (stored !== undefined) return this.#known(stored);
    const measured = this.#measured.get(event.call);
    if ((isStandIn(event) || event.shown === "cut") && measured) return this.#sized(event, measured);
    return this.#known(event.origin === "import" ? returned(event) : event.text);
  }

  #known(text: string): Whole {
    return { text, tokens: this.#tokens.count(text), says: text };
  }

  /** What was shown of it, over and over: it has the size, as long as there is room, and no word that was not there. */
  #sized(
    { text, tainted }: EventOf<"remembered">,
    { chars, tokensEstimated, estimator }: EventOf<"measured">,
  ): Whole {
    const seen = contentIn(text, tainted === true) || text;
    const seenChars = Math.max(1, charLength(seen));
    const room = Math.min(chars, Math.max(seenChars, this.#placeholderChars));
    this.#placeholderChars -= room;
    const isCounted = estimator === this.#tokens.name;
    return {
      text: headOf(seen.repeat(Math.ceil(room / seenChars)), room),
      tokens: isCounted ? tokensEstimated : Math.round((this.#tokens.count(seen) * chars) / seenChars),
      says: seen,
    };
  }
}

/** Without what the import put around it. */
function returned({ text, tainted }: EventOf<"remembered">): string {
  if (text === "" || text === NO_OUTPUT) return "";
  return tainted ? unfenced(text) : text;
}

const isStandIn = ({ shown }: EventOf<"remembered">): boolean =>
  shown === "ticket" || shown === "page" || shown === "projection" || shown === "branch";
