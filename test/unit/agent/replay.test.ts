/** Seed 002 D6: what was decided is in the log. Replaying it, resuming and the next request need no stored content. */
import assert from "node:assert/strict";
import { foldHistory } from "../../../src/history/fold";
import { requestText } from "../../../src/history/requestText";
import { projectSession } from "../../../src/inspector/project";
import type { ScriptReply } from "../../../src/models/script";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { hash, openHouse, tool, withClaimCheck } from "../../support/house";

const SETTINGS: Partial<CoreSettings> = {
  ...withClaimCheck({
    slack: 0,
    digests: { table: ["/total"] },
    perTool: { long: { thresholdChars: 30_000, headChars: 10 } },
  }),
  ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" },
};
const WAIT: ScriptReply = { calls: [{ name: "wait", arguments: {} }] };

/** Tools of which nothing may run again, and every kind of substitution there is. */
const toolsOf = (ran: string[]) => {
  const once = (name: string, text: string, about?: Parameters<typeof tool>[2]) =>
    tool(
      name,
      () => {
        ran.push(name);
        return text;
      },
      about,
    );
  return [
    once("page", "A page from outside. ".repeat(400), { reach: "outside" }),
    once("table", `{"total":7,"rows":"${"r".repeat(6000)}"}`),
    once("long", "A line over the budget of one result.\n".repeat(700)),
    once("source", "const answer = 42;\n".repeat(200), { class: "read" }),
    once("wait", "waited"),
  ];
};

async function recorded() {
  const names = ["page", "table", "long", "source"];
  const house = await openHouse({
    settings: SETTINGS,
    tools: toolsOf([]),
    replies: [
      { calls: names.map((name) => ({ name, arguments: {} })) },
      { calls: [{ name: "fetch_result", arguments: { handle: "{{handle:page}}" } }] },
      ...[WAIT, WAIT, WAIT, WAIT, WAIT],
      { say: "Done." },
    ],
  });
  assert.equal((await house.ask("Look.")).end, "answered");
  return house;
}

test("002 D6 replay and resume make no call at the store, and run no tool and no model again", async () => {
  const house = await recorded();
  const kinds = new Set(house.events.map(({ type }) => type));
  for (const kind of ["tool_result_stored", "redeemed", "aged", "budgeted"] as const)
    assert.ok(kinds.has(kind), `the session has ${kind}`);
  assert.ok(house.claimCalls().length > 0);

  const ran: string[] = [];
  let calls: readonly string[] | null = null;
  const again: Awaited<ReturnType<typeof openHouse>> = await openHouse({
    settings: SETTINGS,
    tools: toolsOf(ran),
    replies: [{ say: "Still done." }],
    events: house.events,
    blobs: new Map(), // and there is nothing to read
    onEvent: ({ type }) => {
      if (type === "requested") calls = again.claimCalls();
    },
  });
  assert.deepEqual(again.conversation.history, house.conversation.history);
  assert.deepEqual(again.conversation.request.messages, foldHistory(house.events).messages);
  projectSession(house.events);
  receiptsFrom(house.events);
  house.events.forEach((event, at) => {
    if (event.type !== "requested") return;
    const { system, tools } = again.conversation.request;
    const { messages } = foldHistory(house.events.slice(0, at));
    assert.equal(hash(requestText({ system, tools, messages })), event.sha256);
  });
  assert.deepEqual(again.claimCalls(), []);

  assert.equal((await again.ask("Go on.")).end, "answered");
  assert.deepEqual([calls, ran, again.requests.length], [[], [], 1]);
  const common = house.conversation.history.messages;
  assert.deepEqual(again.requests[0]?.messages.slice(0, common.length), common);
});
