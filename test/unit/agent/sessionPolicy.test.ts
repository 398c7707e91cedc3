/** CONFORMANCE §5, Sources, precedence, pin; Exemptions and intent: through the real loop, from the files to the receipt. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { recordedQuestion } from "../../../src/agent/question";
import { type PolicyPorts, sessionPolicy } from "../../../src/agent/sessionPolicy";
import { projectSession } from "../../../src/inspector/project";
import { transcriptOf } from "../../../src/inspector/transcript";
import type { Contract, LimitMode, OperatorExemption, Rollout } from "../../../src/schema/policy";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import type { Tool, ToolOrigin } from "../../../src/schema/tool";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { replayFrom } from "../../../src/thimble/replay";
import { reviewFrom } from "../../../src/thimble/review";
import type { PolicyText } from "../../../src/thimble/sources";
import { type HouseOptions, hash, openHouse, tool } from "../../support/house";
import { artifactWith } from "../../support/thimble";

const SERVER = "mcp-servers/everything";
const ORIGIN: ToolOrigin = {
  ...{ configured: "e", server: SERVER, version: "1", tool: "get-resource-links" },
  ...{ schemaSha256: "0".repeat(64), listingSha256: "1".repeat(64), hints: { readOnlyHint: true } },
};

/** A tool as its server lists it; what it was called with is in `given`. */
function linksTool(given: string[], schema: object = { type: "number" }): Tool {
  const made = tool("e__get-resource-links", (text) => {
    given.push(text);
    return "links";
  });
  const inputSchema = { type: "object", properties: { count: schema } };
  return {
    ...made,
    spec: { ...made.spec, inputSchema, origin: ORIGIN },
    preview: async (text) => ({
      kind: "call",
      server: "e",
      tool: ORIGIN.tool,
      arguments: text,
      sensitive: false,
    }),
  };
}

const packs: string[] = [];
const ports = (more: Partial<PolicyPorts> = {}): PolicyPorts => ({
  texts: [],
  readPack: async (file) => {
    packs.push(file);
    return readFile(new URL(`../../../packs/${file}`, import.meta.url), "utf8");
  },
  isApproved: () => false,
  reviewed: [],
  hash,
  ...more,
});

const CONTRACT: Contract = {
  ...{ tool: "get-resource-links", server: SERVER, argument: "/count", dimension: "items" },
  ...{ maximum: 4, safe_to_reduce: true, read_only: true },
};
const text = (layer: PolicyText["layer"], contract = CONTRACT, label = `${layer}.json`): PolicyText => ({
  layer,
  label,
  text: JSON.stringify(artifactWith([contract], { name: layer })),
});

type Setup = Partial<HouseOptions> & { policies?: Partial<PolicyPorts>; mode?: LimitMode; schema?: object };

/** Runs calls for 500 links each; what the tool was called with, and the receipts. */
async function run({ policies, mode = "enforce", schema, ...options }: Setup = {}, calls = 1) {
  const given: string[] = [];
  const tools = [linksTool(given, schema)];
  const specs = tools.map(({ spec }) => spec);
  const policy = await sessionPolicy(specs, mode, ports(policies));
  const call = { calls: [{ name: "e__get-resource-links", arguments: { count: 500 } }] };
  const house = await openHouse({
    tools,
    replies: [...Array.from({ length: calls }, () => call), { say: "Done." }],
    settings: { limits: { ...DEFAULT_SETTINGS.limits, mode } },
    ...options,
    configuration: { ...policy, ...options.configuration },
  });
  await house.ask("Go.");
  const receipts = [...receiptsFrom(house.events).values()];
  const notices =
    projectSession(house.events)?.limits.map(({ label, text: said }) => `${label}: ${said}`) ?? [];
  return { ...house, given, receipts, policy, notices };
}

const ofReceipts = (receipts: Awaited<ReturnType<typeof run>>["receipts"]) =>
  receipts.map(({ decision, reason, changes, proposed_changes: proposed, exemption }) => [
    decision,
    reason,
    changes[0]?.to ?? proposed[0]?.to ?? null,
    exemption,
  ]);

