// test: a whole session as a picture of its log. A new event kind or a new step shows here first.
import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { answering, modelWithBranch } from "../../support/branchModel";
import { openHouse, tool } from "../../support/house";
import { part, returning, seeing } from "../../support/media";
import { artifactWith, contractWith } from "../../support/thimble";

test("a long result is checked in, read back and answered from; a wide search is lowered; a command is asked for", async () => {
  const contract = `${"Clause. ".repeat(700)}Notice period: 90 days.`;
  const house = await openHouse({
    settings: { limits: { mode: "enforce", hardMaximum: null } },
    tools: [
      tool("read_file", () => contract, { class: "read" }),
      tool("search_text", () => ({ kind: "ok", text: "a.ts:1: tide\n".repeat(10) as never, items: 10 }), {
        class: "list",
      }),
      tool("run_command", () => "ok", { class: "execute", effect: "execute" }),
    ],
    replies: [
      { say: "I read it.", calls: [{ name: "read_file", arguments: { path: "contract.md" } }] },
      { calls: [{ name: "fetch_result", arguments: { handle: "{{handle:read_file}}", offset: 4096 } }] },
      {
        calls: [
          { name: "search_text", arguments: { query: "tide", limit: 500 } },
          { name: "run_command", arguments: { command: "npm test" } },
        ],
      },
      { say: "The notice period is 90 days." },
    ],
  });
  const end = await house.ask("What is the notice period?");

  assert.equal(end.end, "answered");
  assert.deepEqual(house.story(), [
    'session_started "A session" in sample',
    "configured scripted, enforce, cloakroom/builtin 1.0.0",
    'asked t1 "What is the notice period?"',
    "requested t1 1 messages",
    'replied t1 calls "I read it." t1c0:read_file',
    "clamped t1c0 pass unknown_tool_contract",
    "authorised t1c0 granted by rule: reads run unasked",
    "executed t1c0 ok",
    "redacted t1c0 0 forged, 0 kinds of secret",
    "measured t1c0 ? items, 5623 chars",
    "tool_result_stored t1c0 read_file read 5623 chars",
    "remembered t1c0 ticket",
    "requested t2 3 messages",
    'replied t2 calls "" t2c0:fetch_result',
    "clamped t2c0 pass unknown_tool_contract",
    "authorised t2c0 granted by rule: reads run unasked",
    "redeemed t2c0 4096+1527 of 5623",
    "measured t2c0 ? items, 1577 chars",
    "remembered t2c0 window",
    "requested t3 5 messages",
    'replied t3 calls "" t3c0:search_text t3c1:run_command',
    "clamped t3c0 clamp requested_items_above_policy_maximum /limit 500→10",
    "authorised t3c0 granted by rule: reads run unasked",
    "executed t3c0 ok",
    "redacted t3c0 0 forged, 0 kinds of secret",
    "measured t3c0 10 items, 130 chars",
    "remembered t3c0 inline",
    "clamped t3c1 pass unknown_tool_contract",
    "authorised t3c1 granted by user: allowed once",
    "executed t3c1 ok",
    "redacted t3c1 0 forged, 0 kinds of secret",
    "measured t3c1 ? items, 2 chars",
    "remembered t3c1 inline",
    "requested t4 8 messages",
    'replied t4 answered "The notice period is 90 days."',
    "run_ended answered",
  ]);
});

test("C25 an image is stored and shown by name; two that are too large together leave one, and say so", async () => {
  const replies = [
    { calls: [1, 2].map((n) => ({ name: "read_file", arguments: { path: `${n}.png` } })) },
    { say: "I saw {{images}}." },
  ];
  const parts = [1, 2].map((seed) => [part("image/png", 5_000_000, seed)]);
  const tools = [returning("read_file", parts)];
  const house = await openHouse({ replies, tools, model: seeing(replies) });
  assert.equal((await house.ask("Look.")).end, "answered");
  assert.deepEqual(
    house.story().filter((line) => !/^(clamped|authorised|executed|redacted) /.test(line)),
    [
      'session_started "A session" in sample',
      "configured scripted, observe, cloakroom/builtin 1.0.0",
      'asked t1 "Look."',
      "requested t1 1 messages",
      'replied t1 calls "" t1c0:read_file t1c1:read_file',
      "measured t1c0 ? items, 0 chars",
      "measured t1c1 ? items, 0 chars",
      "tool_result_stored t1c0 read_file read image/png 5000000 bytes",
      "tool_result_stored t1c1 read_file read image/png 5000000 bytes",
      "remembered t1c0 inline image",
      "remembered t1c1 inline image",
      "media_replaced perTurnBytes t1c0/0",
      "requested t2 4 messages",
      'replied t2 answered "I saw image/png, 5000000 bytes."',
      "run_ended answered",
    ],
  );
});

test("§5 a list over its envelope is shown as its first records; a log over it is answered from, with what it cites", async () => {
  const replies = [
    { calls: [{ name: "issues", arguments: {} }] },
    { calls: [{ name: "log", arguments: {} }] },
    { say: "At 04:12." },
  ];
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, title: "x".repeat(200) }));
  const house = await openHouse({
    replies,
    model: modelWithBranch(replies, answering("At 04:12.", [{ quote: "the tide came in at 04:12" }])),
    policy: artifactWith([contractWith({ tool: "issues", items: "/items" })], {
      on_unshapable_response: "micro_context",
    }),
    settings: {
      limits: { mode: "enforce", hardMaximum: null },
      responses: { ...DEFAULT_SETTINGS.responses, microContext: true },
    },
    tools: [
      tool("issues", () => JSON.stringify({ items: rows, total: 40 })),
      tool("log", () => `the tide came in at 04:12\n${"nothing happened\n".repeat(5000)}`),
    ],
  });
  assert.equal((await house.ask("When did the tide come in?")).end, "answered");
  assert.deepEqual(
    house.story().filter((line) => !/^(clamped|authorised|executed|redacted) /.test(line)),
    [
      'session_started "A session" in sample',
      "configured scripted, enforce, thimble/test 1.0.0",
      'asked t1 "When did the tide come in?"',
      "requested t1 1 messages",
      'replied t1 calls "" t1c0:issues',
      "measured t1c0 40 items, 8852 chars",
      "tool_result_stored t1c0 issues other 8852 chars",
      "projected t1c0 items 40 over 10: 10 of 40",
      "remembered t1c0 projection",
      "requested t2 3 messages",
      'replied t2 calls "" t2c0:log',
      "measured t2c0 ? items, 85026 chars",
      "tool_result_stored t2c0 log other 85026 chars",
      "projected t2c0 bytes 85026 over 65536: no_pointer",
      "branched t2c0 answered partial",
      "remembered t2c0 branch",
      "requested t3 5 messages",
      'replied t3 answered "At 04:12."',
      "run_ended answered",
    ],
  );
});
