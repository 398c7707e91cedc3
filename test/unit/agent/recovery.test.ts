/** CONFORMANCE §4, Overflow recovery: a request that the provider refuses because of its size is made smaller, step by step. */
import assert from "node:assert/strict";
import { isOverflow } from "../../../src/history/overflow";
import { projectSession } from "../../../src/inspector/project";
import { Failure } from "../../../src/schema/failure";
import type { ChatModel, ChatRequest } from "../../../src/schema/model";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { type HouseOptions, openHouse, tool, withClaimCheck } from "../../support/house";
import { imagesOf, part, returning, seeing } from "../../support/media";
import { assertSound } from "../../support/sound";

const sizeOf = ({ messages }: ChatRequest) => JSON.stringify(messages).length;

/** Takes no request of more than `limit` code units. Calls the tools in turn, then answers; `refusal` is what it says. */
function narrow(limit: number, calls: readonly string[], refusal = "prompt is too long"): ChatModel {
  let at = 0;
  return {
    info: {
      id: "narrow",
      name: "Narrow",
      maxInputTokens: null,
      abilities: { rawArguments: true, usage: false, cacheControl: false },
    },
    async *reply(request) {
      if (sizeOf(request) > limit) throw new Failure("model-failed", refusal);
      const name = calls[at++];
      if (name === undefined) yield { kind: "text", text: "Done." };
      else yield { kind: "call", id: `c${at}`, name, arguments: JSON.stringify({ path: `file${at}` }) };
    },
  };
}

const TOOLS = [
  tool("read", (args) => `${args} ${"words and words ".repeat(300)}`, { class: "read" }),
  tool("say", (args) => `${args} ${"said ".repeat(20)}`),
];
/** Large results stay inline, and nothing ages by itself. */
const SETTINGS: Partial<CoreSettings> = {
  maxTurns: 500,
  ...withClaimCheck({ thresholdChars: 100_000 }),
  ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" },
};

async function run(limit: number, calls: readonly string[], options: Partial<HouseOptions> = {}) {
  const house = await openHouse({
    tools: TOOLS,
    replies: [],
    model: narrow(limit, calls),
    settings: SETTINGS,
    blobs: new Map(),
    ...options,
  });
  const end = await house.ask("What do the files say?");
  assertSound(house.events);
  return { house, end };
}
const stepsOf = ({ house }: Awaited<ReturnType<typeof run>>) =>
  house.eventsOf("overflowed").map(({ step }) => step);

test("one step is enough: the results of earlier turns become lines, the last turn's stay whole", async () => {
  const { house, end } = await run(12_000, ["read", "read", "read", "read"]);
  assert.equal(end.end, "answered", end.message);
  const [first] = house.eventsOf("overflowed");
  assert.equal(first?.step, "age");
  assert.ok((first?.tokensAfter ?? 0) < (first?.tokensBefore ?? 0));
  const last = house.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  assert.equal(last.length, 4);
  assert.ok((last.at(-1)?.text.length ?? 0) > 4000, "the newest result is whole");
  assert.match(last[0]?.text ?? "", /shown earlier, now stored/);
});

test("budgets are halved first, where the last turn's results are what is too large", async () => {
  const large = tool("large", () => "x ".repeat(7500), { class: "read" }); // 15 000: within 20 000, over half of it
  const { house, end } = await run(12_000, ["large"], { tools: [large] });
  assert.equal(end.end, "answered", end.message);
  assert.deepEqual(
    house.eventsOf("overflowed").map(({ step }) => step),
    ["budgets"],
  );
  assert.equal(house.eventsOf("budgeted")[0]?.limit, "perResultChars");
});

test("P18 the oldest blocks go last, whole; the question, and the handles of what went, stay", async () => {
  const calls = [...Array<string>(3).fill("read"), ...Array<string>(60).fill("say")];
  const made = await run(9000, calls);
  assert.equal(made.end.end, "answered", made.end.message);
  assert.ok(stepsOf(made).includes("blocks"));
  const { house } = made;
  const pruned = house.eventsOf("pruned");
  assert.ok(pruned.length > 0);
  const after = house.requests.find(({ messages }) =>
    /earlier messages were removed/.test(messages[0]?.text ?? ""),
  );
  const [note, next] = after?.messages ?? [];
  assert.equal(note?.role, "user");
  assert.equal(next?.role, "assistant");
  assert.match(note?.text ?? "", /Absence below proves nothing/);
  assert.match(note?.text ?? "", /read file1: handle='claim:[0-9a-f]{32}'/);
  assert.ok(note?.text.endsWith("[The question they began with:]\nWhat do the files say?"));
  for (const { handle } of house.eventsOf("tool_result_stored"))
    assert.ok(house.conversation.context.ports.claims.find(handle));
  const view = projectSession(house.events);
  const notes = view?.turns.flatMap((turn) => turn.notes) ?? [];
  assert.ok(notes.some(({ text }) => /the model is not sent the first \d+ messages/.test(text)));
  assert.ok(view?.turns.some(({ recovery }) => recovery.length > 0));
});

