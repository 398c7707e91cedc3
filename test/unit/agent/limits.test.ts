/** CONFORMANCE §5 through the whole loop: what the tool received, what the receipt says, what the model reads next. */
import assert from "node:assert/strict";
import { projectSession } from "../../../src/inspector/project";
import type { LimitMode } from "../../../src/schema/policy";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { type HouseOptions, hash, openHouse, tool } from "../../support/house";

const ASKED = '{"query":"open","limit":500}';
const CLAMPED = '{"query":"open","limit":10}';

/** A search of 500 in `mode`; the fake tool keeps the bytes it received and returns as many rows. */
async function search(mode: LimitMode, options: Partial<HouseOptions> = {}, name = "search_text") {
  const received: string[] = [];
  const body = (args: string) => {
    received.push(args);
    const rows = Array.from({ length: JSON.parse(args).limit }, (_, i) => `a.ts:${i}: open`);
    return { kind: "ok" as const, text: rows.join("\n") as never, items: rows.length };
  };
  const house = await openHouse({
    tools: [tool(name, body, { class: "list" })],
    replies: [{ calls: [{ name, arguments: ASKED }] }, { say: "Done." }],
    settings: { limits: { mode, hardMaximum: null } },
    ...options,
  });
  assert.equal((await house.ask("Find it.")).end, "answered");
  const result = house.requests[1]?.messages.find(({ role }) => role === "tool");
  const [receipt] = receiptsFrom(house.events).values();
  assert.deepEqual(projectSession(house.events)?.turns[0]?.calls[0]?.receipt, receipt);
  assert.equal(receipt?.original_args_sha256, hash(ASKED));
  return { house, received, receipt, shown: result?.role === "tool" ? result.text : "" };
}

const change = { path: "/limit", from: 500, to: 10, dimension: "items" };

test("§5 enforce: the tool received 10 of 500 and returned 10 rows; receipt and disclosure say so", async () => {
  const { received, receipt, shown, house } = await search("enforce");
  assert.deepEqual(received, [CLAMPED]);
  assert.deepEqual([receipt?.decision, receipt?.reason], ["clamp", "requested_items_above_policy_maximum"]);
  assert.deepEqual([receipt?.changes, receipt?.proposed_changes], [[change], []]);
  assert.equal(receipt?.effective_args_sha256, hash(CLAMPED));
  assert.deepEqual([receipt?.actual?.items, receipt?.actual?.bytes], [10, 129]);
  assert.deepEqual(receipt?.continuation, { kind: "offset", available: true });
  assert.ok(
    shown.endsWith(
      "\n\n[limit lowered from 500 to 10 by policy; later items were not requested. Continue with offset=10, limit=10.]",
    ),
  );
  const asked = house.requests[1]?.messages.find(({ role }) => role === "assistant");
  assert.equal(asked?.role === "assistant" && asked.calls[0]?.arguments, ASKED); // the model's words stay its own
});

test("§5 observe: the tool received 500 and a proposal exists", async () => {
  const { received, receipt, shown } = await search("observe");
  assert.deepEqual(received, [ASKED]);
  assert.deepEqual([receipt?.decision, receipt?.reason, receipt?.mode], ["pass", "observe_only", "observe"]);
  assert.deepEqual([receipt?.changes, receipt?.proposed_changes], [[], [change]]);
  assert.equal(receipt?.effective_args_sha256, hash(ASKED));
  assert.equal(receipt?.actual?.items, 500);
  assert.ok(!shown.includes("by policy"));
});

test("§5 off, an intent of the user and an unknown tool pass as the model wrote them", async () => {
  const cases: [Awaited<ReturnType<typeof search>>, string][] = [
    [await search("off"), "mode_off"],
    [await search("enforce", { intent: "exhaustive" }), "structured_intent"],
    [await search("enforce", { intent: "exact_count" }), "structured_intent"],
    [await search("enforce", {}, "search_elsewhere"), "unknown_tool_contract"],
  ];
  for (const [{ received, receipt, shown }, reason] of cases) {
    assert.deepEqual(received, [ASKED], reason);
    assert.deepEqual([receipt?.decision, receipt?.reason], ["pass", reason]);
    assert.deepEqual([receipt?.changes, receipt?.proposed_changes], [[], []]);
    assert.equal(receipt?.effective_args_sha256, hash(ASKED));
    assert.ok(!shown.includes("by policy"));
  }
});

