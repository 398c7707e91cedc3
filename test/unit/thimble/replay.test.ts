/** Replay fidelity (seed 003): what was decided is decided again, with what was pinned; anything else is drift. */
import assert from "node:assert/strict";
import type { Logged } from "../../../src/schema/event";
import { counterfactualOf } from "../../../src/thimble/counterfactual";
import { identify } from "../../../src/thimble/identity";
import { policyFrom } from "../../../src/thimble/policy";
import { hash, openHouse, tool } from "../../support/house";
import {
  altered,
  copied,
  LIMIT_POLICY,
  limitSession,
  PORTS,
  randomLimitSession,
  replayed,
} from "../../support/limitSessions";
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
