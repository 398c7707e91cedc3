/** CONFORMANCE §4 with strategy "cacheAware", through the whole loop: when old results are cut, and what every request says of the prompt cache. */
import assert from "node:assert/strict";
import { foldHistory, idleSecondsAt } from "../../../src/history/fold";
import { messageTokens } from "../../../src/history/messageTokens";
import { cacheProfileOf, requestCost } from "../../../src/history/promptCache";
import { estimatedTokens } from "../../../src/history/tokens";
import { projectSession } from "../../../src/inspector/project";
import type { Logged } from "../../../src/schema/event";
import type { Message, ToolMessage } from "../../../src/schema/message";
import type { ChatModel } from "../../../src/schema/model";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { type House, type HouseOptions, openHouse, tool } from "../../support/house";
import { assertSound } from "../../support/sound";

const CLAUDE = "vendor/claude-sonnet";

type Reply = { readonly call?: string; readonly cachedTokens?: number; readonly pauseMs?: number };

/** Calls `note` with a number for each reply but the last. What it reports is what `replies` say; pauses pass on the house's clock. */
function modelOf(replies: readonly Reply[], about: Partial<ChatModel["info"]> = {}): ChatModel {
  let at = 0;
  return {
    info: {
      id: CLAUDE,
      name: "Claude",
      maxInputTokens: null,
      abilities: { rawArguments: true, usage: true, cacheControl: false },
      ...about,
    },
    async *reply() {
      const reply = replies[at++];
      if (!reply?.call) yield { kind: "text", text: "Done." };
      else yield { kind: "call", id: `c${at}`, name: reply.call, arguments: JSON.stringify({ n: at }) };
      if (reply?.cachedTokens !== undefined)
        yield {
          kind: "usage",
          usage: { inputTokens: 10_000, outputTokens: 5, cachedTokens: reply.cachedTokens },
        };
    },
  };
}

const times = (n: number, reply: Reply): Reply[] => Array.from({ length: n }, () => reply);

async function session(
  replies: readonly Reply[],
  options: Partial<HouseOptions> & { readonly info?: Partial<ChatModel["info"]> } = {},
): Promise<House> {
  const { info, ...more } = options;
  const house = await openHouse({
    tools: [
      tool("read_file", () => "a line of the file\n".repeat(200), { class: "read" }),
      tool("note", () => "noted"),
      tool("long", (args) => `${args} ${"words and words ".repeat(250)}`),
    ],
    replies: [],
    model: modelOf(replies, info),
    blobs: new Map(),
    ...more,
    settings: { maxTurns: 500, ...more.settings },
  });
  const end = await house.ask("Do it.");
  assert.equal(end.end, "answered", end.message);
  return house;
}

const ageing = (change: Partial<CoreSettings["ageing"]>): Partial<CoreSettings> => ({
  ageing: { ...DEFAULT_SETTINGS.ageing, ...change },
});

/** A question so long that what follows it is little beside it. */
const LONG_QUESTION = "All of the history. ".repeat(8000);

test("M12 a long history and one small result that is due: cacheAware waits, age rewrites", async () => {
  const run = async (strategy: "age" | "cacheAware") => {
    const house = await openHouse({
      tools: [tool("read_file", () => "x".repeat(3500), { class: "read" }), tool("note", () => "noted")],
      replies: [],
      model: modelOf([{ call: "read_file" }, { call: "note" }, { call: "note" }, { call: "note" }, {}]),
      settings: ageing({ strategy }),
    });
    assert.equal((await house.ask(LONG_QUESTION)).end, "answered");
    return house.eventsOf("aged").length;
  };
  assert.ok(estimatedTokens.count(LONG_QUESTION) > 40_000);
  assert.deepEqual([await run("cacheAware"), await run("age")], [0, 2]);
});

