/** C28 and what the field reported of repeated, nameless and outside calls: a call's answer is never "see above". */
import assert from "node:assert/strict";
import { parseTicket } from "../../../src/claims/ticket";
import { parseLabel } from "../../../src/coverage/label";
import type { ScriptReply } from "../../../src/models/script";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { charLength } from "../../../src/schema/text";
import { openHouse, tool, withClaimCheck } from "../../support/house";
import { assertSound } from "../../support/sound";

const AGE = { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" as const } };
const READ: ScriptReply = { calls: [{ name: "read_file", arguments: { path: "a.go" } }] };
const WAIT: ScriptReply = { calls: [{ name: "wait", arguments: {} }] };
const ANSWER: ScriptReply = { say: "Done." };
const SOURCE = `package main\n\n${"// a line of the source\n".repeat(160)}`;

/** The texts of a request's results, in order. */
const resultsOf = (request: { messages: readonly { role: string; text: string }[] } | undefined) =>
  (request?.messages ?? []).flatMap(({ role, text }) => (role === "tool" ? [text] : []));

test("C28 an identical call after its result was aged runs again and gets the content, under the handle that is live", async () => {
  let runs = 0;
  const read = tool("read_file", () => (runs++ < 99 ? SOURCE : ""), { class: "read" });
  const house = await openHouse({
    tools: [read, tool("wait", () => "waited")],
    replies: [READ, WAIT, WAIT, WAIT, WAIT, READ, ANSWER],
    settings: AGE,
    blobs: new Map(),
  });
  assert.equal((await house.ask("Read it twice.")).end, "answered");
  assertSound(house.events);
  assert.equal(runs, 2, "it ran again");
  const results = resultsOf(house.requests.at(-1));
  assert.match(
    results[0] ?? "",
    /shown earlier, now stored\. Call fetch_result with handle=/,
    "the first one is aged",
  );
  assert.equal(results.at(-1), SOURCE, "the second one is what it returned, not a way back to the first");
  assert.equal(house.blobs.size, 1);
});

test("C28 a large result that is asked for again has the same ticket as before, stored once, and its handle is served", async () => {
  const long = SOURCE.repeat(20);
  let runs = 0;
  const read = tool("read_file", () => (runs++ < 99 ? long : ""), { class: "read" });
  const fetch: ScriptReply = {
    calls: [{ name: "fetch_result", arguments: { handle: "{{handle:read_file}}", offset: 4096 } }],
  };
  const house = await openHouse({
    tools: [read, tool("wait", () => "waited")],
    replies: [READ, WAIT, WAIT, WAIT, WAIT, READ, READ, fetch, ANSWER],
    settings: AGE,
    blobs: new Map(),
  });
  assert.equal((await house.ask("Read it three times.")).end, "answered");
  assert.equal(runs, 3);
  const shown = house.eventsOf("remembered").filter(({ shown }) => shown === "ticket");
  assert.equal(new Set(shown.map(({ text }) => text)).size, 1, "the same bytes each time");
  assert.equal(new Set(shown.map(({ handle }) => handle)).size, 1);
  assert.equal(house.blobs.size, 1);
  const window = resultsOf(house.requests.at(-1)).at(-1) ?? "";
  assert.ok(window.startsWith(long.slice(4096, 8192)));
});

test("calls without an id, two in one reply, both run, and each has its own result under an id of ours", async () => {
  const house = await openHouse({
    tools: [tool("read_file", (args) => `${args} ${"x".repeat(6000)}`, { class: "read" })],
    replies: [
      {
        calls: [1, 2].map((n) => ({ name: "read_file", arguments: { n }, id: "" })),
      },
      ANSWER,
    ],
    settings: withClaimCheck({ slack: 0 }),
    blobs: new Map(),
  });
  assert.equal((await house.ask("Read both.")).end, "answered");
  assertSound(house.events);
  assert.equal(house.blobs.size, 2);
  const messages = house.requests.at(-1)?.messages ?? [];
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.id] : []));
  assert.equal(new Set(ids).size, 2);
  assert.ok(ids.every((id) => id !== ""));
});

