/** The details of one row: its whole texts, why it is so, and the events behind it. From the events that are about it. */
import { unfenced } from "../claims/ticket";
import { turnOfCall } from "../history/fold";
import type { Handle } from "../schema/claim";
import type { EventOf, EventType, Logged } from "../schema/event";
import { type Details, type TextWindow, WINDOW_CHARS } from "../schema/inspector";
import { whyOf } from "./why";
import { firstChars } from "./words";

/** Where a row stands: `SESSION/t3/t3c0/stored`. */
export type RowPlace = {
  readonly turn: number | null;
  readonly call: string | null;
  readonly part: string; // "stored", "repair0"; "" for the session, a turn or a call itself
};

const EVENT_CHARS = 8000;
const EVENTS = 200; // the newest

/** Null for what is no key of a row. */
export function placeOfKey(key: string): RowPlace | null {
  const [, turn, ...rest] = key.split("/");
  if (turn === undefined) return { turn: null, call: null, part: "" };
  const number = /^t(\d{1,9})$/.exec(turn)?.[1];
  if (number === undefined) return rest.length === 0 ? { turn: null, call: null, part: turn } : null;
  const [second, third] = rest;
  const isCall = second !== undefined && /^t\d{1,9}c\d{1,9}$/.test(second);
  return {
    turn: Number(number),
    call: isCall ? second : null,
    part: (isCall ? third : second) ?? "",
  };
}

/** The row that an event stands in, or is part of. */
export function keyOfEvent(session: string, event: Logged): string {
  const call = callIn(event);
  if (call !== null) return `${session}/t${turnOfCall(call)}/${call}`;
  return "turn" in event && event.turn > 0 ? `${session}/t${event.turn}` : session;
}

function callIn(event: Logged): string | null {
  if ("call" in event) return event.call;
  if (event.type === "aged") return event.decisions[0]?.call ?? null;
  return event.type === "budgeted" ? (event.cuts[0]?.call ?? null) : null;
}

/** What a log line has in it that is about the row. Other lines have it too: `eventsAt` looks closer. */
export function needlesOf({ turn, call }: RowPlace): readonly string[] {
  if (call !== null) return [JSON.stringify(call)];
  if (turn !== null) return [`"turn":${turn},`, `"turn":${turn}}`];
  return WHOLE.map((type) => `"type":"${type}"`);
}

const WHOLE: readonly EventType[] = ["session_started", "adopted", "configured", "recovered"];

export function isAbout({ turn, call }: RowPlace, event: Logged): boolean {
  if (call !== null) return isOfCall(event, call);
  if (turn !== null) return "turn" in event && event.turn === turn && event.type !== "resumed";
  return WHOLE.includes(event.type);
}

function isOfCall(event: Logged, call: string): boolean {
  if ("call" in event) return event.call === call;
  switch (event.type) {
    case "replied":
      return event.calls.some((one) => one.call === call);
    case "aged":
      return event.decisions.some((one) => one.call === call);
    case "budgeted":
      return event.cuts.some((one) => one.call === call);
    case "media_replaced":
      return event.parts.some((one) => one.call === call);
    case "repaired":
      return event.repairs.some((one) => one.call === call);
    default:
      return false;
  }
}

/** `returned`: the handle whose content the tool returned, where the log itself does not have it whole. */
export type RowDetails = { readonly details: Details; readonly returned: Handle | null };

/** `events`: those about the row's call, turn or session, in order. */
export function detailsOf(key: string, place: RowPlace, events: readonly Logged[]): RowDetails {
  const { part, call } = place;
  const own = eventsOfPart(place, events);
  const last = own.at(-1);
  const texts = call === null ? turnTexts(part, own) : callTexts(part, call, events);
  return {
    returned: texts.returnedFrom,
    details: {
      key,
      returned: texts.returned,
      shown: texts.shown,
      now: texts.now,
      texts: texts.others,
      why: last ? whyOf(last, call) : null,
      events: own.slice(-EVENTS).map((event) => ({
        n: event.n,
        type: event.type,
        at: event.at,
        json: firstChars(JSON.stringify(event, null, 2), EVENT_CHARS),
      })),
      problem: null,
    },
  };
}

