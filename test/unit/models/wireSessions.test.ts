/** Sessions of our loop on the wire: wherever they end, whatever their ids are, both providers take what follows. */
import assert from "node:assert/strict";
import { type LoadedImages, withImages } from "../../../src/agent/images";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import type { ScriptReply } from "../../../src/models/script";
import { anthropicBody } from "../../../src/models/wire/anthropic";
import { openaiBody } from "../../../src/models/wire/openai";
import type { Digest } from "../../../src/schema/claim";
import type { Message } from "../../../src/schema/message";
import type { ChatRequest } from "../../../src/schema/model";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw } from "../../../src/schema/text";
import { type House, openHouse, tool, withClaimCheck } from "../../support/house";
import { part, returning, seeing } from "../../support/media";
import { linesOf, readOne } from "../../support/transcripts";
import { anthropicProblems, openaiProblems } from "../../support/wireCheckers";

const LONG_ID = `call_x__thought__${"a".repeat(1400)}`;
const AGE = { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" as const } };

const bodiesOf = (request: ChatRequest) => ({
  openai: openaiBody(request, { model: "m" }),
  anthropic: anthropicBody(request, {
    model: "m",
    maxTokens: 100,
    breakpoints: ["tools", "system", request.messages.length - 1],
  }),
});

function assertTaken(request: ChatRequest): void {
  const { openai, anthropic } = bodiesOf(request);
  assert.deepEqual(openaiProblems(openai), []);
  assert.deepEqual(anthropicProblems(anthropic), []);
}

const named = (name: string, id: string, given: Record<string, unknown> = {}) => ({
  name,
  id,
  arguments: given,
});
const REPLIES: readonly ScriptReply[] = [
  { say: "Reading.", calls: [named("look", "TaskOutput:79"), named("big", LONG_ID), named("nothing", "x")] },
  { calls: [named("edit", "x"), named("fails", "x", { other: true }), named("big", "x", { other: true })] },
  {
    calls: [
      { name: "look", arguments: "{broken" },
      named("edit", "TaskOutput:79"),
      named("gone", "web.fetch"),
    ],
  },
  { say: "\n", calls: [named("nothing", "TaskOutput:79"), named("nothing", "TaskOutput:79")] },
  { say: "That is all." },
];

async function richSession(): Promise<House> {
  const house = await openHouse({
    replies: REPLIES,
    model: seeing(REPLIES),
    tools: [
      returning("look", [
        [part("image/png", 900)],
        [part("image/jpeg", 901, 2), part("application/pdf", 50)],
      ]),
      tool("big", () => "A line.\r\n".repeat(1500), { class: "read" }),
      tool("nothing", () => " \n"),
      tool("fails", () => ({ kind: "failed", code: "no", text: asRaw("It failed.") })),
      tool("edit", () => "Edited.", { effect: "write" }),
    ],
    settings: AGE,
    blobs: new Map(),
  });
  assert.equal((await house.ask("Do it.")).end, "answered");
  for (const request of house.requests) assertTaken(request);
  return house;
}

test("P17 P13 a session that ends at any place of its log is taken by both providers, and each open call is answered under its id (livekit/agents#5092)", async () => {
  const house = await richSession();
  const loaded: LoadedImages = new Map([...house.media].map(([digest, bytes]) => [digest as Digest, bytes]));
  const { system, tools } = house.conversation.request;
  let synthetic = 0;
  for (let end = 1; end <= house.events.length; end++) {
    const { messages, pending } = foldHistory(house.events.slice(0, end));
    const paired = pair(messages, (call) => pending.get(call)).messages;
    for (const next of [paired, [...paired, { role: "user", text: "Go on." } as const]])
      assertTaken(withImages({ system, tools, messages: next }, loaded));
    const answers = new Map(paired.flatMap((one) => (one.role === "tool" ? [[one.call, one]] : [])));
    for (const message of paired) {
      if (message.role !== "assistant") continue;
      for (const { call, id } of message.calls) assert.equal(answers.get(call)?.id, id);
    }
    synthetic += paired.filter((one) => one.role === "tool" && one.text.startsWith("[interrupted:")).length;
  }
  assert.ok(house.events.length > 60 && synthetic > 60);
});

test("P17 a log that ends in a call with a colon in its id is gone on with, once and again, and the id stays what it is (MoonshotAI/kimi-code#269)", async () => {
  const replies: ScriptReply[] = [{ calls: [named("edit", "TaskOutput:79")] }, { say: "Done." }];
  const edit = tool("edit", () => "Edited.", { effect: "write" });
  const first = await openHouse({ replies, tools: [edit], blobs: new Map() });
  await first.ask("Do it.");
  const cut = first.events.findIndex(({ type }) => type === "executed"); // the terminal was closed while it ran
  let events = first.events.slice(0, cut);
  for (const question of ["Go on.", "And now?"]) {
    const again = await openHouse({ replies: [{ say: "Done." }], tools: [edit], events, blobs: new Map() });
    assert.equal((await again.ask(question)).end, "answered");
    const request = again.requests[0] ?? assert.fail();
    assertTaken(request);
    const [result, ...others] = request.messages.filter(({ role }) => role === "tool");
    assert.ok(result?.role === "tool" && others.length === 0);
    assert.equal(result.id, "TaskOutput:79");
    assert.match(result.text, /was started and its end is not known\. It may have run in part/);
    assert.equal(again.eventsOf("repaired").length, 1, "repaired once");
    events = again.events;
  }
});

test("P5 a kept tail that begins with a result loses the result, not the words beside it (anthropics/claude-code#18947)", async () => {
  const session = await readOne(
    linesOf(
      JSON.stringify([
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "of a call that was dropped" },
            { type: "text", text: "Now the other file." },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
      ]),
    ),
    "Anthropic messages",
  );
  const state = foldHistory(session.events);
  const lone: Message = {
    role: "tool",
    call: "t0c0",
    id: "toolu_1",
    name: "read",
    text: "r",
    isError: false,
  };
  for (const messages of [state.messages, [lone, ...state.messages]]) {
    const paired = pair(messages, () => undefined).messages;
    assert.deepEqual(
      paired.map(({ role, text }) => `${role}: ${text}`),
      ["user: Now the other file.", "assistant: Done."],
    );
    assertTaken({ system: "", tools: [], messages: paired as ChatRequest["messages"] });
  }
});