test("a tool that no list names, from outside, is covered like every other: 300 000 characters are a page of a list", async () => {
  const rows = `[${'{"id":17269045671234567890,"name":"a row"},'.repeat(7000)}{"id":1}]`;
  const house = await openHouse({
    tools: [tool("mcp__store__list_rows", () => rows, { reach: "outside" })],
    replies: [{ calls: [{ name: "mcp__store__list_rows", arguments: {} }] }, ANSWER],
    blobs: new Map(),
  });
  assert.equal((await house.ask("List them.")).end, "answered");
  const [first = ""] = resultsOf(house.requests.at(-1));
  assert.ok(charLength(first) < 4600);
  assert.equal(parseLabel(first)?.total, 7001);
  assert.deepEqual([...house.blobs.values()], [rows]);
});

test("numbers beyond 2^53 in a result are the digits that the tool wrote: inline, stored, by window and by pointer", async () => {
  const digits = "17269045671234567890";
  const short = `{"Id":${digits}}`;
  const long = `{"rows":["${"x".repeat(9000)}"],"Id":${digits},"half":1.10}`;
  for (const [content, selector, expected] of [
    [short, null, short],
    [long, { offset: 9000 }, long.slice(9000)],
    [long, { pointer: "/Id" }, digits],
    [long, { pointer: "/half" }, "1.10"],
  ] as const) {
    const fetch: ScriptReply = {
      calls: [{ name: "fetch_result", arguments: { handle: "{{handle:read_file}}", ...selector } }],
    };
    const house = await openHouse({
      tools: [tool("read_file", () => content, { class: "read" })],
      replies: [READ, ...(selector ? [fetch] : []), ANSWER],
    });
    assert.equal((await house.ask("Read it.")).end, "answered");
    assert.ok(resultsOf(house.requests.at(-1)).at(-1)?.includes(expected), expected.slice(0, 40));
  }
});

test("one large result among twenty small ones is cut, and the small ones stay as they were", async () => {
  const small = (n: number) => `${n} `.repeat(400);
  const sizes = [...Array.from({ length: 20 }, (_, n) => small(n)), "y".repeat(200_000)];
  const house = await openHouse({
    tools: [
      tool("read_file", (args) => sizes[(JSON.parse(args) as { n: number }).n] ?? "", { class: "read" }),
    ],
    replies: [{ calls: sizes.map((_, n) => ({ name: "read_file", arguments: { n } })) }, ANSWER],
    blobs: new Map(),
  });
  assert.equal((await house.ask("Read them all.")).end, "answered");
  const results = resultsOf(house.requests.at(-1));
  for (const [n, text] of results.slice(0, 20).entries()) assert.equal(text, small(n));
  assert.equal(parseTicket(results[20] ?? "")?.totalChars, 200_000);
});

test("results of tools that no list names age like all others, small and large, from outside too (Gitlawb/openclaude#348, 1024XEngineer/neo-code#165)", async () => {
  const small = `${"a row of the list\n".repeat(200)}the end`; // inline
  const large = "another row of the list\n".repeat(2200); // a ticket at once
  const replies: ScriptReply[] = ["mcp__x__list", "mcp__x__dump", "brand_new"].map((name) => ({
    calls: [{ name, arguments: {} }],
  }));
  const house = await openHouse({
    tools: [
      tool("mcp__x__list", () => small, { reach: "outside" }),
      tool("mcp__x__dump", () => large, { reach: "outside" }),
      tool("brand_new", () => `${small} of it`),
      tool("wait", () => "waited"),
    ],
    replies: [...replies, ...Array.from({ length: 10 }, () => WAIT), ANSWER],
    settings: AGE,
    blobs: new Map(),
  });
  assert.equal((await house.ask("List them.")).end, "answered");
  assertSound(house.events);
  const [list, dump, brand] = resultsOf(house.requests.at(-1));
  for (const [text, name] of [
    [list, "mcp__x__list"],
    [dump, "mcp__x__dump"],
    [brand, "brand_new"],
  ] as const) {
    assert.ok(text && charLength(text) < 600, name);
    assert.match(
      text,
      new RegExp(`\\[${name}: .*shown earlier, now stored\\. Call fetch_result with handle=`),
    );
  }
});
