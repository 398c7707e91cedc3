/** CONFORMANCE P17: however a run ends, its batch is closed, its log says why, and what finished is kept. */
import assert from "node:assert/strict";
import { BOUNDARY_MAXIMUM_BYTES } from "../../../src/agent/boundary";
import { requestText } from "../../../src/history/requestText";
import type { Logged } from "../../../src/schema/event";
import { Failure } from "../../../src/schema/failure";
import type { ChatModel, ReplyPart } from "../../../src/schema/model";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw } from "../../../src/schema/text";
import type { Tool } from "../../../src/schema/tool";
import { type HouseOptions, hash, openHouse, tool, withClaimCheck } from "../../support/house";
import { problemOf } from "../../support/pictures";
import { assertSound, reread } from "../../support/sound";

type House = Awaited<ReturnType<typeof openHouse>>;

const never = () => new Promise<never>(() => undefined);
const info: ChatModel["info"] = {
  id: "m",
  name: "M",
  maxInputTokens: null,
  abilities: { rawArguments: true, usage: true, cacheControl: false },
};
const call = (name: string, id = "", given = "{}"): ReplyPart => ({
  kind: "call",
  id,
  name,
  arguments: given,
});
const text = (words: string): ReplyPart => ({ kind: "text", text: words });

/** A model that yields these parts, in one reply after another; a function among them may wait or throw. */
function modelOf(...replies: readonly (ReplyPart | (() => unknown))[][]): ChatModel {
  let turn = 0;
  return {
    info,
    async *reply() {
      for (const part of replies[Math.min(turn++, replies.length - 1)] ?? []) {
        if (typeof part === "function") await part();
        else yield part;
      }
    },
  };
}

const ANSWER = [text("Done.")];

/** Never comes back, whatever happens; the stop comes while it is waited for. */
const hangAnd = (stop: () => void) => () => {
  setTimeout(stop, 5);
  return never();
};

/** `value`, at the moment of the stop. */
function stopped<T>(stop: () => void, value: T): T {
  stop();
  return value;
}

/** Runs until `stopAt` says so, then goes on with a new question; both histories must be valid. */
async function interrupted(
  options: Partial<HouseOptions>,
  stopAt?: (stop: () => void) => Partial<HouseOptions>,
) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const house = await openHouse({ replies: [], ...options, ...stopAt?.(stop) });
  const end = await house.ask("Do it.", controller.signal);
  assert.deepEqual(
    [house.events.at(-1)?.type, house.eventsOf("run_ended").at(-1)?.end],
    ["run_ended", end.end],
  );
  assert.equal(problemOf(house.conversation.history.messages), null);
  assert.deepEqual(house.conversation.history.pending, new Map());
  assert.ok(house.syncs() > 0);
  await goesOn(house.events, house.blobs);
  return { house, end };
}

/** Another window takes the session up from its log: valid requests, nothing of the log rewritten. */
async function goesOn(events: readonly Logged[], blobs: House["blobs"]): Promise<House> {
  const house = await openHouse({ replies: [], model: modelOf(ANSWER), events, blobs });
  assert.equal((await house.ask("Go on.")).end, "answered");
  assert.deepEqual(house.events.slice(0, events.length), events);
  assertSound(house.events);
  return house;
}

