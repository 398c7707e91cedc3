/** The texts of a row, whole and in windows: what was asked, said, called, returned, shown, and is shown now. */
import { unfenced } from "../claims/ticket";
import type { Handle } from "../schema/claim";
import type { EventOf, Logged } from "../schema/event";
import { type Details, type TextWindow, WINDOW_CHARS } from "../schema/inspector";

/** Offsets in UTF-16 code units. A window neither begins nor ends within a character. */
export const windowOf = (text: string, offset = 0): TextWindow => {
  const from = isLowHalf(text, offset) ? offset - 1 : offset;
  let to = Math.min(text.length, from + WINDOW_CHARS);
  if (to < text.length && isLowHalf(text, to)) to--;
  return {
    text: text.slice(from, to),
    offset: from,
    totalChars: text.length,
    next: to < text.length ? to : null,
  };
};

const isLowHalf = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff;
};

export type Texts = Pick<Details, "returned" | "shown" | "now"> & {
  readonly others: Details["texts"];
  readonly returnedFrom: Handle | null;
};
const NO_TEXTS: Texts = { returned: null, shown: null, now: null, others: [], returnedFrom: null };

type Named = { readonly label: string; readonly text: string };
const shortWindows = (parts: readonly Named[]): Details["texts"] =>
  parts.map(({ label, text }) => ({ label, text: windowOf(text) }));

export const turnTexts = (part: string, events: readonly Logged[]): Texts => ({
  ...NO_TEXTS,
  others: shortWindows(turnParts(part, events)),
});

export function turnParts(part: string, events: readonly Logged[]): Named[] {
  return events.flatMap((event): Named[] => {
    if (event.type === "asked" && part !== "reply") return [{ label: "Asked", text: event.text }];
    if (event.type === "replied" && event.text !== "") return [{ label: "Reply", text: event.text }];
    if (event.type === "gated" && event.text !== "")
      return [{ label: "Said to the model", text: event.text }];
    return [];
  });
}

export function callTexts(part: string, call: string, events: readonly Logged[]): Texts {
  const others = shortWindows(argumentParts(call, events));
  if (part === "arguments" || part === "receipt") return { ...NO_TEXTS, others };
  const { returned, shown, now } = wholeTexts(call, events);
  return {
    returned: typeof returned === "string" ? windowOf(returned) : null,
    returnedFrom: returned !== null && typeof returned === "object" ? returned.handle : null,
    shown: shown === null ? null : windowOf(shown),
    now: now === null ? null : windowOf(now),
    others: part === "" ? others : [],
  };
}

export function argumentParts(call: string, events: readonly Logged[]): Named[] {
  return events.flatMap((event): Named[] => {
    if (event.type === "replied") {
      const own = event.calls.find((one) => one.call === call);
      return own ? [{ label: "Arguments", text: own.arguments }] : [];
    }
    if (event.type === "clamped" && event.effectiveArguments !== null)
      return [{ label: "Arguments as the call ran", text: event.effectiveArguments }];
    return [];
  });
}

/** What the tool returned, what the model was shown of it first, and what it is shown now where that is something else. */
export function wholeTexts(
  call: string,
  events: readonly Logged[],
): { returned: string | { handle: Handle } | null; shown: string | null; now: string | null } {
  const remembered = events.findLast((event) => event.type === "remembered");
  const stored = events.find((event) => event.type === "tool_result_stored" && event.mediaType === undefined);
  const now = events.reduce<string | null>((text, event) => shortenedText(event, call) ?? text, null);
  const handle = stored?.type === "tool_result_stored" ? stored.handle : null;
  const returned = handle !== null ? { handle } : remembered ? returnedInline(remembered) : null;
  return { returned, shown: remembered?.text ?? null, now };
}

/** The model sees a result from outside in a fence that the tool did not write. */
const returnedInline = ({ shown, text, tainted }: EventOf<"remembered">): string | null =>
  shown !== "inline" ? null : tainted ? unfenced(text) : text;

function shortenedText(event: Logged, call: string): string | null {
  const list = event.type === "aged" ? event.decisions : event.type === "budgeted" ? event.cuts : [];
  return list.find((one) => one.call === call)?.text ?? null;
}
