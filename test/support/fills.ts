// test/support: what fills each request, counted anew from the log, plainly and slowly, beside what the log says.
import assert from "node:assert/strict";
import { deserialize, serialize } from "node:v8";
import { contentOf, requestFills } from "../../src/agent/fills";
import { FillSums, prefixFills } from "../../src/history/fills";
import { foldHistory, type HistoryState, historyFold } from "../../src/history/fold";
import { IMAGE_TOKENS } from "../../src/history/messageTokens";
import { RequestSizes } from "../../src/history/sizes";
import type { RequestFills } from "../../src/schema/cost";
import type { EventOf, Logged } from "../../src/schema/event";
import type { Message, ToolMessage } from "../../src/schema/message";
import type { TokenCounter } from "../../src/schema/tokens";

/** Every request that this counted: the kinds are all of it, they are what counting anew says, and a snapshot knows as much as the log. */
export function assertFills(events: readonly Logged[], counter: TokenCounter): void {
  let live = historyFold.begin();
  events.forEach((event, at) => {
    if (event.type === "requested" && event.prefix?.counter === counter.name) {
      const { fills, prefix } = event;
      assert.ok(fills);
      const { naive, ...kinds } = fills;
      assert.equal(
        Object.values(kinds).reduce((sum, tokens) => sum + tokens, 0),
        prefix.totalTokens,
      );
      assert.deepEqual(fills, fillsAnew(events.slice(0, at), counter), `the request of turn ${event.turn}`);
      assert.deepEqual(fills, fillsOfState(deserialize(serialize(live)) as HistoryState, counter));
    }
    live = historyFold.reduce(live, event);
  });
}

function fillsOfState(history: HistoryState, counter: TokenCounter): RequestFills {
  const sizes = new RequestSizes(counter);
  sizes.update(history.messages, 0);
  const fills = new FillSums(counter, contentOf);
  fills.update(history);
  const tokens = counter.count(history.prefix);
  const before = prefixFills(history.prefix, tokens, counter);
  const prefixSize = { tokens, chars: 0, bytes: 0, ...before };
  return requestFills({ history, sizes, fills, prefixSize });
}

/** What the log says of the results, before a request. */
type Said = {
  readonly shown: ReadonlyMap<string, EventOf<"remembered">>;
  readonly measured: ReadonlyMap<string, number>;
  readonly readBack: ReadonlySet<string>;
  readonly shortened: ReadonlySet<string>;
};

function saidIn(events: readonly Logged[]): Said {
  const shown = new Map<string, EventOf<"remembered">>();
  const measured = new Map<string, number>();
  const readBack = new Set<string>();
  const shortened = new Set<string>();
  for (const event of events) {
    if (event.type === "remembered") shown.set(event.call, event);
    if (event.type === "measured") measured.set(event.call, event.tokensEstimated);
    if (event.type === "redeemed" || event.type === "paged") readBack.add(event.call);
    if (event.type === "aged") for (const { call } of event.decisions) shortened.add(call);
    if (event.type === "budgeted") for (const { call } of event.cuts) shortened.add(call);
  }
  return { shown, measured, readBack, shortened };
}

/** Of the next request after these events. */
export function fillsAnew(events: readonly Logged[], { count }: TokenCounter): RequestFills {
  const { messages, prefix } = foldHistory(events);
  const said = saidIn(events);
  const hasNote = events.some(({ type }) => type === "pruned");
  const [, , definitions] = JSON.parse(prefix) as [string, string, unknown[]];
  const tools = definitions.length === 0 ? 0 : count(JSON.stringify(definitions));
  const fills = { system: count(prefix) - tools, tools, user: 0, assistant: 0 };
  const results = { inline: 0, heads: 0, tickets: 0, aged: 0 };
  messages.forEach((message, at) => {
    if (message.role === "assistant") fills.assistant += replyTokens(message, count);
    else if (message.role === "user" && at === 0 && hasNote) results.tickets += count(message.text);
    else if (message.role === "user") fills.user += count(message.text);
    else addResult(results, message, said, count);
  });
  let naive = count(prefix) + naiveOf(messages.slice(hasNote ? 1 : 0), said, count);
  events.forEach((event, at) => {
    if (event.type !== "pruned") return;
    const before = events.slice(0, at);
    const gone = foldHistory(before).messages.slice(0, event.splices[0]?.remove);
    const isPrunedAgain = before.some(({ type }) => type === "pruned");
    naive += naiveOf(gone.slice(isPrunedAgain ? 1 : 0), saidIn(before), count);
  });
  return { ...fills, ...results, naive };
}

type Count = TokenCounter["count"];
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

function replyTokens(message: Message & { role: "assistant" }, count: Count): number {
  return (
    count(message.text) + sum(message.calls.map(({ name, arguments: given }) => count(name) + count(given)))
  );
}

function mediaOf({ media = [] }: ToolMessage, count: Count): { images: number; lines: number } {
  const images = media.map((one) => (one.shown === "image" ? IMAGE_TOKENS + count(one.label ?? "") : 0));
  const lines = media.map((one) => (one.shown === "line" ? count(one.text) : 0));
  return { images: sum(images), lines: sum(lines) };
}

const isStandIn = (call: string, { shown, readBack }: Said): boolean =>
  ["ticket", "projection", "branch", "cut", "page"].includes(shown.get(call)?.shown ?? "") &&
  !readBack.has(call);

function addResult(
  results: { inline: number; heads: number; tickets: number; aged: number },
  message: ToolMessage,
  said: Said,
  count: Count,
): void {
  const { images, lines } = mediaOf(message, count);
  const { call, text } = message;
  const remembered = said.shown.get(call);
  results.inline += images;
  results.tickets += lines;
  if (said.shortened.has(call)) results.aged += count(text);
  else if (remembered && isStandIn(call, said)) {
    const content = contentOf(text, { shown: remembered.shown, tainted: remembered.tainted === true });
    results.heads += count(content);
    results.tickets += count(text) - count(content);
  } else results.inline += count(text);
}

function naiveOf(messages: readonly Message[], said: Said, count: Count): number {
  return sum(
    messages.map((message) => {
      if (message.role === "user") return count(message.text);
      if (message.role === "assistant") {
        const calls = message.calls.filter(({ call }) => !said.readBack.has(call) || !said.shown.has(call));
        return replyTokens({ ...message, calls }, count);
      }
      const { call, text } = message;
      if (said.readBack.has(call) && said.shown.has(call)) return 0;
      const { images, lines } = mediaOf(message, count);
      const isLess = said.shortened.has(call) || isStandIn(call, said);
      const whole = isLess ? said.measured.get(call) : undefined;
      return (whole ?? count(text)) + images + lines;
    }),
  );
}
