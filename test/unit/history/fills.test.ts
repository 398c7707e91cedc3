/** What fills a request, kind by kind, on small conversations; any session is looked at by test/support/sound.ts. */
import assert from "node:assert/strict";
import { FillSums, naiveOf, prefixFills } from "../../../src/history/fills";
import { type HistoryState, historyFold } from "../../../src/history/fold";
import type { Handle } from "../../../src/schema/claim";
import type { EventOf, Logged, SessionEvent } from "../../../src/schema/event";
import type { TokenCounter } from "../../../src/schema/tokens";

/** A token is a char; what is content stands between angles. */
const CHARS: TokenCounter = { name: "chars", count: (text) => text.length };
const contentOf = (text: string): string => /<(.*)>/.exec(text)?.[1] ?? "";
const handle = `claim:${"0".repeat(32)}` as Handle;

type Shown = EventOf<"remembered">["shown"];
let n = 0;

class Talk {
  state: HistoryState = historyFold.begin();
  readonly sums = new FillSums(CHARS, contentOf);

  add(event: SessionEvent): this {
    this.state = historyFold.reduce(this.state, { ...event, n: n++, at: 0, origin: "loop" } as Logged);
    return this;
  }

  calls(turn: number, ...names: readonly string[]): this {
    const calls = names.map((name, i) => ({ call: `t${turn}c${i}`, id: `${i}`, name, arguments: "{}" }));
    return this.add({
      type: "replied",
      turn,
      text: "I look.",
      calls,
      end: "calls",
      error: null,
      usage: null,
      elapsedMs: 0,
    });
  }

  result(call: string, shown: Shown, text: string, wholeTokens: number, estimator = "chars"): this {
    const measured = { chars: 0, bytes: 0, tokensEstimated: wholeTokens, estimator };
    this.add({ type: "measured", call, items: null, ...measured });
    const about = { class: "read", limitChars: null, why: "", handle, isError: false } as const;
    return this.add({ type: "remembered", call, shown, text, ...about });
  }

  readsBack(call: string): this {
    const sizes = { offset: 0, chars: 9, totalChars: 9, matches: null };
    return this.add({ type: "redeemed", call, handle, selector: "offset", ...sizes });
  }

  get fills() {
    this.sums.update(this.state);
    const sums = this.sums.of();
    const naive = naiveOf(sums, this.state.removed, CHARS);
    return Object.fromEntries(Object.entries({ ...sums, naive }).filter(([, tokens]) => tokens !== 0));
  }

  requested(): this {
    this.fills; // as the loop does before it records one
    return this.add({ type: "requested", turn: 1, model: "m", messages: 0, chars: 0, bytes: 0 });
  }
}

const talk = (): Talk => new Talk().add({ type: "asked", turn: 1, text: "Why?" });
const SAID = "I look.".length + "read{}".length;
const ASKED = "Why?".length;

test("words, replies and whole results are what they are, also without Cloakroom", () => {
  assert.deepEqual(talk().calls(1, "read").result("t1c0", "inline", "whole", 5).fills, {
    user: ASKED,
    assistant: SAID,
    inline: 5,
    naive: ASKED + SAID + 5,
  });
});

test("what stands for a longer result is content and words, and counts whole in the naive request", () => {
  for (const shown of ["ticket", "page", "projection", "branch", "cut"] as const)
    assert.deepEqual(
      talk().calls(1, "read").result("t1c0", shown, "[first]<head>[rest]", 500).fills,
      { user: ASKED, assistant: SAID, heads: 4, tickets: 15, naive: ASKED + SAID + 500 },
      shown,
    );
});