test("§0.4 a request begins with the bytes of the one before it, unless a decision fell due between them, and a result changes by a decision only (Tarquinen/opencode-dynamic-context-pruning#410, yvgude/lean-ctx#448)", async () => {
  const wait: ScriptReply = { calls: [{ name: "wait", arguments: {} }] };
  const read = (path: string): ScriptReply => ({ calls: [{ name: "read_file", arguments: { path } }] });
  const house = await openHouse({
    tools: [
      tool("read_file", () => "// a line of the source\n".repeat(160), { class: "read" }),
      tool("wait", () => ""),
    ],
    replies: [
      read("a.go"),
      wait,
      wait,
      read("b.go"),
      ...Array.from({ length: 16 }, () => wait),
      { say: "Done." },
    ],
    settings: { ...AGE, ...withClaimCheck({ slack: 0 }) },
    blobs: new Map(),
  });
  assert.equal((await house.ask("Read them.")).end, "answered");
  const decided = house.eventsOf("aged");
  const due = new Set(decided.map(({ turn }) => turn));
  let shared = 0;
  for (const [n, request] of house.requests.entries()) {
    const before = house.requests[n - 1];
    if (!before || due.has(n + 1)) continue;
    const plain = (one: ChatRequest) => [
      openaiBody(one, { model: "m" }),
      anthropicBody(one, { model: "m", maxTokens: 100, breakpoints: [] }),
    ];
    const bodies = plain(request);
    for (const [i, body] of plain(before).entries()) {
      assert.ok(bodies[i]?.startsWith(body.replace(/[\]}]*$/, "")), `request ${n + 1}`);
      shared++;
    }
  }
  assert.ok(due.size >= 3 && shared >= 20);
  const texts = new Map<string, string[]>();
  for (const { messages } of house.requests) {
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const seen = texts.get(message.call) ?? [];
      if (seen.at(-1) !== message.text) texts.set(message.call, [...seen, message.text]);
    }
  }
  for (const [call, seen] of texts) {
    const decisions = decided.flatMap((event) => event.decisions.filter((one) => one.call === call));
    assert.equal(seen.length, 1 + decisions.length, `${call} changed without a decision`);
  }
});