/** The results in the history, as `call: text`, synthetic ones by what they say of the call. */
const results = ({ house }: { house: House }) =>
  house.conversation.history.messages.flatMap((message) => {
    if (message.role !== "tool") return [];
    const synthetic = /^\[interrupted: this call (was never started|was started|ran)/.exec(message.text)?.[1];
    return [`${message.call}: ${synthetic ?? message.text}`];
  });

const writes = (name: string, body: Parameters<typeof tool>[1]) => tool(name, body, { effect: "write" });

test("P17 stop while the model has not said anything, and ignores the stop", async () => {
  const run = await interrupted({}, (stop) => ({ model: modelOf([hangAnd(stop)]) }));
  assert.equal(run.end.end, "stopped");
  assert.deepEqual(
    run.house.eventsOf("replied").map(({ end, text }) => [end, text]),
    [["stopped", ""]],
  );
});

test("P17 stop in the middle of a reply keeps the text so far and whole calls, which never started", async () => {
  const ran: string[] = [];
  const run = await interrupted({ tools: [tool("t", () => `${ran.push("t")}`)] }, (stop) => ({
    model: modelOf([text("I will "), call("t", "a"), hangAnd(stop), call("t", "b")]),
  }));
  assert.equal(run.end.end, "stopped");
  const replied = run.house.eventsOf("replied")[0];
  assert.deepEqual(
    [replied?.text, replied?.calls.map(({ id }) => id), replied?.end],
    ["I will ", ["a"], "stopped"],
  );
  assert.deepEqual([results(run), ran], [["t1c0: was never started"], []]);
});

test("P17 stop before the run: nothing is asked", async () => {
  const run = await interrupted({ model: modelOf(ANSWER) }, (stop) => stopped(stop, {}));
  assert.deepEqual([run.end.end, run.house.requests.length], ["stopped", 0]);
});

test("P17 stop while a tool runs: what it still returns is its result", async () => {
  const run = await interrupted({ model: modelOf([call("t")], ANSWER) }, (stop) => ({
    tools: [
      tool("t", (_, signal) => {
        setTimeout(stop, 5);
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve("so far")));
      }),
    ],
  }));
  assert.deepEqual([run.end.end, results(run)], ["stopped", ["t1c0: so far"]]);
});

test("P17 stop while a tool runs that ignores it: it is left behind, and may have run in part", async () => {
  for (const effect of ["read", "write", "execute"] as const) {
    const run = await interrupted({ model: modelOf([call("t")], ANSWER) }, (stop) => ({
      tools: [tool("t", hangAnd(stop), { effect })],
    }));
    assert.deepEqual([run.end.end, results(run)], ["stopped", ["t1c0: was started"]]);
    assert.equal(run.house.eventsOf("executed").length, 0);
  }
});

test("P17 stop while the person is asked: the call never started, whether or not the question is withdrawn", async () => {
  const ran: string[] = [];
  for (const isWithdrawn of [true, false]) {
    const run = await interrupted({ model: modelOf([call("w")], ANSWER) }, (stop) => ({
      tools: [writes("w", () => `${ran.push("w")}`)],
      answer: async () => {
        stop();
        return isWithdrawn ? { granted: false, by: "rule", reason: "The session was stopped." } : never();
      },
    }));
    assert.equal(run.end.end, "stopped");
    assert.match(results(run)[0] ?? "", isWithdrawn ? /^t1c0: denied/ : /^t1c0: was never started$/);
    assert.equal(run.house.eventsOf("executed").length, 0);
  }
  assert.deepEqual(ran, []);
});

test("P17 an allowance that comes with the stop starts nothing", async () => {
  const ran: string[] = [];
  const run = await interrupted({ model: modelOf([call("w")], ANSWER) }, (stop) => ({
    tools: [writes("w", () => `${ran.push("w")}`)],
    answer: () => stopped(stop, { granted: true, by: "user" as const, reason: "allowed once" }),
  }));
  assert.deepEqual([ran, results(run)], [[], ["t1c0: was never started"]]);
});

test("P17 a preview that ignores the stop is left behind", async () => {
  const run = await interrupted({ model: modelOf([call("w")], ANSWER) }, (stop) => ({
    tools: [{ ...writes("w", () => assert.fail("it ran")), preview: hangAnd(stop) }],
  }));
  assert.deepEqual([run.end.end, results(run)], ["stopped", ["t1c0: was never started"]]);
});

