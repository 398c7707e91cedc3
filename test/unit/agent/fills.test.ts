/** What fills a request, through the whole loop: a list, a ticket, what is read back, with the real tokenizer. */
import assert from "node:assert/strict";
import { contentOf } from "../../../src/agent/fills";
import { handleOf } from "../../../src/claims/handle";
import { openTokenizer } from "../../../src/models/tokenizer";
import { Envelope } from "../../../src/schema/coverage";
import { assertFills } from "../../support/fills";
import { type HouseOptions, hash, openHouse, tool } from "../../support/house";

const LIST = JSON.stringify(
  Array.from({ length: 200 }, (_, id) => ({ id, text: `record ${id} ${"x".repeat(60)}`, more: [{ id }] })),
);
const LOG = `the tide came in at 04:12\n${"nothing happened here\n".repeat(2000)}`;
const SALT = "0".repeat(32);
const HANDLE = handleOf(SALT, hash(LOG), hash);

async function run(options: Partial<HouseOptions> & { readonly reach?: "outside" }) {
  const { reach } = options;
  const about = { class: "list", ...(reach && { reach }) } as const;
  const house = await openHouse({
    salt: SALT,
    replies: [
      {
        calls: [
          { name: "search", arguments: {} },
          { name: "log", arguments: {} },
        ],
      },
      { calls: [{ name: "fetch_result", arguments: { handle: HANDLE } }] },
      { say: "Done." },
    ],
    tools: [tool("search", () => LIST, about), tool("log", () => LOG, { class: "read" })],
    ...options,
  });
  await house.ask("When did the tide come in?");
  return house;
}

test("heads are what the result itself has: of a page its envelope, of a ticket its beginning", async () => {
  for (const reach of [undefined, "outside"] as const) {
    const house = await run(reach ? { reach } : {});
    const shown = house.eventsOf("remembered");
    const [page, ticket] = ["page", "ticket"].map((kind) => shown.find((one) => one.shown === kind));
    assert.ok(page && ticket);
    const facts = { shown: page.shown, tainted: reach !== undefined };
    assert.ok(Envelope.parse(JSON.parse(contentOf(page.text, facts))).returned > 0);
    const head = contentOf(ticket.text, { shown: ticket.shown, tainted: false });
    assert.ok(head.length > 100 && LOG.startsWith(head));
    assert.ok(ticket.text.replace(head, "").includes(HANDLE));
    assert.ok(shown.some((one) => one.shown === "window"));
  }
});

test("with the real tokenizer the kinds are the whole request, and naive has both results whole", async () => {
  const tokens = await openTokenizer();
  const { events, eventsOf } = await run({ tokens });
  assertFills(events, tokens);
  const fills = eventsOf("requested").at(-1)?.fills;
  const whole = tokens.count(LIST) + tokens.count(LOG);
  assert.ok(fills && fills.heads > fills.tickets && fills.tickets > 0);
  const { system, tools, user, assistant } = fills;
  const asked = tokens.count("fetch_result") + tokens.count(JSON.stringify({ handle: HANDLE }));
  assert.ok(fills.inline > 0); // what was read back
  assert.equal(fills.naive, system + tools + user + assistant - asked + whole);
});