test("what was read back and the call for it are nothing in the naive request; a refusal stays", () => {
  for (const shown of ["window", "page"] as const) {
    const reading = talk().calls(1, "fetch").readsBack("t1c0").result("t1c0", shown, "<again>", 7);
    const naive = ASKED + "I look.".length;
    const assistant = "I look.fetch{}".length;
    assert.deepEqual(reading.fills, { user: ASKED, assistant, inline: 7, naive }, shown);
  }
  const refused = talk().calls(1, "read").result("t1c0", "refusal", "no", 2);
  assert.deepEqual(refused.fills, { user: ASKED, assistant: SAID, inline: 2, naive: ASKED + SAID + 2 });
});

test("what was shortened, by age or a budget, is aged; the naive request has it whole", () => {
  const cut = { call: "t1c0", handle, text: "[line]", charsBefore: 40, charsAfter: 6 };
  const events: readonly SessionEvent[] = [
    { type: "aged", turn: 2, strategy: "age", decisions: [{ ...cut, level: 2 }] },
    { type: "budgeted", turn: 1, limit: "perResultChars", cuts: [cut] },
  ];
  for (const event of events) {
    const whole = talk().calls(1, "read").result("t1c0", "inline", "x".repeat(40), 40).requested();
    const before = whole.fills.naive;
    const { fills } = whole.add(event);
    assert.deepEqual(fills, { user: ASKED, assistant: SAID, aged: 6, naive: before }, event.type);
  }
});

test("a figure of another counter is not used", () => {
  const other = talk().calls(1, "read").result("t1c0", "ticket", "<head>", 500, "others");
  assert.equal(other.fills.naive, ASKED + SAID + "<head>".length);
  assert.equal(naiveOf({ naive: 7 }, { messages: 1, named: [], unnamed: 0 }, CHARS), 7);
  const naive = { tokens: 90, counter: "others" };
  assert.equal(naiveOf({ naive: 7 }, { messages: 1, named: [], unnamed: 0, naive }, CHARS), 7);
});

test("what was pruned is still in the naive request; the note in its place is not", () => {
  const long = talk().calls(1, "read").result("t1c0", "ticket", "<head>", 500).calls(2, "read");
  long.result("t2c0", "inline", "whole", 5).requested();
  const naive = long.fills.naive ?? 0;
  const gone = { tokens: long.sums.of(3).naive, counter: CHARS.name };
  const note = { role: "user", text: "[gone]" } as const;
  const splices = [{ at: 0, remove: 3, insert: [note] }];
  const pruned = long.add({
    type: "pruned",
    turn: 3,
    messages: 3,
    named: [],
    unnamed: 0,
    naive: gone,
    splices,
  });
  assert.deepEqual(pruned.fills, { assistant: SAID, inline: 5, tickets: 6, naive });
});

test("a call that was repaired has a result of ours, shown whole", () => {
  const open = talk().calls(1, "read");
  open.add({
    type: "measured",
    call: "t1c0",
    items: null,
    chars: 9,
    bytes: 9,
    tokensEstimated: 9,
    estimator: "chars",
  });
  const result = {
    role: "tool",
    call: "t1c0",
    id: "0",
    name: "read",
    text: "[interrupted]",
    isError: true,
  } as const;
  open.add({ type: "repaired", turn: 1, repairs: [], splices: [{ at: 2, remove: 0, insert: [result] }] });
  assert.deepEqual(open.fills, { user: ASKED, assistant: SAID, inline: 13, naive: ASKED + SAID + 13 });
  assert.equal(open.state.coming.size, 0);
});

test("of what stands before the messages the definitions are the tools, all the rest is the system prompt", () => {
  const tools = [{ name: "read" }];
  const prefix = JSON.stringify(["m", "Be brief.", tools]);
  const count = JSON.stringify(tools).length;
  assert.deepEqual(prefixFills(prefix, prefix.length, CHARS), {
    tools: count,
    system: prefix.length - count,
  });
  const bare = JSON.stringify(["m", "Be brief.", []]);
  assert.deepEqual(prefixFills(bare, bare.length, CHARS), { tools: 0, system: bare.length });
  assert.deepEqual(prefixFills("", 0, CHARS), { tools: 0, system: 0 });
});
