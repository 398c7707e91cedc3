/**
 * What filled the window of a recorded session, and what Cloakroom would have sent in its place. Costs are in tokens of
 * input at the price of what is not cached, sizes in tokens of the one counter that is named.
 */
import { pair } from "../../history/pair";
import type { Logged, Repair } from "../../schema/event";
import type { Message } from "../../schema/message";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../schema/settings";
import type { TokenCounter } from "../../schema/tokens";
import { type Changes, type Hidden, hiddenAtEnd } from "./changes";
import type { Window } from "./fills";
import { type LargeItem, largestOf } from "./largest";
import { oursWith } from "./ours";
import { prefixesOf, withPrefixes } from "./prefix";
import { profileOf } from "./profiles";
import { recordedOf } from "./recorded";
import { replaying, SENDING_EVERYTHING, type Sent } from "./replayed";
import { finished } from "./running";
import { sessionOf } from "./session";
import type { Policy, Profile, Session } from "./types";
import { goneIn, type RecordedSession } from "./wholes";

export type Analysis = {
  readonly session: string; // its id, as the transcript or the store has it
  readonly title: string;
  readonly format: string | null; // null: a session of ours
  readonly model: string;
  readonly counter: string;
  readonly profile: {
    readonly name: string;
    readonly write: number;
    readonly read: number;
    readonly ttlSeconds: number | null; // null: it never ends, or nothing is cached
    readonly by: "model" | "choice" | "unknown";
  };
  readonly requests: number;
  /** Of the requests after the first: those that came later than an entry of the cache lives, and the longest wait. */
  readonly gaps: { readonly overTtl: number; readonly longestSeconds: number };
  /** What the provider said of its largest request; null: nothing. */
  readonly reportedPeakTokens: number | null;
  /** What our log says was sent; null: another program sent it. */
  readonly recorded: Sent | null;
  readonly everything: Sent & { readonly last: Window | null };
  readonly cloakroom: Sent &
    Changes & {
      readonly largest: Window | null;
      readonly last: Window | null;
      readonly hiddenAtEnd: Hidden;
      /** `needed`: replies that took something from a result that was hidden then. Tokens of what comes back. */
      readonly readBack: { readonly needed: number; readonly requests: number; readonly tokens: number };
    };
  readonly largestItems: readonly LargeItem[];
  readonly repairs: Readonly<Partial<Record<Repair["kind"], number>>>;
  readonly notes: readonly string[]; // what the importer could not read, or is stored no longer
};
export type AnalysisChoices = {
  readonly tokens: TokenCounter; // each text counted once, or this takes its time
  readonly settings?: CoreSettings; // not given: as shipped
  readonly profile?: Profile | undefined; // not given: by the model's name
};

export function analyse(recorded: RecordedSession, choices: AnalysisChoices): Analysis {
  const { tokens, settings = DEFAULT_SETTINGS } = choices;
  const { events } = recorded;
  const [started] = events;
  const configured = events.findLast((event) => event.type === "configured");
  const model = configured?.model.id ?? "unknown";
  const profile = choices.profile ?? profileOf(model, configured);
  const before = prefixesOf(events, tokens);
  const session = withPrefixes(sessionOf("", recorded, tokens), before);
  const replayed = (policy: Policy) => finished(replaying(session, policy, profile, tokens, before));
  const everything = replayed(SENDING_EVERYTHING);
  const cloakroom = replayed(oursWith("cloakroom", settings));
  return {
    session: started?.type === "session_started" ? started.session : "",
    title: started?.type === "session_started" ? started.title : "",
    format: formatOf(started),
    model,
    counter: tokens.name,
    profile: {
      name: profile.name,
      write: profile.write,
      read: profile.read,
      ttlSeconds: Number.isFinite(profile.ttlSeconds) ? profile.ttlSeconds : null,
      by: choices.profile ? "choice" : profile.isUnknown ? "unknown" : "model",
    },
    requests: session.requests.length,
    gaps: gapsOf(session, profile),
    reportedPeakTokens: reportedPeak(events),
    recorded: recordedOf(events, profile),
    everything: { ...everything.sent, last: everything.last },
    cloakroom: {
      ...cloakroom.sent,
      largest: cloakroom.largest,
      last: cloakroom.last,
      ...cloakroom.changes,
      hiddenAtEnd: hiddenAtEnd(session, cloakroom.sizes),
      readBack: {
        needed: cloakroom.simulated.evidenceHidden,
        requests: cloakroom.simulated.roundTrips,
        tokens: cloakroom.last?.fills.find(({ kind }) => kind === "read_back")?.tokens ?? 0,
      },
    },
    largestItems: largestOf(session, cloakroom.sizes),
    repairs: repairsOf(events),
    notes: notesOf(recorded),
  };
}

const formatOf = (started: Logged | undefined): string | null =>
  started?.type === "session_started" ? (started.from?.transcript?.format ?? null) : null;

function gapsOf({ requests }: Session, { ttlSeconds }: Profile): Analysis["gaps"] {
  const waits = requests.slice(1).map(({ idleSeconds }) => idleSeconds);
  return {
    overTtl: waits.filter((seconds) => seconds > ttlSeconds).length,
    longestSeconds: waits.reduce((most, seconds) => Math.max(most, seconds), 0),
  };
}

function reportedPeak(events: readonly Logged[]): number | null {
  let peak: number | null = null;
  for (const event of events)
    if (event.type === "replied" && event.usage) peak = Math.max(peak ?? 0, event.usage.inputTokens);
  return peak;
}

function notesOf(recorded: RecordedSession): readonly string[] {
  const [started] = recorded.events;
  const notes = started?.type === "session_started" ? (started.from?.transcript?.notes ?? []) : [];
  const gone = goneIn(recorded);
  if (gone === 0) return notes;
  return [
    ...notes,
    `${gone.toLocaleString("en")} stored result(s) are deleted or cannot be read: counted by their size`,
  ];
}

/** What pairing mends in the messages as they stand in the log, in its order. */
function repairsOf(events: readonly Logged[]): Analysis["repairs"] {
  const messages: Message[] = [];
  const calls = new Map<string, { id: string; name: string }>();
  for (const event of events) {
    if (event.type === "asked") messages.push({ role: "user", text: event.text });
    else if (event.type === "replied" && (event.text !== "" || event.calls.length > 0)) {
      for (const call of event.calls) calls.set(call.call, call);
      messages.push({ role: "assistant", text: event.text, calls: event.calls });
    } else if (event.type === "remembered") {
      const { id, name } = calls.get(event.call) ?? { id: "", name: "" };
      const { call, text, isError } = event;
      messages.push({ role: "tool", call, id, name, text, isError });
    }
  }
  const found: Partial<Record<Repair["kind"], number>> = {};
  for (const { kind } of pair(messages, () => undefined).repairs) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}
