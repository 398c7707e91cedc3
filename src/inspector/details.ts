/** The details of one row: its whole texts, why it is so, and the events behind it. From the events that are about it. */
import type { Handle } from "../schema/claim";
import type { EventType, Logged } from "../schema/event";
import type { Details } from "../schema/inspector";
import { argumentParts, callTexts, turnParts, turnTexts, wholeTexts } from "./detailTexts";
import type { RowPlace } from "./rowPlace";
import { whyOf } from "./why";
import { firstChars } from "./words";

const EVENT_CHARS = 8000;
const EVENTS = 200; // the newest
const ALL_EVENT_CHARS = 200_000; // of these

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
      events: eventsOnWire(own),
      problem: null,
    },
  };
}

/** The newest, as many as a message has room for. */
function eventsOnWire(events: readonly Logged[]): Details["events"] {
  const told: Details["events"] = [];
  let chars = 0;
  for (const event of events.slice(-EVENTS).reverse()) {
    const json = firstChars(JSON.stringify(event, null, 2), EVENT_CHARS);
    chars += json.length;
    if (chars > ALL_EVENT_CHARS) break;
    told.unshift({ n: event.n, type: event.type, at: event.at, json });
  }
  return told;
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

/** The types that a row stands for. */
const PARTS: Readonly<Record<string, readonly EventType[]>> = {
  arguments: ["replied"],
  receipt: ["measured", "executed", "clamped"],
  permission: ["authorised"],
  result: ["executed", "redeemed", "remembered"],
  page: ["covered", "paged"],
  stored: ["tool_result_stored", "forgotten"],
  media: ["tool_result_stored", "media_replaced"],
  response: ["projected", "branched"],
  changes: ["redacted"],
  refusal: ["redemption_refused"],
  asked: ["asked"],
  request: ["requested"],
  reply: ["replied"],
  end: ["run_ended"],
};

function eventsOfPart({ part, n }: RowPlace, events: readonly Logged[]): readonly Logged[] {
  if (n !== null) return events.filter((event) => event.n === n);
  const name = part.replace(/\d+$/, "");
  const types = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  return types === undefined ? events : sortedBy(types, events);
}

/** The last of `types` says why. */
const sortedBy = (types: readonly EventType[], events: readonly Logged[]): Logged[] =>
  types.flatMap((type) => events.filter((event) => event.type === type));
