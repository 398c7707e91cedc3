/** What if: a recorded session as it can be replayed: counted once, results whole, with what each reply took from them. */
import { NO_OUTPUT, unfenced } from "../../claims/ticket";
import type { Digest } from "../../schema/claim";
import type { EventOf, Logged } from "../../schema/event";
import type { TokenCounter } from "../../schema/tokens";
import { evidenceOf, type Said, stringLeaves } from "./evidence";
import type { ResultItem, SaidItem, Session } from "./types";

/** A log, and the stored contents that it names. */
export type RecordedSession = {
  readonly events: readonly Logged[];
  readonly contents: ReadonlyMap<Digest, { toString(encoding: "utf8"): string }>;
};

/** Results are whole: what the import stored is read from its contents, what it fenced is taken out of the fence. */
export function sessionOf(
  name: string,
  { events, contents }: RecordedSession,
  tokens: TokenCounter,
): Session {
  const items: (SaidItem | ResultItem)[] = [];
  const texts: (readonly string[])[] = []; // all that each item says
  const replies: (Said & { readonly at: number })[] = [];
  const calls = new Map<string, { name: string; arguments: string; turn: number }>();
  const stored = new Map<string, string>(); // handle → text
  for (const event of events) {
    if (event.type === "asked") {
      items.push({ kind: "user", text: event.text, tokens: tokens.count(event.text), turn: event.turn });
      texts.push([event.text]);
    } else if (event.type === "replied") {
      const leaves = event.calls.flatMap((call) => stringLeaves(call.arguments));
      replies.push({ items: items.length, words: [event.text, ...leaves], at: requestedAt(events, event) });
      const parts = [event.text, ...event.calls.map((call) => call.arguments)];
      const made = event.calls.map(({ name: tool, arguments: words }) => ({
        tool,
        arguments: words,
        tokens: tokens.count(words),
      }));
      const size = made.reduce((sum, call) => sum + call.tokens, tokens.count(event.text));
      items.push({
        kind: "assistant",
        text: parts.join("\n"),
        tokens: size,
        turn: event.turn,
        calls: made,
      });
      texts.push([...parts, ...leaves]);
      for (const call of event.calls) calls.set(call.call, { ...call, turn: event.turn });
    } else if (event.type === "tool_result_stored") {
      const content = contents.get(event.sha256);
      if (content && event.mediaType === undefined) stored.set(event.handle, content.toString("utf8"));
    } else if (event.type === "remembered") {
      const call = calls.get(event.call);
      if (!call) continue; // nothing that was asked: it is shown nowhere
      const text = wholeOf(event, stored);
      items.push({
        kind: "result",
        tool: call.name,
        arguments: call.arguments,
        text,
        tokens: tokens.count(text),
        isError: event.isError,
        turn: call.turn,
        shown: whole(text),
      });
      texts.push([text]);
    }
  }
  const evidence = evidenceOf(items, replies, (at) => texts[at] ?? []);
  const requests = replies.map(({ items: before, at }, n) => ({
    items: before,
    idleSeconds: Math.max(0, at - (replies[n - 1]?.at ?? at)) / 1000,
    evidence: evidence[n] ?? [],
  }));
  return { name, items, requests };
}

export const whole = (text: string) => ({ text, kept: [[0, text.length]] as const, isKept: true });

/** What was shown, where the whole is stored no longer. */
function wholeOf(event: EventOf<"remembered">, stored: ReadonlyMap<string, string>): string {
  if (isStandIn(event) && event.handle !== null) return stored.get(event.handle) ?? event.text;
  if (event.text === "" || event.text === NO_OUTPUT) return "";
  return event.tainted ? unfenced(event.text) : event.text;
}

const isStandIn = ({ shown }: EventOf<"remembered">): boolean =>
  shown === "ticket" || shown === "projection" || shown === "branch";

/** When the request of a reply left. */
function requestedAt(events: readonly Logged[], reply: Logged): number {
  const before = events[reply.n - 1];
  return before?.type === "requested" ? before.at : reply.at;
}
