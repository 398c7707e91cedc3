/** Seed 003: the minimal working spine, and the acceptance invariants that take the whole loop. The others are named so in test/unit/thimble. */
import assert from "node:assert/strict";
import { recordedQuestion } from "../../../src/agent/question";
import type { Intent, LimitMode } from "../../../src/schema/policy";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import type { Tool, ToolPreview } from "../../../src/schema/tool";
import { BUILTIN_ARTIFACT, builtinPolicy } from "../../../src/thimble/builtin";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { replayFrom } from "../../../src/thimble/replay";
import { type HouseOptions, hash, openHouse, tool } from "../../support/house";

const ASKED = '{"query":"x","limit":500}';

type Setup = {
  mode?: LimitMode;
  name?: string;
  args?: string;
  intent?: Intent;
  tools?: Tool[];
} & Partial<HouseOptions>;

const recording = (received: string[]) => (text: string) => {
  received.push(text);
  return "rows";
};

/** One call through the loop, as the tool received it. */
async function run({
  mode = "enforce",
  name = "search_text",
  args = ASKED,
  intent,
  tools,
  ...more
}: Setup = {}) {
  const received: string[] = [];
  const house = await openHouse({
    tools: tools ?? ["search_text", "elsewhere"].map((called) => tool(called, recording(received))),
    replies: [{ calls: [{ name, arguments: args }] }, { say: "Done." }],
    settings: { limits: { mode, hardMaximum: null } },
    policy: BUILTIN_ARTIFACT,
    ...(intent && { intent }),
    ...more,
  });
  await house.ask("Go.");
  const [receipt] = receiptsFrom(house.events).values();
  return { ...house, received, receipt: receipt ?? assert.fail("no receipt") };
}

test("spine 1: one versioned built-in policy with a read-only tool contract", () => {
  const { identity, contracts } = builtinPolicy(hash);
  assert.match(identity.version, /^\d+\.\d+\.\d+$/);
  assert.ok(
    contracts.get("search_text")?.every(({ isValid, contract }) => isValid && contract.read_only === true),
  );
});

test("spine 2, No extra model call: 500 becomes 10 before the call runs, and the model is asked no more often", async () => {
  const [lowered, asWritten] = [await run(), await run({ mode: "off" })];
  assert.deepEqual(lowered.received, ['{"query":"x","limit":10}']);
  assert.equal(lowered.requests.length, asWritten.requests.length);
  assert.equal(lowered.receipt.model_round_trips, 0);
});

test("spine 3: one receipt with the digests of both, the change, and the policy's identity", async () => {
  const { receipt } = await run();
  const { name, version, sha256, rulesSha256 } = builtinPolicy(hash).identity;
  assert.deepEqual(
    [receipt.original_args_sha256, receipt.effective_args_sha256],
    [hash(ASKED), hash('{"query":"x","limit":10}')],
  );
  assert.deepEqual(receipt.changes, [{ path: "/limit", from: 500, to: 10, dimension: "items" }]);
  assert.deepEqual(receipt.policy, { name, version, sha256, rules_sha256: rulesSha256 });
});

test("spine 4: enforce, the tool observed 10; observe, it observed 500 and a proposal stands", async () => {
  assert.deepEqual((await run()).received, ['{"query":"x","limit":10}']);
  const { received, receipt } = await run({ mode: "observe" });
  assert.deepEqual(received, [ASKED]);
  assert.deepEqual([receipt.decision, receipt.proposed_changes[0]?.to], ["pass", 10]);
});

test("spine 5: negative witnesses, exhaustive intent and an unknown tool or argument", async () => {
  const intent = await run({ intent: "exhaustive" });
  assert.deepEqual([intent.received, intent.receipt.reason], [[ASKED], "structured_intent"]);
  const unknown = await run({ name: "elsewhere" });
  assert.deepEqual([unknown.received, unknown.receipt.reason], [[ASKED], "unknown_tool_contract"]);
  const other = '{"query":"x","max":500}';
  const argument = await run({ args: other });
  assert.deepEqual([argument.received, argument.receipt.reason], [[other], "argument_missing"]);
});

/** A tool that has to be asked for, sensitive by its count as written. */
function askedTool(received: string[]): Tool {
  const made = tool("search_text", recording(received), {
    effect: "read",
    reach: "outside",
  });
  const origin = {
    ...{
      configured: "s",
      server: "s",
      version: "1",
      tool: "search_text",
      schemaSha256: "0",
      listingSha256: "1",
    },
    hints: { readOnlyHint: true },
  };
  const preview = async (text: string): Promise<ToolPreview> => ({
    ...{ kind: "call", server: "s", tool: "search_text", arguments: text },
    sensitive: text.includes("500"),
  });
  return { ...made, spec: { ...made.spec, origin }, preview };
}

test("Authority preservation: a denied call stays denied, and what had to be asked of the original is asked of the lowered one", async () => {
  const received: string[] = [];
  const contract = { ...BUILTIN_ARTIFACT.contracts[0], server: "s" };
  const policy = { ...BUILTIN_ARTIFACT, contracts: [contract] } as typeof BUILTIN_ARTIFACT;
  const denied = await run({
    tools: [askedTool(received)],
    policy,
    answer: () => ({ granted: false, by: "user", reason: "No." }),
  });
  assert.deepEqual([received, denied.receipt.decision, denied.receipt.changes.length], [[], "deny", 1]);
  assert.deepEqual(
    denied.questions.map(({ alwaysAsk, because }) => [alwaysAsk, because]),
    [[true, "sensitive"]],
  );
  const allowed = await run({ tools: [askedTool(received)], policy });
  assert.deepEqual([received, allowed.receipt.decision], [['{"query":"x","limit":10}'], "clamp"]);
});

test("Replay fidelity: a replay decides by the pinned policy or says that it cannot", async () => {
  const { events } = await run();
  const ports = { hash, questionOf: recordedQuestion };
  assert.equal(replayFrom(events, ports, null).outcome, "identical");
  const later = events.map((event) =>
    event.type === "configured" ? { ...event, policy: { ...event.policy, version: "2.0.0" } } : event,
  );
  assert.notEqual(replayFrom(later, ports, null).outcome, "identical");
  assert.equal(DEFAULT_SETTINGS.limits.mode, "observe");
});