test("§5 a hard maximum binds even an intent", async () => {
  const settings = { limits: { mode: "enforce" as const, hardMaximum: 100 } };
  const { received, receipt } = await search("enforce", { intent: "export", settings });
  assert.deepEqual(received, ['{"query":"open","limit":100}']);
  assert.equal(receipt?.reason, "hard_maximum");
});

test("§5 a denied call stays denied: clamped or not, it never reaches its tool", async () => {
  const received: string[] = [];
  const house = await openHouse({
    tools: [tool("run_command", (args) => `${received.push(args)}`, { class: "execute", effect: "execute" })],
    replies: [{ calls: [{ name: "run_command", arguments: { command: "x" } }] }, { say: "Done." }],
    answer: () => ({ granted: false, by: "user", reason: "The user said no." }),
  });
  assert.equal((await house.ask("Run it.")).end, "answered");
  assert.deepEqual(received, []);
  const [receipt] = receiptsFrom(house.events).values();
  assert.deepEqual(
    [receipt?.decision, receipt?.reason, receipt?.actual],
    ["deny", "The user said no.", null],
  );
  const denied = house.eventsOf("remembered")[0];
  assert.deepEqual([denied?.shown, denied?.isError], ["refusal", true]);
  assert.match(denied?.text ?? "", /^denied: The user said no\./);

  // Clamped: a contract lowers the count of a tool that this agent does not have.
  const without = await openHouse({
    settings: { limits: { mode: "enforce", hardMaximum: null } },
    replies: [{ calls: [{ name: "search_text", arguments: { query: "x", limit: 500 } }] }, { say: "Done." }],
  });
  assert.equal((await without.ask("Search.")).end, "answered");
  const [clamped] = without.eventsOf("clamped");
  assert.deepEqual([clamped?.proposal.decision, clamped?.proposal.changes[0]?.to], ["clamp", 10]);
  const [refused] = receiptsFrom(without.events).values();
  assert.deepEqual([refused?.decision, refused?.reason, refused?.actual], ["deny", "unknown_tool", null]);
  assert.deepEqual(without.eventsOf("executed"), []);
});

test("§5 doubt closes: no tool, no trust, no preview, a preview that fails, an invalid call", async () => {
  const command = (change: object) => ({
    ...tool("t", () => assert.fail("it ran"), { effect: "execute" }),
    ...change,
  });
  const refused: [string, Partial<HouseOptions>][] = [
    ["unknown_tool", { tools: [] }],
    ["untrusted_workspace", { tools: [command({})], isTrusted: false }],
    ["no_preview", { tools: [command({ preview: undefined })] }],
    ["preview_failed", { tools: [command({ preview: () => Promise.reject(new Error("EACCES")) })] }],
    [
      "no_such_file",
      { tools: [command({ preview: async () => ({ kind: "invalid", code: "no_such_file", text: "x" }) })] },
    ],
  ];
  for (const [code, options] of refused) {
    const replies = [{ calls: [{ name: "t", arguments: {} }] }, { say: "Done." }];
    const house = await openHouse({ replies, ...options });
    assert.equal((await house.ask("Run it.")).end, "answered", code);
    assert.deepEqual([house.questions.length, house.eventsOf("executed").length], [0, 0], code);
    const authorised = house.eventsOf("authorised")[0];
    assert.deepEqual([authorised?.granted, authorised?.by, authorised?.reason], [false, "check", code]);
    assert.equal(house.eventsOf("remembered")[0]?.text.startsWith(`${code}: `), true);
  }
});

test("§5 actuals are measured: a count that is none is not recorded", async () => {
  for (const items of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const body = () => ({ kind: "ok" as const, text: "row" as never, items });
    const house = await openHouse({
      tools: [tool("t", body)],
      replies: [{ calls: [{ name: "t", arguments: {} }] }, { say: "Done." }],
    });
    await house.ask("Go.");
    assert.equal(house.eventsOf("measured")[0]?.items, null);
  }
});