test("P17 stop in the first of three: it keeps its result, the others never started", async () => {
  const run = await interrupted(
    { model: modelOf([call("w", "a"), call("w", "b", "[]"), call("r", "c")], ANSWER) },
    (stop) => ({
      tools: [writes("w", () => stopped(stop, "first")), tool("r", () => "read")],
    }),
  );
  assert.equal(run.end.end, "stopped");
  assert.deepEqual(results(run), ["t1c0: first", "t1c1: was never started", "t1c2: was never started"]);
  assert.equal(run.house.eventsOf("clamped").length, 1);
});

test("P17 stop among reads that run side by side: the finished ones keep their results", async () => {
  const run = await interrupted(
    { model: modelOf([call("slow", "a"), call("fast", "b"), call("fast", "c")], ANSWER) },
    (stop) => ({
      tools: [tool("slow", hangAnd(stop)), tool("fast", () => "quick")],
    }),
  );
  assert.deepEqual(results(run), ["t1c0: was started", "t1c1: quick", "t1c2: quick"]);
});

test("P17 a run ends only when every sibling has come to its end: a result on its way to the disk is kept", async () => {
  const controller = new AbortController();
  const big = (_: string, signal: AbortSignal) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("x".repeat(6000))));
  const house = await openHouse({
    replies: [],
    model: modelOf([call("slow", "a"), call("big", "b")], ANSWER),
    tools: [
      tool(
        "slow",
        hangAnd(() => controller.abort()),
      ),
      tool("big", big),
    ],
  });
  const { claims } = house.conversation.context.ports;
  const put = claims.put;
  claims.put = async (text) => {
    await new Promise((resolve) => setTimeout(resolve, 40));
    return put(text);
  };
  assert.equal((await house.ask("Do it.", controller.signal)).end, "stopped");
  assert.deepEqual(
    house.eventsOf("remembered").map((event) => [event.call, event.shown]),
    [["t1c1", "ticket"]],
  );
  assert.equal(house.events.at(-1)?.type, "run_ended");
  assertSound(house.events);
});

test("parallel results stand in the order of their calls, whoever finished first", async () => {
  const after = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve(`${ms}`), ms));
  const { house } = await interrupted({
    model: modelOf([call("t", "a", "20"), call("t", "b", "1"), call("t", "c", "10")], ANSWER),
    tools: [tool("t", (args) => after(Number(args)))],
  });
  assert.deepEqual(results({ house }), ["t1c0: 20", "t1c1: 1", "t1c2: 10"]);
  assert.deepEqual(
    house.eventsOf("remembered").map((event) => event.call),
    ["t1c1", "t1c2", "t1c0"],
  );
});

test("P17 the model fails: before it says anything, in the middle, with calls in hand", async () => {
  const fail = () => {
    throw new Failure("model-failed", "No quota left. Pick another model.");
  };
  for (const parts of [[fail], [text("I "), fail], [text("I "), call("t"), fail]]) {
    const run = await interrupted({ tools: [tool("t", () => assert.fail("it ran"))], model: modelOf(parts) });
    assert.deepEqual(run.end, { end: "failed", message: "No quota left. Pick another model." });
    assert.equal(run.house.eventsOf("replied")[0]?.error, "No quota left. Pick another model.");
  }
  const run = await interrupted({ model: modelOf([() => Promise.reject("a string")]) });
  assert.match(run.end.message, /^The model failed: a string\. Continue the session/);
});

test("P17 usage that is none is not recorded: the log could not be read back", async () => {
  const usage = { inputTokens: 1.5, outputTokens: -1, cachedTokens: null };
  const { house } = await interrupted({ model: modelOf([{ kind: "usage", usage }, ...ANSWER]) });
  assert.equal(house.eventsOf("replied")[0]?.usage, null);
});