test("a pack is read for a server that the session has, and no other; its contracts observe until they are reviewed", async () => {
  packs.length = 0;
  const first = await run();
  assert.deepEqual(packs, ["everything.thimble.json"]);
  assert.deepEqual(ofReceipts(first.receipts), [["pass", "observe_only", 5, null]]);
  assert.deepEqual(first.given, ['{"count":500}']);
  const { id = "" } = first.policy.found?.contractChecks[0] ?? {};
  const review: Rollout = {
    ...{ id, tool: "get-resource-links", argument: "/count", mode: "enforce" },
    ...{ by: "me", at: 1, why: "no false clamp in 20 calls" },
  };
  const reviewed = await run({ policies: { reviewed: [review] } });
  assert.deepEqual(ofReceipts(reviewed.receipts), [
    ["clamp", "requested_items_above_policy_maximum", 5, null],
  ]);
  assert.deepEqual(reviewed.given, ['{"count":5}']);
  const back = await run({ policies: { reviewed: [review, { ...review, mode: "observe", at: 2 }] } });
  assert.deepEqual(back.given, ['{"count":500}']);
  packs.length = 0;
  await sessionPolicy([tool("search", () => "x").spec], "enforce", ports());
  assert.deepEqual(packs, []);
});

test("the user's file comes before the packs, the workspace's before both; a workspace only observes until it is approved", async () => {
  const user = text("user", { ...CONTRACT, maximum: 7 });
  const workspace = text("workspace", { ...CONTRACT, maximum: 3 });
  assert.deepEqual((await run({ policies: { texts: [user] } })).given, ['{"count":7}']);
  const observing = await run({ policies: { texts: [user, workspace] } });
  assert.deepEqual(observing.given, ['{"count":7}'], "what only observes takes nobody's place");
  const alone = await run({
    policies: { texts: [workspace], readPack: async () => text("user", { ...CONTRACT, tool: "x" }).text },
  });
  assert.deepEqual(ofReceipts(alone.receipts), [["pass", "observe_only", 3, null]]);
  assert.ok(observing.notices.some((notice) => /^Only observes: workspace\.json\./.test(notice)));
  const approved = await run({ policies: { texts: [workspace, user], isApproved: () => true } });
  assert.deepEqual(approved.given, ['{"count":3}']);
});

test("a contract that the live tool does not fit never acts, the receipt says why, and so does the inspector", async () => {
  const { receipts, given, notices } = await run({
    policies: { texts: [text("user")] },
    schema: { type: "string" },
  });
  assert.deepEqual(ofReceipts(receipts), [["pass", "contract_schema_mismatch", null, null]]);
  assert.deepEqual(given, ['{"count":500}']);
  assert.ok(
    notices.some((notice) =>
      /^Not used: e__get-resource-links \/count \(user\.json\), the argument is no number\./.test(notice),
    ),
  );
});

test("contracts that share a reason are one line; which they are is in its details and in the transcript", async () => {
  const contracts = ["/a", "/b", "/c"].map((argument) => ({ ...CONTRACT, argument }));
  const { events } = await run({
    policies: {
      texts: [{ layer: "user", label: "mine", text: JSON.stringify(artifactWith([CONTRACT, ...contracts])) }],
    },
  });
  const view = projectSession(events) ?? assert.fail();
  assert.deepEqual(view.limits, [
    {
      label: "Not used",
      text: "3 contracts (mine), the tool has no such argument.",
      details: ["/a", "/b", "/c"].map((argument) => `e__get-resource-links ${argument}`),
    },
  ]);
  assert.match(transcriptOf(view, null), /> Not used: 3 contracts .*\n> - e__get-resource-links \/a\n/);
});

test("a half-saved file keeps the policy that the session has, and says so; a new session starts without it", async () => {
  const first = await run({ policies: { texts: [text("user")] } });
  assert.deepEqual(first.given, ['{"count":4}']);
  const half = { ...text("user"), text: text("user").text.slice(0, 60) };
  const again = await run({ policies: { texts: [half] }, events: first.events });
  assert.deepEqual(again.given, ['{"count":4}']);
  const configured = again.events.filter(({ type }) => type === "configured");
  assert.equal(configured.length, 2);
  assert.deepEqual(
    configured.map((event) => event.type === "configured" && event.policyIdentity.sha256),
    [first.policy.policy.identity.sha256, first.policy.policy.identity.sha256],
  );
  assert.ok(
    again.notices.some((notice) => /^Not used: user\.json, line 1, column 61\. Expected/.test(notice)),
  );
  assert.ok(again.notices.includes("Kept: the policy that the session had."));
  const fresh = await run({ policies: { texts: [half] } });
  assert.deepEqual(ofReceipts(fresh.receipts), [["pass", "observe_only", 5, null]]);
});

test("a change of a policy is a new identity and an event; without one nothing is recorded again", async () => {
  const first = await run({ policies: { texts: [text("user")] } });
  const same = await run({ policies: { texts: [text("user")] }, events: first.events });
  assert.equal(same.events.filter(({ type }) => type === "configured").length, 1);
  const changed = await run({
    policies: { texts: [text("user", { ...CONTRACT, maximum: 6 })] },
    events: same.events,
  });
  const identities = changed.events.flatMap((event) =>
    event.type === "configured" ? [event.policyIdentity.sha256] : [],
  );
  assert.equal(new Set(identities).size, 2);
  assert.deepEqual(changed.given, ['{"count":6}']);
});

