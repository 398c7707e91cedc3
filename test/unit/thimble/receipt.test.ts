/** Receipts are folded from events: one per call, one decision each. */
import assert from "node:assert/strict";
import type { EventOf, Logged, SessionEvent } from "../../../src/schema/event";
import { Receipt } from "../../../src/schema/receipt";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import type { LoadedPolicy } from "../../../src/thimble/policy";
import { receiptFold, receiptOf, receiptsFrom, receiptsIn } from "../../../src/thimble/receipt";
import { ask, policyWith } from "../../support/thimble";

const POLICY = policyWith({ continuation: { kind: "page", argument: "/page" } });

const log = (events: SessionEvent[]): Logged[] =>
  events.map((event, n) => ({ ...event, n, at: n, origin: "loop" }));

const configured = (policy: LoadedPolicy): SessionEvent => ({
  type: "configured",
  model: {
    id: "scripted",
    name: "Scripted",
    maxInputTokens: null,
    abilities: { rawArguments: true, usage: false, cacheControl: false },
  },
  system: "",
  tools: [],
  settings: DEFAULT_SETTINGS,
  policy: policy.artifact,
  policyIdentity: policy.identity,
  intent: null,
});

function clamped(call: string, text: string, policy = POLICY): EventOf<"clamped"> {
  const { proposal, effectiveArguments } = ask(text, policy);
  return { type: "clamped", call, tool: "search", argumentsSource: "raw", effectiveArguments, proposal };
}
const authorised = (call: string, granted = true, reason = "reads are allowed"): SessionEvent => ({
  type: "authorised",
  call,
  granted,
  by: "rule",
  reason,
});
const executed = (
  call: string,
  outcome: "ok" | "failed" | "unknown" = "ok",
  code: string | null = null,
): SessionEvent => ({
  type: "executed",
  call,
  outcome,
  code,
  items: 10,
  elapsedMs: 3,
});
const measured = (call: string, items: number | null = null): SessionEvent => ({
  type: "measured",
  call,
  items,
  chars: 18_000,
  bytes: 18_422,
  tokensEstimated: 4620,
  estimator: "chars/3.3",
});

suite("thimble/receipt", () => {
  test("a clamped call's receipt is the seed's schema with measured numbers", () => {
    const event = clamped("t0c0", '{"q":"SECRET","limit":500}');
    const receipts = receiptsFrom(
      log([configured(POLICY), event, authorised("t0c0"), executed("t0c0"), measured("t0c0")]),
    );
    const receipt = receipts.get("t0c0");
    const { name, version, sha256, rulesSha256 } = POLICY.identity;
    assert.deepEqual(receipt, {
      decision: "clamp",
      reason: "requested_items_above_policy_maximum",
      tool: "search",
      original_args_sha256: event.proposal.originalSha256,
      effective_args_sha256: event.proposal.effectiveSha256,
      changes: [{ path: "/limit", from: 500, to: 10, dimension: "items" }],
      policy: { name, version, sha256, rules_sha256: rulesSha256 },
      model_round_trips: 0,
      actual: { items: 10, bytes: 18_422, tokens_estimated: 4620 },
      continuation: { kind: "page", available: true },
      contract: { tool: "search", argument: "/limit" },
      mode: "enforce",
      exemption: null,
      proposed_changes: [],
      arguments_source: "raw",
      estimator: "chars/3.3",
    });
    assert.deepEqual(Receipt.parse(JSON.parse(JSON.stringify(receipt))), receipt);
    assert.ok(!JSON.stringify(receipt).includes("SECRET"), "values stay out of receipts (TeXRA#6231)");
  });

  test("every call has exactly one decision, interleaved calls and interrupted ones too", () => {
    const receipts = receiptsFrom(
      log([
        configured(POLICY),
        clamped("a", '{"limit":500}'),
        clamped("b", '{"limit":5}'),
        clamped("c", '{"limit":500}'),
        authorised("b"),
        authorised("a", false, "the user said no"),
        executed("b", "failed", "timeout"),
        authorised("c"),
      ]),
    );
    const seen = [...receipts].map(
      ([call, r]) => `${call}: ${r.decision} ${r.reason} ${r.actual === null ? "no result" : "result"}`,
    );
    assert.deepEqual(seen, [
      "a: deny the user said no no result",
      "b: error timeout no result",
      "c: clamp requested_items_above_policy_maximum no result",
    ]);
  });

  test("a failure without a code is named, an unknown outcome is no failure", () => {
    const run = (event: SessionEvent) =>
      receiptsFrom(log([configured(POLICY), clamped("a", "{}"), event])).get("a");
    assert.equal(run(executed("a", "failed"))?.reason, "tool_failed");
    assert.equal(run(executed("a", "unknown"))?.decision, "pass");
  });

  test("fewer items than asked for is told by the measured count (metagraphed#6600)", () => {
    const receipt = receiptsFrom(
      log([
        configured(policyWith({ maximum: 400 })),
        clamped("a", '{"limit":500}', policyWith({ maximum: 400 })),
        executed("a"),
        measured("a", 100),
      ]),
    ).get("a");
    assert.equal(receipt?.changes[0]?.to, 400);
    assert.equal(receipt?.actual?.items, 100);
  });

  test("continuation is there only when the contract names one, and available only once there is a result", () => {
    const bare = policyWith({});
    const of = (policy: LoadedPolicy, ...events: SessionEvent[]) =>
      receiptsFrom(log([configured(policy), clamped("a", '{"limit":500}', policy), ...events])).get("a")
        ?.continuation;
    assert.equal(of(bare, executed("a")), null);
    assert.deepEqual(of(POLICY), { kind: "page", available: false });
    assert.deepEqual(of(POLICY, executed("a")), { kind: "page", available: true });
    assert.deepEqual(of(POLICY, executed("a", "failed")), { kind: "page", available: false });
  });

  test("a receipt carries the policy that was configured when it was decided", () => {
    const other = policyWith({ maximum: 20 });
    const receipts = receiptsFrom(
      log([configured(POLICY), clamped("a", "{}"), configured(other), clamped("b", "{}"), measured("a")]),
    );
    assert.equal(receipts.get("a")?.policy.sha256, POLICY.identity.sha256);
    assert.equal(receipts.get("b")?.policy.sha256, other.identity.sha256);
  });

  test("the fold never changes a state that it was given, over many calls", () => {
    const events = log([
      configured(POLICY),
      ...Array.from({ length: 300 }, (_, i) => clamped(`c${i}`, '{"limit":500}')),
      authorised("c3", false, "no"),
      measured("c200"),
    ]);
    const states = [receiptFold.begin()];
    const pictures = [JSON.stringify([...receiptsIn(receiptFold.begin())])];
    for (const event of events) {
      const state = receiptFold.reduce(states.at(-1) ?? receiptFold.begin(), event);
      states.push(state);
      pictures.push(JSON.stringify([...receiptsIn(state)]));
    }
    assert.deepEqual(
      states.map((state) => JSON.stringify([...receiptsIn(state)])),
      pictures,
    );
    const last = states.at(-1) ?? receiptFold.begin();
    assert.equal(receiptsIn(last).size, 300);
    assert.equal(receiptOf(last, "c3")?.decision, "deny");
    assert.equal(receiptOf(last, "nobody"), undefined);
  });
});
