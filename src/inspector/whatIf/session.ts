/** What if: a recorded session as it can be replayed: counted once, results whole, with what each reply took from them. */
import type { EventOf, Logged } from "../../schema/event";
import type { TokenCounter } from "../../schema/tokens";
import { evidenceOf, type Said, stringLeaves } from "./evidence";
import type { ResultItem, SaidItem, Session } from "./types";
import { type RecordedSession, Wholes } from "./wholes";

/**
 * Results are whole: what was stored is read from its contents, what an import fenced is taken out of the fence. A session
 * of ours is counted as its log counts it; of any other the names of tools are not, as in the benchmarks.
 */
export function sessionOf(name: string, recorded: RecordedSession, tokens: TokenCounter): Session {
  const { events } = recorded;
  const items: (SaidItem | ResultItem)[] = [];
  const texts: (readonly string[])[] = []; // all that each item says
  const replies: (Said & { readonly at: number })[] = [];
  const calls = new Map<string, { name: string; arguments: string; turn: number }>();
  const wholes = new Wholes(recorded, tokens);
  const isOurs = events.some((event) => event.type === "requested" && event.prefix !== undefined);
  for (const event of events) {
    wholes.note(event);
    if (event.type === "asked" || (event.type === "gated" && event.text !== "")) {
      items.push({ kind: "user", text: event.text, tokens: tokens.count(event.text), turn: event.turn });
      texts.push([event.text]);
    } else if (event.type === "replied") {
      const leaves = event.calls.flatMap((call) => stringLeaves(call.arguments));
      replies.push({ items: items.length, words: [event.text, ...leaves], at: requestedAt(events, event) });
      items.push(replyItem(event, isOurs, tokens));
      texts.push([event.text, ...event.calls.map((call) => call.arguments), ...leaves]);
      for (const call of event.calls) calls.set(call.call, { ...call, turn: event.turn });
    } else if (event.type === "remembered") {
      const call = calls.get(event.call);
      if (!call) continue; // nothing that was asked: it is shown nowhere
      const { says, ...result } = wholes.of(event);
      const about = { tool: call.name, arguments: call.arguments, isError: event.isError, turn: call.turn };
      items.push({ kind: "result", ...about, ...result, shown: whole(result.text) });
      texts.push([says]);
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

function replyItem(
  { text, calls, turn }: EventOf<"replied">,
  isOurs: boolean,
  { count }: TokenCounter,
): SaidItem {
  const made = calls.map(({ name: tool, arguments: words }) => ({
    tool,
    arguments: words,
    tokens: count(words) + (isOurs ? count(tool) : 0),
  }));
  return {
    kind: "assistant",
    text: [text, ...calls.map((call) => call.arguments)].join("\n"),
    tokens: made.reduce((sum, call) => sum + call.tokens, count(text)),
    turn,
    calls: made,
  };
}

export const whole = (text: string) => ({ text, kept: [[0, text.length]] as const, isKept: true });

/** When the request of a reply left. */
function requestedAt(events: readonly Logged[], reply: Logged): number {
  const before = events[reply.n - 1];
  return before?.type === "requested" ? before.at : reply.at;
}