test("P17 a tool that throws, at once or later, anything, is a failed call; its siblings and the run go on", async () => {
  const thrown: [string, Tool["run"]][] = [
    ["later", () => Promise.reject(new Error("EPERM"))],
    ["a string", () => Promise.reject("EPERM")],
    [
      "at once",
      () => {
        throw new Error("EPERM");
      },
    ],
  ];
  for (const [name, run] of thrown) {
    const bad = { ...tool("bad", () => ""), run };
    const result = await interrupted({
      tools: [bad, tool("good", () => "fine")],
      model: modelOf([call("bad"), call("good"), call("good", "", "[]")], ANSWER),
    });
    assert.equal(result.end.end, "answered", name);
    assert.deepEqual(results(result), ["t1c0: The tool failed: EPERM", "t1c1: fine", "t1c2: fine"]);
    assert.equal(result.house.eventsOf("executed").find(({ call }) => call === "t1c0")?.code, "tool_threw");
  }
});

test("P17 a log that takes no more ends the run; what it has is valid", async () => {
  const whole = await richSession();
  for (const limit of [3, 5, 8, 12, 20]) {
    const blobs = new Map();
    const house = await openHouse({ ...RICH, blobs });
    const { context } = house.conversation;
    const append = context.ports.log.append.bind(context.ports.log);
    let left = limit;
    house.conversation.append = async (event) => {
      if (left-- <= 0)
        throw new Failure("log-unwritable", "The disk is full. Free some space, then continue.");
      return append(event);
    };
    const end = await house.ask("Do it.");
    assert.deepEqual(end, { end: "failed", message: "The disk is full. Free some space, then continue." });
    await goesOn([...house.events], blobs);
  }
  assert.ok(whole.events.length > 40);
});

test("P17 too many turns end with the next step, and the session goes on", async () => {
  const settings = { maxTurns: 3 };
  const run = await interrupted({ tools: [tool("t", () => "again")], model: modelOf([call("t")]), settings });
  assert.equal(run.end.end, "turn_limit");
  assert.match(run.end.message, /cloakroom\.maxTurns/);
});

test("P7 a copy of a call within one reply runs once; another call under its id runs too", async () => {
  const ran: string[] = [];
  const run = await interrupted({
    tools: [writes("w", (args) => `${ran.push(args)}`)],
    model: modelOf([call("w", "x", '{"a":1}'), call("w", "x", '{"a":1}'), call("w", "x", '{"a":2}')], ANSWER),
  });
  assert.equal(run.end.end, "answered");
  assert.deepEqual(ran, ['{"a":1}', '{"a":2}']);
  assert.deepEqual(results(run), ["t1c0: 1", "t1c2: 2"]);
});

test("§0.1 a result that is too large is refused, and never stored", async () => {
  const body = () => ({ kind: "ok" as const, text: asRaw("é".repeat(BOUNDARY_MAXIMUM_BYTES / 2 + 1)) });
  const { house } = await interrupted({ tools: [tool("t", body)], model: modelOf([call("t")], ANSWER) });
  assert.equal(house.puts(), 0);
  assert.match(house.eventsOf("redacted")[0]?.refused ?? "", /larger than 64 MB/);
  assert.match(house.eventsOf("remembered")[0]?.text ?? "", /refused and not kept/);
});