test("P18 what left before is named, counted and asked again, however often the oldest blocks go", async () => {
  const calls = [...Array<string>(3).fill("read"), ...Array<string>(160).fill("say")];
  const { house, end } = await run(9000, calls);
  assert.equal(end.end, "answered", end.message);
  const pruned = house.eventsOf("pruned");
  assert.ok(pruned.length >= 3);
  for (const { messages } of house.requests)
    assert.equal(
      messages.filter(({ role, text }) => role === "user" && text.includes("What do the files say?")).length,
      1,
    );
  for (const { named } of pruned)
    for (const n of [1, 2, 3]) assert.ok(named.some(({ subject }) => subject === `file${n}`));
  const note = house.requests.at(-1)?.messages[0]?.text ?? "";
  assert.equal(note.match(/What do the files say\?/g)?.length, 1);
  assert.match(note, /read file1: handle='claim:[0-9a-f]{32}'/);
  const left = house.conversation.history.messages.length - 1; // without the note
  assert.ok(
    note.startsWith(`[${1 + 2 * calls.length + 1 - left} earlier messages were removed`),
    note.slice(0, 80),
  );
});

test("M13 a note that would be longer than what it stands for is not made", async () => {
  const question = "What? ".repeat(2000);
  const house = await openHouse({
    tools: TOOLS,
    replies: [],
    model: narrow(12_500, ["say", "say", "say"]),
    settings: SETTINGS,
    blobs: new Map(),
  });
  const end = await house.ask(question);
  assert.deepEqual([end.end, house.eventsOf("pruned").length], ["failed", 0]);
  assert.match(end.message, /nothing more of it can be shortened/);
  assertSound(house.events);
});

test("what no reply has followed yet is not old, however many requests failed since", async () => {
  for (const strategy of ["age", "cacheAware"] as const) {
    const inner = narrow(100_000, ["read"]);
    let asked = 0;
    const model: ChatModel = {
      ...inner,
      reply: (request, signal) => {
        if (++asked > 1 && asked < 8) throw new Failure("model-failed", "the connection was reset");
        return inner.reply(request, signal);
      },
    };
    const settings = {
      ...SETTINGS,
      ageing: {
        ...DEFAULT_SETTINGS.ageing,
        strategy,
        cacheProfiles: { narrow: { write: 1, read: 1, ttlSeconds: null } },
      },
    };
    const house = await openHouse({ tools: TOOLS, replies: [], model, settings, blobs: new Map() });
    for (let n = 0; n < 7; n++) await house.ask("Read.");
    assert.deepEqual(house.eventsOf("aged"), []);
    assert.ok(
      house.requests.at(-1)?.messages.some(({ role, text }) => role === "tool" && text.length > 4000),
    );
  }
});