test("a later major version is never enforced: the session does not start, or goes on in Observe without it", async () => {
  const later = {
    ...text("user"),
    text: text("user").text.replace('"version":"1.0.0"', '"version":"2.0.0"'),
  };
  await assert.rejects(
    run({ policies: { texts: [later] } }),
    (cause) => (cause as { code?: string }).code === "policy-too-new",
  );
  const { notices } = await run({ policies: { texts: [later] }, mode: "observe" });
  assert.ok(
    notices.some((notice) => /^Not used: user\.json, line 1, column \d+\. Version 2 policies/.test(notice)),
  );
});

test("exemptions: of a tool, of one call, until they expire; the receipt names them, the inspector says whose and why", async () => {
  const exemption = (more: Partial<OperatorExemption>): OperatorExemption => ({
    ...{
      id: "e1",
      tool: "e__get-resource-links",
      once: false,
      reason: "an audit",
      owner: "me",
      expiresAt: null,
    },
    ...more,
  });
  const policies = { texts: [text("user")] };
  const once = await run({ policies, configuration: { exemptions: [exemption({ once: true })] } }, 2);
  assert.deepEqual(once.given, ['{"count":500}', '{"count":4}']);
  assert.deepEqual(ofReceipts(once.receipts)[0], ["pass", "exempt", null, "e1"]);
  assert.ok(once.notices.some((notice) => /one call of e__get-resource-links\. me: an audit/.test(notice)));
  const over = await run({
    policies,
    events: once.events,
    configuration: { exemptions: [exemption({ once: true })] },
  });
  assert.deepEqual(over.given, ['{"count":4}'], "used up before a restart stays used up");
  const all = await run({ policies, configuration: { exemptions: [exemption({ tool: null })] } }, 2);
  assert.deepEqual(all.given, ['{"count":500}', '{"count":500}']);
  const expired = await run({ policies, configuration: { exemptions: [exemption({ expiresAt: 1 })] } });
  assert.deepEqual(expired.given, ['{"count":4}']);
  const capped = await run({
    policies,
    settings: { limits: { mode: "enforce", hardMaximum: 50 } },
    configuration: { exemptions: [exemption({})] },
  });
  assert.deepEqual(ofReceipts(capped.receipts), [["clamp", "hard_maximum", 50, "e1"]]);
});

test("an intent lets calls run as written, a number of records too; the receipt and the inspector say so", async () => {
  for (const intent of ["exhaustive", "all 37"] as const) {
    const { given, receipts, notices } = await run({ policies: { texts: [text("user")] }, intent });
    assert.deepEqual(given, ['{"count":500}']);
    assert.deepEqual(ofReceipts(receipts), [["pass", "structured_intent", null, `intent:${intent}`]]);
    assert.ok(notices.includes(`Intent: ${intent}. No result count is lowered.`));
  }
});

test("a review sees per contract what would have been lowered, what was, and what speaks against it", async () => {
  const policies = { texts: [text("user")] };
  const observed = await run({ policies, mode: "observe" }, 2);
  const enforced = await run({ policies }, 2); // the second call asks for the same again
  const rows = reviewFrom([enforced.events, observed.events], hash);
  assert.equal(rows.length, 1);
  const { check, ...row } = rows[0] ?? assert.fail();
  assert.deepEqual(
    [check.tool, check.argument, check.source, check.mode],
    ["e__get-resource-links", "/count", "user.json", "enforce"],
  );
  assert.deepEqual(row, {
    ...{ sessions: 2, calls: 4, proposed: 2, lowered: 2, requested: 2000, effective: 16 },
    marks: ["asked_again by t2c0"],
  });
  assert.deepEqual(reviewFrom([], hash), []);
});

test("a session with exemptions and a mismatched contract replays clean; one altered exemption does not", async () => {
  const exemption = { id: "e1", tool: null, once: true, reason: "an audit", owner: "me", expiresAt: null };
  const { events } = await run(
    { policies: { texts: [text("user")] }, configuration: { exemptions: [exemption] } },
    3,
  );
  const mismatch = await run({ policies: { texts: [text("user")] }, schema: { type: "string" } });
  const ports = { hash, questionOf: recordedQuestion };
  for (const log of [events, mismatch.events])
    assert.equal(replayFrom(log, ports, null).outcome, "identical");
  const altered = events.map((event) => (event.type === "configured" ? { ...event, exemptions: [] } : event));
  assert.equal(replayFrom(altered, ports, null).outcome, "drift");
});
