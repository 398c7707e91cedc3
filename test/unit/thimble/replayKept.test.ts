/** Replays of what the log does not have whole: redacted arguments, a policy of another major version; and of what never was: another policy. */
import assert from "node:assert/strict";
import type { Logged } from "../../../src/schema/event";
import { counterfactualOf } from "../../../src/thimble/counterfactual";
import { identify } from "../../../src/thimble/identity";
import { policyFrom } from "../../../src/thimble/policy";
import { hash, openHouse, tool } from "../../support/house";
import { altered, copied, LIMIT_POLICY, limitSession, PORTS, replayed } from "../../support/limitSessions";
import { artifactWith, contractWith } from "../../support/thimble";

const ASKED = '{"q":"open","limit":500}';
const one = () => limitSession([[["search", ASKED]], [["search", '{"limit":5}']]]);
const fields = (events: readonly Logged[]) => replayed(events).differences.map(({ field }) => field);
const digest = (text: string) => hash(text);

suite("thimble/replay, what is not there", () => {
  test("§5 redacted arguments are decided on the kept bytes: args_redacted with what cannot be computed, no drift", async () => {
    const secret = `ghp_${"a1".repeat(20)}`;
    const house = await openHouse({
      tools: [
        tool("read_file", () => `token = ${secret}`),
        tool("edit_file", () => "edited", { effect: "write" }),
      ],
      replies: [],
      model: {
        info: {
          id: "m",
          name: "m",
          maxInputTokens: null,
          abilities: { rawArguments: true, usage: false, cacheControl: false },
        },
        async *reply({ messages }) {
          const placeholder = /\[secret:[a-z_]+:[0-9a-f]+\]/.exec(JSON.stringify(messages))?.[0];
          if (messages.length === 1) yield { kind: "call", id: "a", name: "read_file", arguments: "{}" };
          else if (messages.length === 3 && placeholder)
            yield {
              kind: "call",
              id: "b",
              name: "edit_file",
              arguments: JSON.stringify({ old: placeholder, limit: 500 }),
            };
          else yield { kind: "text", text: "Done." };
        },
      },
    });
    assert.equal((await house.ask("Edit it.")).end, "answered");
    const log = JSON.stringify(house.events);
    assert.ok(!log.includes(secret) && log.includes("[secret:github_token:"));
    const replay = replayed(copied(house.events));
    assert.deepEqual([replay.outcome, replay.differences], ["identical", []]);
    assert.deepEqual(replay.redacted, [
      { call: "t2c0", tool: "edit_file", unproven: ["originalSha256", "effectiveSha256"] },
    ]);
    // What can be decided on the kept bytes still has to be as recorded.
    const lied = altered(
      house.events,
      "clamped",
      ({ proposal }) => {
        proposal.reason = "within_budget";
      },
      1,
    );
    assert.deepEqual(fields(lied), ["reason"]);
    const apart = altered(
      house.events,
      "clamped",
      ({ proposal }) => {
        proposal.effectiveSha256 = digest("x");
      },
      1,
    );
    assert.deepEqual(fields(apart), ["effectiveSha256"]);
  });

  test("§5 a lowered call whose values were redacted keeps its decision; the same without a placeholder is drift", async () => {
    const kept = '{"q":"[secret:github_token:0a1b2c3d]","limit":500}';
    const events = await limitSession([[["search", kept]]]);
    const raw = kept.replace(/\[.*\]/, "ghp_the_real_one");
    const asOnDisk = altered(events, "clamped", ({ proposal }) => {
      proposal.originalSha256 = hash(raw);
      proposal.effectiveSha256 = hash(raw.replace("500", "10"));
    });
    assert.deepEqual([replayed(asOnDisk).outcome, replayed(asOnDisk).redacted.length], ["identical", 1]);
    assert.deepEqual(replayed(events).redacted, [], "a placeholder that the model wrote is its own text");
    const count = altered(asOnDisk, "clamped", ({ proposal }) => {
      if (proposal.changes[0]) proposal.changes[0].to = 9;
    });
    assert.deepEqual(fields(count), ["changes"]);
    const bare = altered(await one(), "clamped", ({ proposal }) => {
      proposal.originalSha256 = hash(raw);
    });
    assert.deepEqual(fields(bare), ["originalSha256"]);
  });

  test("a pinned policy of an unknown major version is refused by name; today's is not put in its place", async () => {
    const events = altered(await one(), "configured", (event) => {
      event.policy.version = "2.0.0";
      event.policyIdentity = identify(event.policy, hash);
    });
    const replay = replayed(events);
    assert.deepEqual([replay.outcome, replay.decisions, replay.differences], ["refused", 0, []]);
    assert.match(replay.refused[0]?.message ?? "", /Version 2 policies are not understood/);
  });

  test("another policy: what it would have decided, per contract and reason, and how many calls would have run otherwise", async () => {
    const events = await limitSession([
      [
        ["search", ASKED],
        ["search", '{"limit":15}'],
        ["search", '{"limit":5}'],
        ["other", ASKED],
      ],
    ]);
    const wider = policyFrom(artifactWith([contractWith({ maximum: 20 })]), hash);
    const table = counterfactualOf(events, wider, PORTS);
    const tally = (calls: number, requested: number, effective: number, counted = calls) => ({
      calls,
      counted,
      requested,
      effective,
    });
    assert.deepEqual([table.calls, table.otherArguments], [4, 2]);
    assert.deepEqual(table.rows, [
      {
        tool: "other",
        contract: null,
        reason: "unknown_tool_contract",
        recorded: tally(1, 0, 0, 0),
        would: tally(1, 0, 0, 0),
        otherArguments: 0,
      },
      {
        tool: "search",
        contract: "/limit",
        reason: "requested_items_above_policy_maximum",
        recorded: tally(2, 515, 20),
        would: tally(1, 500, 20),
        otherArguments: 1,
      },
      {
        tool: "search",
        contract: "/limit",
        reason: "within_budget",
        recorded: tally(1, 5, 5),
        would: tally(2, 20, 20),
        otherArguments: 1,
      },
    ]);
    const same = counterfactualOf(events, policyFrom(LIMIT_POLICY, hash), PORTS);
    assert.equal(same.otherArguments, 0);
    assert.ok(same.rows.every(({ recorded, would }) => JSON.stringify(recorded) === JSON.stringify(would)));
  });
});