test("§4 in a long session results are cut once that pays, also what commands put out; the cost is on record", async () => {
  const house = await session([...times(60, { call: "long" }), {}]);
  assertSound(house.events);
  const aged = house.eventsOf("aged");
  assert.ok(aged.length > 3);
  for (const { strategy, cost } of aged) assert.deepEqual([strategy, cost?.rule], ["cacheAware", "pays"]);
  assert.equal(aged[0]?.cost?.profile.name, "anthropic-5m");
  assert.ok((aged[0]?.cost?.requests ?? 0) > 3, "the first ones have not paid yet");
});

test("§4 every cut can be computed again from the log: C, S, n̂, what was spent, and that it pays", async () => {
  const { events } = await session([...times(60, { call: "long" }), {}]);
  let cuts = 0;
  events.forEach((event, at) => {
    if (event.type !== "aged") return;
    cuts++;
    assert.deepEqual({ ...event.cost, readTokens: 0 }, { ...recomputed(events, at), readTokens: 0 });
    const {
      requests,
      freedTokens: c,
      resentTokens: s,
      readTokens,
      spentTokens,
      profile,
    } = event.cost ?? fail();
    const { write, read } = profile.prices ?? fail();
    assert.ok(requests * read * c - (write - read) * s - readTokens > 0, "it pays");
    assert.ok((write - read) * s <= 0.04 * spentTokens, "it costs little of what was spent");
  });
  assert.ok(cuts > 3);
});

const fail = (): never => assert.fail("not on record");

test("§4 the inspector says of each shortened result which rule cut it, what that freed and what is sent again; a tool nobody named is covered", async () => {
  const unnamed = tool("a_new_tool", (args) => `${args} ${"words and words ".repeat(250)}`);
  const house = await session([...times(60, { call: "a_new_tool" }), {}], { tools: [unnamed] });
  const view = projectSession(house.events) ?? fail();
  const shortened = view.turns.flatMap(({ calls }) => calls.flatMap((call) => call.shortened));
  const cuts = house.eventsOf("aged");
  assert.equal(shortened.length, cuts.flatMap(({ decisions }) => decisions).length);
  for (const { by, cost } of shortened) {
    assert.deepEqual([by, cost?.rule], ["age", "pays"]);
    assert.ok((cost?.freedTokens ?? 0) > 0 && cost?.resentTokens !== undefined);
  }
  const [again] = view.turns.filter(({ request }) => request?.prefix?.by?.type === "aged");
  const { tokens = 0, totalTokens = 0 } = again?.request?.prefix ?? {};
  assert.ok(tokens > 0 && tokens < totalTokens);
});

/** The figures of a cut from what stands before it in the log, without the code that decided. */
function recomputed(events: readonly Logged[], at: number) {
  const event = events[at];
  if (event?.type !== "aged") return fail();
  const before = foldHistory(events.slice(0, at));
  const after = new Map(event.decisions.map(({ call, text }) => [call, text]));
  const tokens = (message: Message) => messageTokens(message, estimatedTokens);
  const isCut = (message: Message): message is ToolMessage =>
    message.role === "tool" && after.has(message.call);
  const freed = before.messages.filter(isCut).reduce((sum, message) => {
    return sum + tokens(message) - tokens({ ...message, text: after.get(message.call) ?? "" });
  }, 0);
  const first = before.messages.findIndex(isCut);
  const block = before.messages.findLastIndex(({ role }, i) => i < first && role === "assistant");
  const behind = before.messages.slice(block).reduce((sum, message) => sum + tokens(message), 0);
  const profile = cacheProfileOf(CLAUDE, {});
  const requested = events.slice(0, at).filter((one) => one.type === "requested");
  const spent = requested.reduce((sum, { prefix, at: left }, n) => {
    const idle = n === 0 ? null : (left - (requested[n - 1]?.at ?? 0)) / 1000;
    const { tokens: reusedTokens, totalTokens } = prefix ?? fail();
    return sum + requestCost(profile, { reusedTokens, totalTokens }, idle);
  }, 0);
  const start = estimatedTokens.count(before.prefix);
  return {
    profile,
    requests: requested.length,
    idleSeconds: event.cost?.idleSeconds, // by the clock, between two events
    totalTokens: start + before.messages.reduce((sum, message) => sum + tokens(message), 0),
    spentTokens: Math.round(spent),
    rule: "pays",
    freedTokens: freed,
    resentTokens: behind - freed,
    readTokens: 0,
    counter: estimatedTokens.name,
  };
}

