/**
 * A session of any length, as a run would write it: three turns to a question, a call in two of them, every fourth result
 * stored, which is shortened eight turns later. Its sizes are those of real sessions; nothing decides anything.
 */

import type { BlobName } from "../../src/agent/ports";
import type { Handle } from "../../src/schema/claim";
import type { RequestFills } from "../../src/schema/cost";
import type { SessionEvent } from "../../src/schema/event";
import type { SafeText } from "../../src/schema/text";
import { sha256 } from "../../src/store/digest";
import { eventWith } from "../../test/support/everyEvent";

export type LongRun = {
  readonly turns: number;
  /** Of each stored result. */
  readonly storedChars: number;
  readonly put: (text: SafeText) => Promise<BlobName>;
  readonly append: (event: SessionEvent) => Promise<unknown>;
};

const TURNS_PER_QUESTION = 3;
const CALLS_PER_STORED = 4;
const AGED_AFTER_TURNS = 8;
const INLINE = "A line of a file that stays in the conversation, with some code in it.\n".repeat(15);
const HEAD = "The first lines of a result that was stored; the rest is read back by its handle.\n".repeat(12);

export const handleNamed = (name: string): Handle => `claim:${sha256(name).slice(0, 32)}` as Handle;

/** Writes what follows `session_started`. */
export async function writeLongRun(run: LongRun): Promise<void> {
  await run.append(eventWith("configured"));
  for (let turn = 1; turn <= run.turns; turn++) await writeTurn(run, turn);
}

async function writeTurn(run: LongRun, turn: number): Promise<void> {
  const { append } = run;
  const inQuestion = (turn - 1) % TURNS_PER_QUESTION;
  const isLast = inQuestion === TURNS_PER_QUESTION - 1;
  if (inQuestion === 0) await append(asked(turn));
  const old = turn - AGED_AFTER_TURNS;
  if (old > 0 && isStored(old)) await append(aged(turn, old));
  await append(requested(turn));
  await append(replied(turn, isLast ? [] : ["read_file"]));
  if (isLast) await append(eventWith("run_ended", { turn }));
  else await writeCall(run, turn);
}

/** Calls are counted over the turns that have one. */
function isStored(turn: number): boolean {
  const inQuestion = (turn - 1) % TURNS_PER_QUESTION;
  const calls = Math.floor((turn - 1) / TURNS_PER_QUESTION) * (TURNS_PER_QUESTION - 1) + inQuestion;
  return inQuestion < TURNS_PER_QUESTION - 1 && calls % CALLS_PER_STORED === 0;
}

async function writeCall(run: LongRun, turn: number): Promise<void> {
  const { append, put, storedChars } = run;
  const call = callOf(turn);
  await append(clamped(call));
  await append(eventWith("authorised", { call }));
  await append(eventWith("executed", { call }));
  if (!isStored(turn)) {
    await append(eventWith("measured", { call, chars: INLINE.length, bytes: INLINE.length }));
    return void (await append(inline(call)));
  }
  const text = contentOf(turn, storedChars);
  await append(eventWith("measured", { call, chars: text.length, bytes: text.length }));
  await append(stored(call, handleNamed(call), text, await put(text)));
  await append(eventWith("remembered", { call, handle: handleNamed(call), text: HEAD }));
}

export const callOf = (turn: number): string => `t${turn}c0`;

export const asked = (turn: number): SessionEvent =>
  eventWith("asked", {
    turn,
    text: `Question of turn ${turn}: which part of the harbour is meant, and why?`,
  });

/** What fills it grows, and falls back where old results were shortened. */
export function requested(turn: number): SessionEvent {
  const fills: RequestFills = {
    ...{ system: 2000, tools: 4000, user: 500 + (turn % 900), assistant: 3000 + (turn % 5000) },
    ...{ inline: 9000 + ((turn * 37) % 30_000), heads: 2500, tickets: 900, aged: 400, naive: 0 },
  };
  const totalTokens = Object.values(fills).reduce((sum, tokens) => sum + tokens, 0);
  const base = eventWith("requested").prefix;
  if (!base) throw new Error("the fixture has a prefix");
  const prefix = { ...base, messages: turn, tokens: totalTokens - 1000, totalTokens };
  const chars = totalTokens * 4;
  return eventWith("requested", {
    ...{ turn, messages: turn * 2, chars, bytes: chars, prefix },
    fills: { ...fills, naive: totalTokens + turn * 20 },
  });
}

export const replied = (turn: number, tools: readonly string[]): SessionEvent =>
  eventWith("replied", {
    turn,
    text: `In turn ${turn} I look at the next part, and say in a sentence or two what I expect to find in there.`,
    end: tools.length === 0 ? "answered" : "calls",
    calls: tools.map((name) => ({
      ...{ call: callOf(turn), id: `id${turn}`, name },
      arguments: JSON.stringify({ path: `src/part${turn}/file.ts`, limit: 500 }),
    })),
  });

export const clamped = (call: string): SessionEvent => eventWith("clamped", { call, tool: "read_file" });

export const inline = (call: string): SessionEvent =>
  eventWith("remembered", { call, shown: "inline", handle: null, text: INLINE });

export const stored = (call: string, handle: Handle, text: SafeText, name: BlobName): SessionEvent =>
  eventWith("tool_result_stored", {
    ...{ call, handle, tool: "read_file", class: "read", chars: text.length, lines: text.split("\n").length },
    ...name,
  });

export function aged(turn: number, of: number): SessionEvent {
  const event = eventWith("aged", { turn });
  const [decision] = event.decisions;
  if (!decision) throw new Error("the fixture shortens something");
  const call = callOf(of);
  return { ...event, decisions: [{ ...decision, call, handle: handleNamed(call) }] };
}

const LINE = "of a stored result that is read in parts, never as a whole, with a number in it\n";

/** ASCII text of so many characters, unlike that of any other turn. */
export function contentOf(turn: number, chars: number): SafeText {
  const line = `${turn} ${LINE}`;
  return line.repeat(Math.ceil(chars / line.length)).slice(0, chars) as SafeText;
}
