// test/support: a session that another agent had, had again with our loop: its words, its replies, its tools' results.
import type { RunEnd } from "../../src/agent/loop";
import { unfenced } from "../../src/claims/ticket";
import { toolKindOf } from "../../src/claims/toolKind";
import type { EventOf, ReplyCall } from "../../src/schema/event";
import type { ChatModel, ChatRequest } from "../../src/schema/model";
import { asRaw } from "../../src/schema/text";
import type { DraftedSession } from "../../src/transcripts/draft";
import { type House, openHouse, tool } from "./house";

type Said = { readonly text: string; readonly calls: readonly ReplyCall[] };
type Recorded = { readonly text: string; readonly isError: boolean };

/** Every request goes through `onRequest` as it is sent; what that throws is thrown. Resolves with the house, after the last reply. */
export async function replayTrace(
  session: DraftedSession,
  onRequest: (request: ChatRequest, house: House) => void,
): Promise<{ house: House; ends: readonly RunEnd[] }> {
  const { questions, replies, results, names } = recordOf(session);
  let next = 0;
  let house: House | null = null;
  let problem: unknown = null;
  const model: ChatModel = {
    info: {
      id: "trace/claude",
      name: "Trace",
      maxInputTokens: null,
      abilities: { rawArguments: true, usage: false, cacheControl: false },
    },
    async *reply(request) {
      if (house) {
        house.requests.length = 0; // they would fill the memory
        try {
          onRequest(request, house);
        } catch (cause) {
          problem ??= cause; // to the loop it would be a model that failed
        }
      }
      const { text, calls } = replies[next++] ?? { text: "", calls: [] };
      if (text !== "") yield { kind: "text", text };
      for (const call of calls)
        yield { kind: "call", id: call.id, name: call.name, arguments: call.arguments };
    },
  };
  const tools = names.map((name) => {
    const kind = toolKindOf(name);
    return tool(
      name,
      (given) => {
        const { text, isError } = results.get(keyOf(name, given))?.shift() ?? NOTHING;
        return isError
          ? { kind: "failed", code: "error", text: asRaw(text) }
          : { kind: "ok", text: asRaw(text) };
      },
      { class: kind.class, effect: kind.effect },
    );
  });
  house = await openHouse({ replies: [], model, tools, settings: { maxTurns: 10_000 }, blobs: new Map() });
  const ends: RunEnd[] = [];
  while (next < replies.length && problem === null) ends.push(await house.ask(questions.shift() ?? "Go on."));
  if (problem !== null) throw problem;
  return { house, ends };
}

const NOTHING: Recorded = { text: "(nothing was recorded)", isError: false };
const keyOf = (name: string, given: string): string => `${name}\0${given}`;

function recordOf({ events, contents }: DraftedSession) {
  const questions: string[] = [];
  const replies: Said[] = [];
  const results = new Map<string, Recorded[]>();
  const calls = new Map<string, ReplyCall>();
  const stored = new Map<string, string>();
  for (const event of events) {
    if (event.type === "asked") questions.push(event.text);
    else if (event.type === "replied") {
      replies.push(event);
      for (const call of event.calls) calls.set(call.call, call);
    } else if (event.type === "tool_result_stored" && event.mediaType === undefined)
      stored.set(event.handle, contents.get(event.sha256)?.toString("utf8") ?? "");
    else if (event.type === "remembered") {
      const call = calls.get(event.call);
      if (!call) continue;
      const key = keyOf(call.name, call.arguments);
      results.set(key, [
        ...(results.get(key) ?? []),
        { text: wholeOf(event, stored), isError: event.isError },
      ]);
    }
  }
  const names = [...new Set([...calls.values()].map(({ name }) => name))];
  return { questions, replies, results, names };
}

function wholeOf(event: EventOf<"remembered">, stored: ReadonlyMap<string, string>): string {
  if (event.handle !== null) return stored.get(event.handle) ?? "";
  return event.tainted ? unfenced(event.text) : event.text;
}
