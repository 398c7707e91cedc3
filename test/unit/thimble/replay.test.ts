/** Replay fidelity (seed 003): what was decided is decided again, with what was pinned; anything else is drift. */
import assert from "node:assert/strict";
import type { Logged } from "../../../src/schema/event";
import { identify } from "../../../src/thimble/identity";
import { hash } from "../../support/house";
import { altered, copied, limitSession, randomLimitSession, replayed } from "../../support/limitSessions";
import { artifactWith, contractWith } from "../../support/thimble";

const ASKED = '{"q":"open","limit":500}';
const one = () => limitSession([[["search", ASKED]], [["search", '{"limit":5}']]]);
const fields = (events: readonly Logged[]) => replayed(events).differences.map(({ field }) => field);
const digest = (text: string) => hash(text);

suite("thimble/replay", () => {
  test("§5 any session of the real loop replays clean: off, observe, enforce, intents, the exempt tool, hard maxima, reconfigured (property)", async () => {
    const reasons = new Set<string>();
    let decisions = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const events = copied(await randomLimitSession(seed));
      const replay = replayed(events);
      assert.deepEqual(replay.differences, [], `seed ${seed}`);
      assert.equal(replay.outcome, "identical");
      const clamped = events.filter((event) => event.type === "clamped");
      assert.equal(replay.decisions, clamped.length);
      decisions += replay.decisions;
      for (const { proposal } of clamped) reasons.add(proposal.reason);
    }
    assert.ok(decisions > 500, `${decisions} decisions prove little`);
    for (const reason of [
      ...["mode_off", "observe_only", "requested_items_above_policy_maximum", "structured_intent", "exempt"],
      ...["hard_maximum", "unknown_tool_contract", "not_read_only", "invalid_json", "ambiguous_argument"],
      ...["argument_missing", "not_an_integer", "outside_range", "paged_argument", "within_budget"],
    ])
      assert.ok(reasons.has(reason), `no call had the reason ${reason}`);
  });

  test("§5 one altered field of one recorded decision is drift, and named with call, field and both values", async () => {
    const events = await one();
    const changes: [string, Parameters<typeof altered<"clamped">>[2]][] = [
      [
        "decision",
        ({ proposal }) => {
          proposal.decision = "pass";
        },
      ],
      [
        "reason",
        ({ proposal }) => {
          proposal.reason = "exempt";
        },
      ],
      [
        "mode",
        ({ proposal }) => {
          proposal.mode = "observe";
        },
      ],
      [
        "contract",
        ({ proposal }) => {
          proposal.contract = null;
        },
      ],
      [
        "exemption",
        ({ proposal }) => {
          proposal.exemption = "nobody granted this";
        },
      ],
      [
        "changes",
        ({ proposal }) => {
          proposal.changes = [{ path: "/limit", from: 500, to: 11, dimension: "items" }];
        },
      ],
      [
        "proposedChanges",
        ({ proposal }) => {
          proposal.proposedChanges = proposal.changes;
        },
      ],
      [
        "originalSha256",
        ({ proposal }) => {
          proposal.originalSha256 = digest("x");
        },
      ],
      [
        "effectiveSha256",
        ({ proposal }) => {
          proposal.effectiveSha256 = digest("x");
        },
      ],
      [
        "effectiveArguments",
        (event) => {
          event.effectiveArguments = '{"q":"open","limit":11}';
        },
      ],
      [
        "argumentsSource",
        (event) => {
          event.argumentsSource = "parsed";
        },
      ],
      [
        "tool",
        (event) => {
          event.tool = "list";
        },
      ],
    ];
    for (const [field, change] of changes) {
      const replay = replayed(altered(events, "clamped", change));
      assert.equal(replay.outcome, "drift", field);
      assert.equal(replay.differences.length, 1, field);
      assert.deepEqual([replay.differences[0]?.call, replay.differences[0]?.field], ["t1c0", field]);
    }
    const replay = replayed(
      altered(events, "clamped", ({ proposal }) => {
        proposal.reason = "exempt";
      }),
    );
    assert.deepEqual(replay.differences[0]?.recorded, '"exempt"');
    assert.deepEqual(replay.differences[0]?.recomputed, '"requested_items_above_policy_maximum"');
  });

  test("§5 an altered call, mode, intent or hard maximum of the log shows in the decisions made from it", async () => {
    const events = await one();
    const reply = altered(events, "replied", ({ calls }) => {
      if (calls[0]) calls[0].arguments = '{"q":"open","limit":499}';
    });
    assert.deepEqual(fields(reply), ["changes", "originalSha256"]); // what runs is the same
    assert.ok(
      fields(
        altered(events, "configured", (e) => {
          e.settings.limits.mode = "observe";
        }),
      ).includes("decision"),
    );
    assert.ok(
      fields(
        altered(events, "configured", (e) => {
          e.intent = "export";
        }),
      ).includes("reason"),
    );
    assert.ok(
      fields(
        altered(events, "configured", (e) => {
          e.settings.limits.hardMaximum = 3;
        }),
      ).includes("changes"),
    );
  });

  test("§5 one changed contract of the pinned policy is caught twice: by its identity, and by what it decides", async () => {
    const events = await one();
    const raised = altered(events, "configured", ({ policy }) => {
      if (policy.contracts[0]) policy.contracts[0].maximum = 20;
    });
    const replay = replayed(raised);
    assert.deepEqual([replay.differences[0]?.call, replay.differences[0]?.field], [null, "policy_identity"]);
    assert.ok(fields(raised).includes("changes"));
    const words = altered(events, "configured", ({ policy }) => {
      policy.name = "thimble/other";
    });
    assert.deepEqual(fields(words), ["policy_identity"]);
    // An identity that was made to fit shows in the decisions alone.
    const fitted = altered(raised, "configured", (event) => {
      event.policyIdentity = identify(event.policy, hash);
    });
    assert.ok(!fields(fitted).includes("policy_identity") && fields(fitted).includes("changes"));
  });

  test("a decision that was taken out of the log, or put in, is drift", async () => {
    const events = await one();
    const without = copied(events).filter((event) => !(event.type === "clamped" && event.call === "t1c0"));
    assert.deepEqual(fields(without), ["decision"]);
    const twice = copied(events).flatMap((event) =>
      event.type === "clamped" && event.call === "t1c0" ? [event, event] : [event],
    );
    assert.deepEqual(fields(twice), ["call"]);
    assert.deepEqual(
      fields(
        altered(events, "replied", ({ calls }) => {
          calls.length = 0;
        }),
      ),
      ["call"],
    );
    assert.deepEqual(
      new Set(fields(copied(events).filter(({ type }) => type !== "configured"))),
      new Set(["configuration"]),
    );
    assert.equal(replayed(events, "line 9 is torn").differences.at(-1)?.field, "log");
  });

  test("a session that was configured again is replayed with the configuration in force at each call", async () => {
    const first = await limitSession([[["search", ASKED]]], { mode: "observe" });
    const second = await limitSession([[["search", ASKED]]], { events: first });
    const other = artifactWith([contractWith({ maximum: 20 })]);
    const third = await limitSession([[["search", ASKED]]], { events: second, policy: other });
    const fourth = await limitSession([[["search", ASKED]]], {
      events: third,
      policy: other,
      intent: "exhaustive",
    });
    const replay = replayed(copied(fourth));
    assert.deepEqual([replay.outcome, replay.decisions, replay.configurations], ["identical", 4, 4]);
    // Only the last call was made under the last configuration.
    const late = replayed(
      altered(
        fourth,
        "configured",
        (event) => {
          event.intent = null;
        },
        3,
      ),
    );
    assert.deepEqual(new Set(late.differences.map(({ call }) => call)), new Set(["t7c0"]));
  });
});