test("an image that no reply has followed yet is not old, however often the person stopped", async () => {
  const replies = [{ calls: [{ name: "look", arguments: {} }] }, { say: "Done." }];
  const inner = seeing(replies);
  let stop = new AbortController();
  let asked = 0;
  const model: ChatModel = {
    ...inner,
    reply: (request, signal) => {
      if (++asked > 1 && asked < 8) stop.abort();
      return inner.reply(request, signal);
    },
  };
  const look = returning("look", [[part("image/png", 2000)]]);
  const settings = { ...SETTINGS, ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" as const } };
  const house = await openHouse({ tools: [look], replies, model, settings, blobs: new Map() });
  for (let n = 0; n < 7; n++) {
    stop = new AbortController();
    await house.ask("Look.", stop.signal);
  }
  assert.equal(imagesOf(house.requests[7] ?? assert.fail()).length, 1); // the first that was replied to

  assertSound(house.events);
});

test("the last turn's results are not lines after its request was refused", async () => {
  const { house, end } = await run(9000, ["read", "read"]);
  assert.equal(end.end, "answered", end.message);
  for (const { decisions } of house.eventsOf("aged"))
    assert.deepEqual(
      decisions.map(({ call }) => call),
      ["t1c0"],
    );
});

test("images are halved with the rest where a request is refused because of its size", async () => {
  const replies = [{ calls: [{ name: "look", arguments: {} }] }, { say: "Done." }];
  const inner = seeing(replies);
  const model: ChatModel = {
    ...inner,
    reply: (request, signal) => {
      if (imagesOf(request).reduce((sum, { bytes }) => sum + bytes.length, 0) > 5000)
        throw new Failure("model-failed", "413 Request Entity Too Large");
      return inner.reply(request, signal);
    },
  };
  const look = returning("look", [[1, 2, 3, 4].map((seed) => part("image/png", 2000, seed))]);
  const settings = { ...SETTINGS, budgets: { ...DEFAULT_SETTINGS.budgets, perTurnBytes: 10_000 } };
  const house = await openHouse({ tools: [look], replies, model, settings, blobs: new Map() });
  assert.equal((await house.ask("Look.")).end, "answered");
  assert.deepEqual(
    house.eventsOf("overflowed").map(({ step }) => step),
    ["budgets"],
  );
  assert.ok(imagesOf(house.requests.at(-1) ?? assert.fail()).length >= 2);
  assertSound(house.events);
});

test("M13 what cannot be made smaller ends the run, after at most one request for each step", async () => {
  const { house, end } = await run(3000, ["say"], { replies: [], model: narrow(10, []) });
  assert.equal(end.end, "failed");
  assert.match(end.message, /does not fit Narrow, and nothing more of it can be shortened/);
  assert.equal(house.requests.length, 1);
  assert.deepEqual(house.eventsOf("overflowed"), []);
});

test("a step that frees nothing is not recorded, and no request is sent for it", async () => {
  const made = await run(4000, ["read", "say", "say"]);
  for (const { tokensBefore, tokensAfter } of made.house.eventsOf("overflowed"))
    assert.ok(tokensAfter < tokensBefore);
  assert.equal(made.house.requests.length, made.house.eventsOf("requested").length);
});

test("after a reply the steps begin anew", async () => {
  const made = await run(12_000, ["read", "read", "read", "read", "read", "read", "read"]);
  assert.equal(made.end.end, "answered", made.end.message);
  assert.ok(stepsOf(made).filter((step) => step === "age").length >= 2);
  assert.ok(!stepsOf(made).includes("blocks"));
});

test("another failure is no overflow: nothing is cut, and the run ends with what the model said", async () => {
  const { house, end } = await run(10, [], {
    model: narrow(10, [], "429: rate limit: too many input tokens per minute"),
  });
  assert.deepEqual([end.end, house.eventsOf("overflowed").length, house.requests.length], ["failed", 0, 1]);
  assert.match(end.message, /per minute/);
});

test("a stop while recovering ends the run like any other", async () => {
  const stop = new AbortController();
  const house = await openHouse({
    tools: TOOLS,
    replies: [],
    model: narrow(12_000, ["read", "read", "read", "read"]),
    settings: SETTINGS,
    blobs: new Map(),
    onEvent: ({ type }) => type === "overflowed" && stop.abort(),
  });
  const end = await house.ask("Read.", stop.signal);
  assert.equal(end.end, "stopped");
  assertSound(house.events);
});

suite("what providers say of a request that is too large", () => {
  const REFUSED = [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "400 context_length_exceeded",
    "413 Request Entity Too Large",
    "HTTP 413",
    "status code: 413",
    "Error: 413 {}",
    "The model failed: 413 status code (no body). Continue the session to try again, or pick another model.",
    "request_too_large: Request exceeds the maximum size",
    "Request payload too large",
    "model_max_prompt_tokens_exceeded",
    "Input is too long for requested model.",
    "the request exceeds the available context size, try increasing it",
    "Please reduce the length of the messages or completion.",
    "This request exceeds the context window of the model.",
  ];
  const OTHER = [
    "Rate limit reached for requests: too many tokens per minute (TPM): Limit 30000",
    "429 Too Many Requests",
    "You exceeded your current quota",
    "Invalid API key",
    "The model is overloaded. Try again later.",
    "max_tokens is too large: 64000. This model supports at most 8192 completion tokens",
    "Connection reset",
    "Unexpected token < in JSON at position 413",
    "request 413-aa91 timed out after 30 s",
  ];
  for (const text of REFUSED) test(`too large: ${text}`, () => assert.ok(isOverflow(text)));
  for (const text of OTHER) test(`something else: ${text}`, () => assert.ok(!isOverflow(text)));
});
