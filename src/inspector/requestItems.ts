/** The parts of a request as the inspector lists them, and what became of each since the request before. */
import { headOf } from "../claims/cut";
import { prefixFills } from "../history/fills";
import { messageTokens } from "../history/messageTokens";
import { prefixText, toolsText } from "../history/requestText";
import type { EventOf, Logged } from "../schema/event";
import type { MediaShown, Message } from "../schema/message";
import type { DurableRequest } from "../schema/model";
import type { ChangedBy, RequestItem } from "../schema/requestView";
import { charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";

export const SYSTEM_AT = -2;
export const TOOLS_AT = -1;
const PREVIEW_CHARS = 200;

export type ItemState = Pick<RequestItem, "state" | "by">;
export const SAME: ItemState = { state: "same", by: null };
export const NEW: ItemState = { state: "new", by: null };

/** Null: nothing is counted. `ofPrefix`: the tokens of the system prompt or of the tools. */
export type Counting = {
  readonly counter: TokenCounter | null;
  readonly ofPrefix: (at: number, text: string) => number;
};

/** As the log counts them, which is with what is written around them; where it does not say, the text alone. */
export function countingOf(
  { fills, prefix }: EventOf<"requested">,
  configured: EventOf<"configured"> | null,
  counter: TokenCounter | null,
): Counting {
  if (counter === null || !fills || !configured)
    return { counter, ofPrefix: (_, text) => counter?.count(text) ?? 0 };
  const recount = () => {
    const text = prefixText(configured);
    return prefixFills(text, counter.count(text), counter);
  };
  const { system, tools } = prefix?.counter === counter.name ? fills : recount();
  return { counter, ofPrefix: (at) => (at === SYSTEM_AT ? system : tools) };
}

/** The item's whole text; null: there is none at that place. */
export function textOfItem({ system, tools, messages }: DurableRequest, at: number): string | null {
  if (at === SYSTEM_AT) return system;
  if (at === TOOLS_AT) return toolsText(tools);
  const message = messages[at];
  return message ? textOf(message) : null;
}

/** Null where there is none at that place. */
export function itemOf(
  request: DurableRequest,
  at: number,
  state: ItemState,
  { counter, ofPrefix }: Counting,
): RequestItem | null {
  const text = textOfItem(request, at);
  if (text === null) return null;
  const message = request.messages[at];
  const result = message?.role === "tool" ? message : null;
  return {
    at,
    role: message ? message.role : at === SYSTEM_AT ? "system" : "tools",
    call: result?.call ?? null,
    tool: result?.name ?? null,
    chars: charLength(text),
    tokens: counter && (message ? messageTokens(message, counter) : ofPrefix(at, text)),
    ...state,
    preview: previewOf(text),
  };
}

/** Words first, then each call on a line; of a result, what stands for its media behind it. */
function textOf(message: Message): string {
  if (message.role === "user") return message.text;
  const behind =
    message.role === "assistant"
      ? message.calls.map(({ name, arguments: given }) => `${name} ${given}`)
      : (message.media ?? []).map(mediaText);
  return [message.text, ...behind].filter((part) => part !== "").join("\n");
}

const mediaText = (media: MediaShown): string =>
  media.shown === "line" ? media.text : (media.label ?? `[${media.mediaType}, ${media.bytes} bytes]`);

/** Of the beginning only: a text may have megabytes. */
const previewOf = (text: string): string =>
  headOf(
    text
      .slice(0, 10 * PREVIEW_CHARS)
      .toWellFormed()
      .replace(/\s+/g, " ")
      .trim(),
    PREVIEW_CHARS,
  );

/** Which event first changed a message that had been sent: by what the message is known by. */
export class ChangeTrail {
  readonly #byKey = new Map<string, ChangedBy>();
  #respliced: ChangedBy | null = null;

  note(event: Logged): void {
    const by = { n: event.n, type: event.type };
    if (event.type === "aged") for (const { call } of event.decisions) this.#keep(resultKey(call), by);
    else if (event.type === "budgeted") for (const { call } of event.cuts) this.#keep(resultKey(call), by);
    else if (event.type === "media_replaced")
      for (const { call } of event.parts) this.#keep(resultKey(call), by);
    else if (event.type === "repaired" || event.type === "pruned") {
      this.#respliced ??= by;
      for (const one of event.splices.flatMap(({ insert }) => insert))
        if (typeof one !== "number") this.#keep(keyOf(one), by);
    }
  }

  of(message: Message): ChangedBy | null {
    return this.#byKey.get(keyOf(message) ?? "") ?? this.#respliced;
  }

  #keep(key: string | null, by: ChangedBy): void {
    if (key !== null && !this.#byKey.has(key)) this.#byKey.set(key, by);
  }
}

const resultKey = (call: string): string => `result ${call}`;

/** What stays of a message when its text is another; words of the person and bare answers have nothing. */
function keyOf(message: Message): string | null {
  if (message.role === "tool") return resultKey(message.call);
  const [first] = message.role === "assistant" ? message.calls : [];
  return first ? `reply ${first.call}` : null;
}

/** Messages of a request beside those of the one before it. `states` begin at message `from`: all before are the same. */
export type Compared = {
  readonly from: number;
  readonly states: readonly ItemState[];
  readonly removed: number;
};

/**
 * A message is the same as long as it is the same object: the fold makes another where anything of it changes. `from`:
 * before it nothing changed.
 */
export function compared(
  before: readonly Message[],
  after: readonly Message[],
  from: number,
  trail: ChangeTrail,
): Compared {
  const [old, now] = [before.slice(from), after.slice(from)];
  const [known, kept] = [new Set(old), new Set(now)];
  const gone = new Set(old.filter((message) => !kept.has(message)));
  const byKey = new Map([...gone].map((message) => [keyOf(message), message]));
  const states = now.map((message, at): ItemState => {
    if (known.has(message)) return SAME;
    const key = keyOf(message);
    const place = old[at];
    const isInPlace = place?.role === message.role && keyOf(place) === null;
    const was = key !== null ? byKey.get(key) : isInPlace ? place : undefined;
    return was && gone.delete(was) ? { state: "changed", by: trail.of(message) } : NEW;
  });
  return { from, states, removed: gone.size };
}