test("M13 a request that cannot be made small enough: a clear error, and no loop", async () => {
  let requests = 0;
  const model: ChatModel = {
    ...modelOf([]),
    // biome-ignore lint/correctness/useYield: it never says a word
    async *reply() {
      requests++;
      throw new Error("400: prompt is too long: 250000 tokens > 200000 maximum");
    },
  };
  const house = await openHouse({ replies: [], model });
  const end = await house.ask(LONG_QUESTION);
  assert.equal(end.end, "failed");
  assert.match(
    end.message,
    /does not fit Claude, and nothing more of it can be shortened: it has [\d,]+ tokens/,
  );
  assert.ok(requests <= 4, `${requests} requests`);
  assertSound(house.events);
});

test("M14 what is likely to be read back is not cut for a small saving: a short session keeps its results", async () => {
  const house = await session([...times(6, { call: "long" }), {}]);
  assert.deepEqual(house.eventsOf("aged"), []);
});

test("§4 a cold cache: all that is worth it is cut at once, since everything is sent again anyway", async () => {
  const replies = [...times(6, { call: "long" }), {}];
  const first = await session(replies);
  const lastAt = first.events.at(-1)?.at ?? 0;
  const later = first.events.map((event) => ({ ...event, at: event.at - 400_000 }));
  const again = await openHouse({
    replies: [],
    model: modelOf([{}]),
    events: later,
    blobs: first.blobs,
    tools: [tool("long", () => "")],
  });
  assert.ok(idleSecondsAt(foldHistory(later), lastAt) !== null);
  await again.ask("And now?");
  const [aged] = again.eventsOf("aged");
  assert.equal(aged?.cost?.rule, "cold");
  assert.ok((aged?.decisions.length ?? 0) >= 4);
  assertSound(again.events);
});

test("§4 w = r: all that is worth it; an unknown model: nothing before an hour; a window that is full: everything due", async () => {
  const uncached = { "vendor/claude": { write: 1, read: 1, ttlSeconds: null } };
  const plain = await session([...times(20, { call: "long" }), {}], {
    settings: ageing({ cacheProfiles: uncached }),
  });
  assert.deepEqual([...new Set(plain.eventsOf("aged").map(({ cost }) => cost?.rule))], ["uncached"]);
  assert.equal(plain.eventsOf("aged")[0]?.cost?.profile.source, "setting");

  const unknown = await session([...times(40, { call: "long" }), {}], { info: { id: "vendor/new" } });
  assert.deepEqual(unknown.eventsOf("aged"), []);

  const full = await session([...times(20, { call: "long" }), {}], {
    info: { id: "vendor/new", maxInputTokens: 12_000 },
  });
  const rules = full.eventsOf("aged").map(({ cost }) => cost?.rule);
  assert.ok(rules.length > 0 && rules.every((rule) => rule === "overflow"), `${rules}`);
  assertSound(full.events);
});

test("§4 a pinned result stays, whatever it costs; let go, it ages like the others", async () => {
  const long = () => "words and words ".repeat(250);
  const settings = ageing({ strategy: "age" });
  const start = await openHouse({
    tools: [tool("long", long)],
    replies: [],
    model: modelOf([{ call: "long" }, {}]),
    settings,
  });
  await start.ask("Read.");
  const pin = async (house: House, isPinned: boolean, question: string) => {
    await house.conversation.append({ type: "pinned", call: "t1c0", isPinned });
    await house.ask(question);
  };
  const model = modelOf([
    { call: "note" },
    { call: "note" },
    { call: "note" },
    { call: "note" },
    {},
    { call: "note" },
    {},
  ]);
  const house = await openHouse({
    tools: [tool("long", long), tool("note", () => "noted")],
    replies: [],
    model,
    settings,
    events: start.events,
    blobs: start.blobs,
  });
  await pin(house, true, "Go on.");
  assert.deepEqual(house.eventsOf("aged"), []);
  await pin(house, false, "And on.");
  assert.equal(house.eventsOf("aged")[0]?.decisions[0]?.call, "t1c0");
  assertSound(house.events);
});

