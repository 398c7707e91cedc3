/** ARCHITECTURE, The one idea: what is on disk before what: two barriers, and one more before anything is changed. */
import assert from "node:assert/strict";
import { openHouse, tool } from "../../support/house";

test("the log is on disk before a request leaves, before a tool changes anything, and at the end of a turn", async () => {
  const order: string[] = [];
  const house = await openHouse({
    replies: [
      {
        calls: [
          { name: "read", arguments: {} },
          { name: "edit", arguments: {} },
        ],
      },
      { say: "Done." },
    ],
    tools: [
      tool("read", () => `${order.push("read ran")}`),
      tool("edit", () => `${order.push("edit ran")}`, { effect: "write" }),
    ],
    onEvent: ({ type }) =>
      ["requested", "authorised", "replied", "remembered", "run_ended"].includes(type) && order.push(type),
  });
  const { ports } = house.conversation.context;
  house.conversation.sync = async () => void order.push("synced");
  ports.claims.checkpoint = async () => void order.push("checkpoint");
  await house.ask("Go.");
  assert.deepEqual(order, [
    "requested",
    "synced",
    "replied",
    "authorised",
    "read ran",
    "remembered",
    "authorised",
    "synced",
    "edit ran",
    "remembered",
    "synced",
    "checkpoint",
    "requested",
    "synced",
    "replied",
    "run_ended",
    "synced",
    "checkpoint",
  ]);
});