/** A session with everything in it: parallel reads, a ticket, a window, a refusal, a write, a denial, ageing, a budget. */
const RICH: HouseOptions = {
  replies: [
    {
      say: "Reading.",
      calls: [
        { name: "big", arguments: { n: 1 } },
        { name: "small", arguments: {} },
        { name: "big", arguments: { n: 2 } },
      ],
    },
    {
      calls: [
        { name: "fetch_result", arguments: { handle: "{{handle:big}}", offset: 4096 } },
        { name: "fetch_result", arguments: { handle: "claim:no" } },
      ],
    },
    {
      calls: [
        { name: "edit", arguments: {}, id: "x" },
        { name: "refused", arguments: {}, id: "x" },
      ],
    },
    {
      calls: [
        { name: "huge", arguments: {} },
        { name: "fails", arguments: {} },
      ],
    },
    {
      say: "Looking again.",
      calls: [
        { name: "small", arguments: {} },
        { name: "nothing", arguments: {} },
      ],
    },
    { say: "That is all." },
  ],
  tools: [
    tool("big", (args) => `${args} ${"word ".repeat(1800)}`, { class: "read" }),
    tool("small", () => "s".repeat(3500)),
    tool("huge", () => "h".repeat(24_000), { class: "read" }),
    tool("fails", () => ({ kind: "failed", code: "no", text: asRaw("It failed.") })),
    writes("edit", () => "Edited."),
    writes("refused", () => assert.fail("it ran")),
  ],
  answer: ({ tool: { name } }) => ({ granted: name === "edit", by: "user", reason: "So I decided." }),
  settings: {
    ...withClaimCheck({ perTool: { huge: { thresholdChars: 30_000, headChars: 500 } } }),
    ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" },
  },
};

async function richSession(): Promise<House> {
  const house = await openHouse({ ...RICH, blobs: new Map() });
  assert.equal((await house.ask("Do it.")).end, "answered");
  const kinds = new Set(house.events.map(({ type }) => type));
  for (const type of [
    "tool_result_stored",
    "redeemed",
    "redemption_refused",
    "repaired",
    "aged",
    "budgeted",
  ] as const)
    assert.ok(kinds.has(type), `the session has ${type}`);
  assertSound(house.events);
  return house;
}

test("P17 the host ends at any place of the log: the next request is valid, and no finished result is lost", async () => {
  const whole = await richSession();
  for (let end = 1; end <= whole.events.length; end++) {
    const prefix = whole.events.slice(0, end);
    const stored = prefix.flatMap((event) => (event.type === "tool_result_stored" ? [event] : []));
    const blobs = new Map(stored.map(({ sha256 }) => [sha256, whole.blobs.get(sha256) ?? assert.fail()]));
    const house = await goesOn(prefix, blobs as House["blobs"]);
    const sent = house.requests[0]?.messages ?? [];
    assert.equal(problemOf(sent), null);
    const shown = new Map(
      sent.flatMap((message) => (message.role === "tool" ? [[message.call, message.text]] : [])),
    );
    const pruned = new Set(
      house
        .eventsOf("repaired")
        .flatMap(({ repairs }) =>
          repairs.filter(({ kind }) => kind === "call_duplicated").map(({ call }) => call),
        ),
    );
    for (const event of prefix) {
      if (event.type === "remembered" && !pruned.has(event.call)) {
        const text = shown.get(event.call) ?? "";
        const later = text.includes("claim:") && text !== event.text; // shortened since, with its handle
        assert.ok(text === event.text || later, `${end}: the result of ${event.call} was lost`);
      }
      const isWhole = (text: string) =>
        whole.events.some((e) => e.type === "remembered" && e.shown === "inline" && e.text === text);
      if (
        event.type === "tool_result_stored" &&
        !isWhole(shown.get(event.call) ?? "") &&
        !shown.get(event.call)?.includes(event.handle)
      )
        assert.fail(`${end}: the stored result of ${event.call} cannot be reached`);
      if (event.type === "replied")
        for (const { call } of event.calls) assert.ok(shown.has(call), `${end}: ${call}`);
    }
    for (const { sha256 } of stored) assert.equal(hash(house.blobs.get(sha256) ?? ""), sha256);
  }
});

test("resuming: every request of a log is rebuilt, byte for byte, from what stands before it", async () => {
  const { events, conversation } = await richSession();
  for (const event of events) {
    if (event.type !== "requested") continue;
    const resumed = await openHouse({ ...RICH, events: reread(events.slice(0, event.n)), blobs: new Map() });
    const { system, tools, messages } = resumed.conversation.request;
    assert.equal(hash(requestText({ system, tools, messages })), event.sha256);
  }
  assert.equal(problemOf(conversation.history.messages), null);
});