test("§4 what the person had shortened stays short", async () => {
  const house = await session([{ call: "long" }, {}]);
  const message = house.conversation.history.messages.find(({ role }) => role === "tool") as ToolMessage;
  const handle = house.eventsOf("tool_result_stored")[0]?.handle ?? (`claim:${"1".repeat(32)}` as never);
  const sizes = { charsBefore: message.text.length, charsAfter: 5 };
  await house.conversation.append({
    type: "aged",
    turn: 3,
    strategy: "person",
    decisions: [{ call: message.call, handle, text: "[…]", level: 2, ...sizes }],
  });
  await house.ask("Again.");
  assert.equal(house.conversation.textOf(message.call), "[…]");
});

suite("prompt cache", () => {
  test("a request says what the one before it began with too, and which event made the first difference", async () => {
    const house = await session([...times(60, { call: "long" }), {}]);
    const requested = house.eventsOf("requested");
    let diverged = 0;
    requested.forEach(({ prefix, messages, n }, at) => {
      assert.ok(prefix);
      if (at === 0) {
        assert.deepEqual([prefix.messages, prefix.tokens, prefix.by], [-1, 0, null]); // there was none
        return;
      }
      const before = foldHistory(house.events.slice(0, requested[at - 1]?.n)).messages;
      const now = foldHistory(house.events.slice(0, n)).messages;
      const same = now.findIndex((message, i) => JSON.stringify(message) !== JSON.stringify(before[i]));
      assert.equal(prefix.messages, same, `turn ${at + 1}`);
      assert.equal(now.length, messages);
      if (same < before.length) {
        diverged++;
        assert.equal(house.events[prefix.by?.n ?? -1]?.type, "aged");
      } else assert.equal(prefix.by, null);
      const start = foldHistory(house.events.slice(0, n)).prefix;
      const bytes = Buffer.byteLength(
        start +
          now
            .slice(0, same)
            .map((message) => JSON.stringify(message))
            .join(""),
      );
      assert.equal(prefix.bytes, bytes);
      assert.ok(prefix.tokens <= prefix.totalTokens);
    });
    assert.ok(diverged > 3);
  });

  test("a session that goes on with other tools shares nothing with what was sent before", async () => {
    const first = await session([{ call: "note" }, {}]);
    const again = await openHouse({
      replies: [],
      model: modelOf([{}]),
      events: first.events,
      blobs: first.blobs,
    });
    await again.ask("Go on.");
    const { prefix } = again.eventsOf("requested").at(-1) ?? fail();
    assert.deepEqual([prefix?.messages, prefix?.tokens, prefix?.by?.type], [-1, 0, "configured"]);
  });

  test("reports that contradict the profile twice in a row make it unknown; one that fits makes it known again", async () => {
    const replies = (...cached: number[]) => [
      ...cached.map((cachedTokens) => ({ call: "read_file", cachedTokens })),
      {},
    ];
    const contradictions = async (...cached: number[]) =>
      (await session(replies(...cached))).conversation.history.cache.contradictions;
    assert.equal(await contradictions(0, 0, 0, 0), 1); // the first three are too small to be cached at all
    assert.equal(await contradictions(0, 0, 0, 0, 0, 0), 3);
    assert.equal(await contradictions(0, 0, 0, 0, 0, 9000), 0);
    const house = await session(replies(0, 0, 0, 0, 0, 0));
    assert.deepEqual(
      [house.conversation.cacheProfile.source, house.conversation.cacheProfile.prices],
      ["contradicted", null],
    );
  });
});