/** The text that a page asks for more of; null where the row has no such text. */
export function textOf(
  place: RowPlace,
  events: readonly Logged[],
  part: string,
): string | { readonly handle: Handle } | null {
  const whole = place.call === null ? null : wholeTexts(place.call, events);
  if (part === "shown") return whole?.shown ?? null;
  if (part === "now") return whole?.now ?? null;
  if (part === "returned") return whole?.returned ?? null;
  const named = place.call === null ? turnParts(place.part, eventsOfPart(place, events)) : [];
  const arguments_ = place.call === null ? [] : argumentParts(place.call, events);
  return [...named, ...arguments_].find(({ label }) => label === part)?.text ?? null;
}

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

/** The types that a row stands for. */
const PARTS: Readonly<Record<string, readonly EventType[]>> = {
  arguments: ["replied"],
  receipt: ["configured", "measured", "executed", "clamped"],
  permission: ["authorised"],
  result: ["executed", "redeemed", "remembered"],
  page: ["covered", "paged"],
  stored: ["tool_result_stored", "forgotten"],
  media: ["tool_result_stored", "media_replaced"],
  response: ["projected", "branched"],
  changes: ["redacted"],
  refusal: ["redemption_refused"],
  readBack: ["redeemed", "paged"],
  pinned: ["pinned"],
  shortened: ["aged", "budgeted"],
  asked: ["asked"],
  request: ["requested"],
  reply: ["replied"],
  repair: ["repaired"],
  recovery: ["overflowed"],
  end: ["run_ended"],
  note: ["resumed", "gated", "pruned", "forgotten", "recovered", "configured", "adopted"],
};

/** Rows that there are several of carry their number: "shortened1". */
function eventsOfPart({ part }: RowPlace, events: readonly Logged[]): readonly Logged[] {
  const [, name = "", number] = /^([a-zA-Z]+?)(\d*)$/.exec(part) ?? [];
  const types = PARTS[name];
  if (types === undefined) return events;
  const own = types.length === 1 ? events.filter(({ type }) => type === types[0]) : sortedBy(types, events);
  const one = number ? own[Number(number)] : undefined;
  return one && name === "shortened" ? [one] : own;
}

/** The last of `types` says why. */
const sortedBy = (types: readonly EventType[], events: readonly Logged[]): Logged[] =>
  types.flatMap((type) => events.filter((event) => event.type === type));

type Texts = Pick<Details, "returned" | "shown" | "now"> & {
  readonly others: Details["texts"];
  readonly returnedFrom: Handle | null;
};
const NO_TEXTS: Texts = { returned: null, shown: null, now: null, others: [], returnedFrom: null };

type Named = { readonly label: string; readonly text: string };
const shortWindows = (parts: readonly Named[]): Details["texts"] =>
  parts.map(({ label, text }) => ({ label, text: windowOf(text) }));

const turnTexts = (part: string, events: readonly Logged[]): Texts => ({
  ...NO_TEXTS,
  others: shortWindows(turnParts(part, events)),
});

function turnParts(part: string, events: readonly Logged[]): Named[] {
  return events.flatMap((event): Named[] => {
    if (event.type === "asked" && part !== "reply") return [{ label: "Asked", text: event.text }];
    if (event.type === "replied" && event.text !== "") return [{ label: "Reply", text: event.text }];
    if (event.type === "gated" && event.text !== "")
      return [{ label: "Said to the model", text: event.text }];
    return [];
  });
}

function callTexts(part: string, call: string, events: readonly Logged[]): Texts {
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

function argumentParts(call: string, events: readonly Logged[]): Named[] {
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
function wholeTexts(
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
