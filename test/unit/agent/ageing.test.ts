/** CONFORMANCE §4 with strategy "age", and §3, through the whole loop: what each request carries of an old result. */
import assert from "node:assert/strict";
import { parseTicket } from "../../../src/claims/ticket";
import { projectSession } from "../../../src/inspector/project";
import type { ScriptReply } from "../../../src/models/script";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw, charLength } from "../../../src/schema/text";
import type { Tool } from "../../../src/schema/tool";
import { type HouseOptions, hash, openHouse, tool, withClaimCheck } from "../../support/house";
import { assertSound } from "../../support/sound";

const AGE: Partial<CoreSettings> = { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" } };
const WAIT: ScriptReply = { calls: [{ name: "wait", arguments: {} }] };

type House = Awaited<ReturnType<typeof openHouse>>;

/** What the request of `turn` says of a call's result. */
function resultIn(house: House, turn: number, call = "t1c0"): string {
  const found = house.requests[turn - 1]?.messages.find(
    (message) => message.role === "tool" && message.call === call,
  );
  return found?.role === "tool" ? found.text : assert.fail(`no ${call} in turn ${turn}`);
}

/** A result of `subject`, then `turns` more replies. */
async function session(subject: Tool, turns = 8, options: Partial<HouseOptions> = {}): Promise<House> {
  const house = await openHouse({
    tools: [subject, tool("wait", () => "waited")],
    replies: [
      { calls: [{ name: subject.spec.name, arguments: { path: "src/a.go" } }] },
      ...Array.from({ length: turns }, () => WAIT),
      { say: "Done." },
    ],
    settings: AGE,
    blobs: new Map(),
    ...options,
  });
  const end = await house.ask("Read it.");
  assert.equal(end.end, "answered", end.message);
  assertSound(house.events);
  return house;
}

const go = `package main\n\n${"// a line of the source\n".repeat(160)}`;
const levels = (house: House) =>
  house
    .eventsOf("aged")
    .flatMap(({ turn, decisions }) => decisions.map(({ call, level }) => `t${turn}: ${call} to ${level}`));

test("M1 M2 M7 ages 0 to 5: whole, whole, head and tail, the same, the line with its handle, the same", async () => {
  const house = await session(tool("read_file", () => go, { class: "read" }));
  assert.deepEqual(levels(house), ["t3: t1c0 to 1", "t5: t1c0 to 2"]);
  assert.equal(resultIn(house, 2), go);
  const shortened = resultIn(house, 3);
  assert.ok(charLength(shortened) < 2800);
  assert.ok(go.startsWith(shortened.slice(0, 1900)) && go.endsWith(shortened.slice(-400)));
  const handle = house.eventsOf("tool_result_stored")[0]?.handle;
  assert.match(
    shortened,
    new RegExp(`shown earlier, now shortened. Call fetch_result with handle='${handle}'`),
  );
  assert.equal(resultIn(house, 4), shortened);
  const line = `[read_file src/a.go: 162 lines, ${go.length} characters, Go source; shown earlier, now stored. Call fetch_result with handle='${handle}' to read it again.]`;
  for (const turn of [5, 6, 9]) assert.equal(resultIn(house, turn), line);
  assert.deepEqual([...house.blobs.values()], [go]); // archived verbatim, once
});

test("M1 the archive is on record before the cut", async () => {
  const { events } = await session(tool("read_file", () => go, { class: "read" }));
  const stored = events.findIndex(({ type }) => type === "tool_result_stored");
  assert.ok(stored >= 0 && stored < events.findIndex(({ type }) => type === "aged"));
});

test("M3 no store, or one that fails: nothing is cut", async () => {
  const off = { ...AGE, ...withClaimCheck({ enabled: false }) };
  for (const options of [{ settings: off }, { putFails: "ENOSPC" }]) {
    const house = await session(
      tool("read_file", () => go.slice(0, 4000), { class: "read" }),
      8,
      options,
    );
    assert.deepEqual(levels(house), []);
    assert.equal(resultIn(house, 9), go.slice(0, 4000));
  }
});

test("M3 a blob that is gone: the shortened text stays, nothing worse", async () => {
  const blobs = new Map();
  const house = await session(
    tool("read_file", () => go, { class: "read" }),
    8,
    {
      blobs,
      onEvent: ({ type }) => type === "aged" && blobs.clear(),
    },
  );
  assert.deepEqual(levels(house), ["t3: t1c0 to 1"]);
});

test("M4 M10 foreign text that looks aged, or holds our markers, is archived and shortened like any other", async () => {
  const marker = `[read_file b.go: 1 line, 9 characters, text; shown earlier, now stored. Call fetch_result with handle='claim:${"1".repeat(32)}' to read it again.]\n`;
  const content = marker.repeat(25);
  const house = await session(tool("read_file", () => content, { class: "read" }));
  assert.deepEqual(levels(house), ["t3: t1c0 to 1", "t5: t1c0 to 2"]);
  assert.equal(resultIn(house, 2), content);
  assert.deepEqual([...house.blobs.values()], [content]);
  assert.ok(!resultIn(house, 9).includes("1".repeat(32)));
});

test("M5 user text is never touched, however long and old", async () => {
  const question = "q".repeat(50_000);
  const house = await openHouse({
    tools: [tool("wait", () => "waited")],
    replies: [...Array(8).fill(WAIT), { say: "Done." }],
    settings: AGE,
  });
  await house.ask(question);
  assert.deepEqual(
    [house.requests.at(-1)?.messages[0], levels(house)],
    [{ role: "user", text: question }, []],
  );
});

test("M6 first seen at age 4: the line at once", async () => {
  const settings: Partial<CoreSettings> = { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" } };
  const before = await session(
    tool("read_file", () => go, { class: "read" }),
    4,
    { settings },
  );
  const { events, blobs } = before;
  const house = await openHouse({
    replies: [{ say: "Done." }],
    tools: [tool("read_file", () => go)],
    settings: AGE,
    events,
    blobs,
  });
  await house.ask("And now?");
  assert.deepEqual(levels(house), ["t7: t1c0 to 2"]);
  assertSound(house.events);
});

test("M8 3000 characters stay, 3001 are shortened", async () => {
  assert.deepEqual(levels(await session(tool("t", () => "x".repeat(3000)))), []);
  assert.deepEqual(levels(await session(tool("t", () => "x".repeat(3001)))), [
    "t3: t1c0 to 1",
    "t5: t1c0 to 2",
  ]);
});

test("M9 exempt: writes and errors; execute results keep head and tail for good", async () => {
  const long = `${"x".repeat(3990)}\nexit code 1`;
  const failed = () => ({ kind: "failed" as const, code: "no", text: asRaw(long) });
  assert.deepEqual(levels(await session(tool("w", () => long, { effect: "write" }))), []);
  assert.deepEqual(levels(await session(tool("t", failed, { class: "read" }))), []);
  const house = await session(tool("run", () => long, { class: "execute", effect: "execute" }));
  assert.deepEqual(levels(house), ["t3: t1c0 to 1"]);
  assert.ok(resultIn(house, 9).endsWith("exit code 1"));
});

test("§4 old ticket heads and windows become lines too; a window goes straight there, with the handle it came from", async () => {
  const big = "a sentence. ".repeat(800);
  const fetch: ScriptReply = {
    calls: [{ name: "fetch_result", arguments: { handle: "{{handle:read_file}}", offset: 4096 } }],
  };
  const house = await openHouse({
    tools: [tool("read_file", () => big, { class: "read" }), tool("wait", () => "waited")],
    replies: [
      { calls: [{ name: "read_file", arguments: {} }] },
      fetch,
      ...Array(6).fill(WAIT),
      { say: "Done." },
    ],
    settings: AGE,
    blobs: new Map(),
  });
  await house.ask("Read it.");
  assertSound(house.events);
  assert.deepEqual(levels(house), ["t5: t1c0 to 2", "t6: t2c0 to 2"]);
  const handle = house.eventsOf("tool_result_stored")[0]?.handle ?? "";
  for (const call of ["t1c0", "t2c0"])
    assert.match(
      resultIn(house, 8, call),
      new RegExp(`^\\[\\w+: .*handle='${handle}' to read it again\\.\\]$`),
    );
  assert.equal(house.puts(), 1);
});

test("§4 a line that would be longer than what it replaces is not taken", async () => {
  const settings = {
    ...AGE,
    ...withClaimCheck({ perTool: { read_file: { thresholdChars: 30, headChars: 10 } } }),
  };
  const body = () => "x".repeat(60);
  const house = await openHouse({
    tools: [tool("read_file", body, { class: "read" }), tool("wait", () => "waited")],
    replies: [
      { calls: [{ name: "read_file", arguments: { path: "p".repeat(79) } }] },
      ...Array(6).fill(WAIT),
      { say: "Done." },
    ],
    settings,
  });
  await house.ask("Read it.");
  for (const { decisions } of house.eventsOf("aged"))
    for (const { charsBefore, charsAfter } of decisions) assert.ok(charsAfter < charsBefore);
});

test("M11 §0.4 two requests in a row share every byte of their common history unless a decision fell due", async () => {
  const house = await session(
    tool("read_file", () => go, { class: "read" }),
    12,
  );
  const due = new Set(house.eventsOf("aged").map(({ turn }) => turn));
  house.requests.forEach((request, i) => {
    const before = house.requests[i - 1];
    if (!before || due.has(i + 1)) return;
    assert.deepEqual(request.messages.slice(0, before.messages.length), before.messages);
  });
  const again = await openHouse({
    replies: [{ say: "Done." }],
    settings: AGE,
    events: house.events,
    blobs: house.blobs,
  });
  await again.ask("And?");
  assert.equal(again.eventsOf("aged").length, house.eventsOf("aged").length);
});

test("B6 an aged result is redeemed as the bytes that were stored", async () => {
  const house = await session(tool("read_file", () => go, { class: "read" }));
  const handle = house.eventsOf("aged")[0]?.decisions[0]?.handle;
  const again = await openHouse({
    replies: [{ calls: [{ name: "fetch_result", arguments: { handle } }] }, { say: "Done." }],
    settings: AGE,
    events: house.events,
    blobs: house.blobs,
  });
  await again.ask("Read it again.");
  const window = again.eventsOf("remembered").at(-1)?.text ?? "";
  assert.ok(window.startsWith(go.slice(0, 4096)));
});

/** `calls` reads of `chars` each in one turn, then an answer. */
async function turnOf(
  results: readonly string[],
  settings: Partial<CoreSettings> = {},
  options: Partial<HouseOptions> = {},
) {
  const limits = { thresholdChars: 1_000_000, headChars: 500 };
  const house = await openHouse({
    tools: [
      tool("read_file", (args) => results[JSON.parse(args).n] ?? "", { class: "read" }),
      tool("wait", () => "waited"),
    ],
    replies: [
      { calls: results.map((_, n) => ({ name: "read_file", arguments: { n } })) },
      WAIT,
      { say: "Done." },
    ],
    settings: { ...withClaimCheck({ perTool: { read_file: limits }, slack: 0 }), ...settings },
    blobs: new Map(),
    ...options,
  });
  assert.equal((await house.ask("Read them.")).end, "answered");
  assertSound(house.events);
  const shown = results.map((_, n) => resultIn(house, 2, `t1c${n}`));
  return { house, shown, sizes: shown.map(charLength) };
}

test("B1 20 000 characters stay, 20 001 are stored whole and shown as head and tail", async () => {
  const content = (n: number) => "x".repeat(n);
  const { house, shown } = await turnOf([content(20_000), content(20_001)]);
  assert.equal(shown[0], content(20_000));
  assert.match(
    shown[1] ?? "",
    /^x{4000}\n\n\[… 15001 characters not shown here: one result may not be larger\. Call fetch_result .*…\]\n\nx{1000}$/,
  );
  assert.deepEqual([...house.blobs.values()], [content(20_001)]);
  assert.deepEqual(
    house.eventsOf("budgeted").map(({ limit, cuts }) => [limit, cuts.map(({ call }) => call)]),
    [["perResultChars", ["t1c1"]]],
  );
});

test("B2 eleven of 20 000: the fewest cuts, none further than needed", async () => {
  const { house, sizes } = await turnOf(
    Array.from({ length: 11 }, (_, i) => String.fromCharCode(97 + i).repeat(20_000)),
  );
  const cuts = house.eventsOf("budgeted").flatMap((event) => event.cuts);
  assert.equal(cuts.length, 2); // one preview saves less than 15 000 of the 20 000 too many
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= 200_000 && total > 199_700, `${total}`);
});

test("B2 any turn fits into its budget, with previews where they are enough and less where they are not", async () => {
  for (const sizes of [
    [150_000, 100_000, 19_000, 500],
    Array(60).fill(6000),
    Array(45).fill(5100),
    [19_999, ...Array(12).fill(19_000)],
  ]) {
    const { house, sizes: shown } = await turnOf(
      sizes.map((chars, i) => String.fromCharCode(97 + (i % 26)).repeat(chars)),
      withClaimCheck({ exclude: [], perTool: { read_file: { thresholdChars: 1_000_000, headChars: 500 } } }),
    );
    const total = shown.reduce((sum, size) => sum + size, 0);
    const cutSizes = house
      .eventsOf("budgeted")
      .flatMap((event) => event.cuts.map(({ call }) => sizes[Number(call.slice(3))] ?? 0));
    const uncut = sizes.filter(
      (_, n) =>
        !house.eventsOf("budgeted").some((event) => event.cuts.some(({ call }) => call === `t1c${n}`)),
    );
    assert.ok(Math.min(...cutSizes) >= Math.max(...uncut), "largest first");
    const isTurnCut = house.eventsOf("budgeted").some(({ limit }) => limit === "perTurnChars");
    assert.ok(total <= 200_000 && (!isTurnCut || total > 195_000), `${sizes.length}: ${total}`);
    const cuts = house.eventsOf("budgeted").flatMap((event) => event.cuts);
    for (const { charsBefore, charsAfter } of cuts) assert.ok(charsAfter < charsBefore && charsAfter >= 500);
  }
});

test("B3 B8 previews end at a newline where one is near, and never inside a character", async () => {
  const lines = "0123456789 123456789 12345678\n".repeat(800);
  const emoji = "👩\u200d🚀".repeat(8000);
  const { shown } = await turnOf([lines, emoji]);
  const [head = "", , tail = ""] = (shown[0] ?? "").split("\n\n");
  assert.ok(
    `${head}\n\n` &&
      lines.startsWith(head) &&
      head.length > 3900 &&
      (shown[0] ?? "").includes("12345678\n\n\n[…"),
  );
  assert.ok(tail.startsWith("0123456789") && tail.length <= 1000 && tail.length > 900);
  const [first = "", , last = ""] = (shown[1] ?? "").split("\n\n");
  assert.equal(first, "👩\u200d🚀".repeat(1333)); // 3 characters each
  assert.equal(last, "👩\u200d🚀".repeat(333));
});

test("B4 a store that fails: a labelled hard cut, no handle, the run goes on", async () => {
  const { shown } = await turnOf(["x".repeat(30_000)], withClaimCheck({}), { putFails: "EIO" });
  assert.match(
    shown[0] ?? "",
    /^\[Incomplete: first 20000 of 30000 .*\[10000 characters were cut and are not stored: the store could not take it \(EIO\)/s,
  );
  assert.ok(!shown[0]?.includes("claim:"));
});

test("B5 the same bytes and one blob over 50 turns", async () => {
  const house = await session(
    tool("read_file", () => "x".repeat(24_000), { class: "read" }),
    48,
    {
      settings: withClaimCheck({ perTool: { read_file: { thresholdChars: 30_000, headChars: 500 } } }),
    },
  );
  const texts = new Set(house.requests.slice(1).map((_, i) => resultIn(house, i + 2)));
  assert.deepEqual([texts.size, house.blobs.size, house.puts()], [1, 1, 1]);
});

test("B6 B7 a displaced result is read back as its bytes, and the inspector counts what is hidden", async () => {
  const content = Array.from({ length: 4000 }, (_, i) => `line ${i}\n`).join("");
  const { house } = await turnOf([content]);
  const cut = house.eventsOf("budgeted")[0]?.cuts[0];
  const stored = house.conversation.context.ports.claims.find(cut?.handle ?? assert.fail());
  assert.equal(house.blobs.get(stored?.sha256 ?? ""), content);
  assert.equal(stored?.sha256, hash(content));
  const view = projectSession(house.events);
  assert.equal(view?.totals.hiddenChars, (cut?.charsBefore ?? 0) - (cut?.charsAfter ?? 0));
  assert.equal(view?.turns[0]?.calls[0]?.shortened[0]?.by, "budget");
});

test("B9 an error over the budget keeps its last 1000 characters", async () => {
  const error = `${"at frame\n".repeat(2600)}Caused by: the real reason`;
  const house = await openHouse({
    tools: [tool("t", () => ({ kind: "failed", code: "no", text: asRaw(error) }), { class: "read" })],
    replies: [{ calls: [{ name: "t", arguments: {} }] }, { say: "Done." }],
  });
  await house.ask("Go.");
  assert.ok(resultIn(house, 2).endsWith("Caused by: the real reason"));
  assert.ok(charLength(resultIn(house, 2)) < 5300);
});

test("§3 windows and tickets count in the turn but are never cut below what they are", async () => {
  const big = "y".repeat(150_000);
  const house = await openHouse({
    tools: [tool("read_file", () => big, { class: "read" })],
    replies: [
      { calls: [{ name: "read_file", arguments: {} }] },
      {
        calls: Array.from({ length: 60 }, (_, i) => ({
          name: "fetch_result",
          arguments: { handle: "{{handle:read_file}}", offset: i },
        })),
      },
      { say: "Done." },
    ],
  });
  await house.ask("Read.");
  assert.equal(house.eventsOf("budgeted").length, 0);
  assert.equal(parseTicket(resultIn(house, 3))?.totalChars, 150_000);
  assert.ok(resultIn(house, 3, "t2c59").startsWith("y".repeat(4096)));
});
