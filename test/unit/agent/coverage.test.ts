/** CONFORMANCE §6 through the loop: a list over its limit is shown in pages that say whether they are all, and are read on. */
import assert from "node:assert/strict";
import { parseLabel } from "../../../src/coverage/label";
import { projectSession } from "../../../src/inspector/project";
import { reportOf } from "../../../src/inspector/report";
import type { ScriptReply } from "../../../src/models/script";
import { Envelope } from "../../../src/schema/coverage";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw } from "../../../src/schema/text";
import { type House, type HouseOptions, openHouse, tool, withClaimCheck } from "../../support/house";
import { assertSound } from "../../support/sound";

const record = (n: number, chars = 60) => ({ id: n, text: `record ${n} ${"x".repeat(chars)}` });
const listOf = (records: number, chars?: number) =>
  JSON.stringify({ status: "ok", records: Array.from({ length: records }, (_, i) => record(i + 1, chars)) });
const search = (text: string) => tool("search", () => text, { class: "list" });

/** What the call's result is in the last request. */
function resultOf(house: House, call: string): string {
  const messages = house.requests.at(-1)?.messages ?? [];
  const found = messages.find((message) => message.role === "tool" && message.call === call);
  return found?.role === "tool" ? found.text : assert.fail(`no result of ${call}`);
}

/** A session whose model reads `cursors` of the list one after another, each a suffix of its handle. */
async function reading(text: string, cursors: readonly string[], options: Partial<HouseOptions> = {}) {
  let house: House | null = null;
  let at = 0;
  const handle = () => house?.eventsOf("covered")[0]?.handle ?? "claim:none";
  house = await openHouse({
    tools: [search(text)],
    replies: [],
    blobs: new Map(),
    model: {
      info: {
        id: "reader",
        name: "Reader",
        maxInputTokens: null,
        abilities: { rawArguments: true, usage: false, cacheControl: false },
      },
      async *reply() {
        const n = at++;
        if (n === 0) yield { kind: "call", id: "c0", name: "search", arguments: "{}" };
        else if (n <= cursors.length) {
          const given = { handle: `${handle()}${cursors[n - 1]}` };
          yield { kind: "call", id: `c${n}`, name: "fetch_result", arguments: JSON.stringify(given) };
        } else yield { kind: "text", text: "Done." };
      },
    },
    ...options,
  });
  const end = await house.ask("What is there?");
  assert.equal(end.end, "answered", end.message);
  assertSound(house.events);
  return house;
}

/** The label and the envelope of a page in a result. */
function pageIn(text: string) {
  const [label = "", envelope = ""] = text.split("\n");
  return {
    label: parseLabel(label),
    envelope: Envelope.parse(JSON.parse(envelope)),
    bytes: Buffer.byteLength(envelope),
  };
}

test("§6 a list over its limit is its first page: whole records, within 4096 bytes, and what is missing in words and numbers", async () => {
  const house = await reading(listOf(241), []);
  const { label, envelope, bytes } = pageIn(resultOf(house, "t1c0"));
  assert.ok(bytes <= 4096);
  assert.deepEqual([label?.first, label?.total, envelope.total], [1, 241, 241]);
  assert.equal(envelope.records.length, label?.last);
  assert.deepEqual(envelope.records[0], record(1));
  assert.deepEqual(envelope.source, { status: "ok" });
  assert.equal(envelope.complete, false);
  assert.equal(envelope.cursor, `@${(label?.last ?? 0) + 1}`);
  const [covered] = house.eventsOf("covered");
  assert.deepEqual([covered?.total, covered?.page.last], [241, label?.last]);
  assert.equal(house.eventsOf("remembered")[0]?.shown, "page");
  assert.equal(house.blobs.size, 1); // the whole, once
});

test("§6 page after page the list comes back whole, each record once, and only the last page is complete", async () => {
  const pages: { label: ReturnType<typeof pageIn>["label"]; envelope: Envelope }[] = [];
  const cursors: string[] = [];
  for (;;) {
    const house = await reading(listOf(241), cursors);
    const page = pageIn(resultOf(house, cursors.length === 0 ? "t1c0" : `t${cursors.length + 1}c0`));
    pages.push(page);
    if (page.envelope.cursor === null) break;
    cursors.push(page.envelope.cursor);
  }
  assert.deepEqual(
    pages.flatMap(({ envelope }) => envelope.records),
    Array.from({ length: 241 }, (_, i) => record(i + 1)),
  );
  assert.deepEqual(
    pages.map(({ envelope }) => envelope.complete),
    pages.map((_, at) => at === pages.length - 1),
  );
  const last = await reading(listOf(241), cursors);
  const view = projectSession(last.events) ?? assert.fail();
  assert.ok(reportOf(view).some((line) => /^ +list: records 1–\d+ of 241, incomplete$/.test(line)));
  const [list] = view.lists;
  assert.deepEqual([list?.returned, list?.inspected, list?.available], [241, 241, 0]);
});

test("§6 a record that fits no page is named, and read in windows by its own handle", async () => {
  const text = JSON.stringify([record(1), record(2, 9000), record(3)]);
  const house = await reading(text, ["#2"]);
  const { envelope } = pageIn(resultOf(house, "t1c0"));
  assert.deepEqual([envelope.records.length, envelope.references[0]?.index], [2, 2]);
  const window = resultOf(house, "t2c0");
  const whole = JSON.stringify(record(2, 9000));
  assert.ok(window.startsWith(whole.slice(0, 4096)));
  assert.match(window, /Next: fetch_result with handle='claim:[0-9a-f]{32}#2', offset=4096/);
  assert.deepEqual(house.eventsOf("redeemed")[0]?.record, 2);
});

test("§6 after a restart the pages are the same, made again of the stored content", async () => {
  const first = await reading(listOf(241), ["@1"]);
  const handle = first.eventsOf("covered")[0]?.handle ?? "";
  const again = await openHouse({
    tools: [search("")],
    events: first.events,
    blobs: first.blobs,
    replies: [],
    model: {
      info: first.conversation.context.ports.model.info,
      async *reply({ messages }) {
        const last = messages.at(-1);
        if (last?.role === "user")
          yield {
            kind: "call",
            id: "x",
            name: "fetch_result",
            arguments: JSON.stringify({ handle: `${handle}@1` }),
          };
        else yield { kind: "text", text: "Done." };
      },
    },
  });
  await again.ask("Once more.");
  assertSound(again.events);
  assert.equal(again.eventsOf("paged").length, 2);
  assert.equal(resultOf(again, "t4c0"), resultOf(first, "t2c0"));
});

test("§6 cursors that are none: one refusal, and the reason in the log", async () => {
  const cursors = ["@2", "@0", "@9999", "#0", "#9999", "@", "@1x", "@ 1", "#1#2", "@999999999999999999"];
  const house = await reading(listOf(241), cursors);
  const texts = new Set(cursors.map((_, at) => resultOf(house, `t${at + 2}c0`)));
  assert.equal(texts.size, 1);
  assert.match([...texts][0] ?? "", /^claim_unavailable/);
  assert.deepEqual([...new Set(house.eventsOf("redemption_refused").map(({ reason }) => reason))].sort(), [
    "malformed_cursor",
    "unknown_cursor",
  ]);
  assert.equal(house.eventsOf("redemption_refused").length, cursors.length);
});

test("§6 an altered list is refused, page and record, and nothing of it is shown", async () => {
  const blobs = new Map();
  const house = await reading(listOf(241), ["@1", "#1"], {
    blobs,
    onEvent: ({ type }) => {
      if (type === "covered")
        for (const [name, text] of blobs) blobs.set(name, text.replace("record 1 ", "record 9 "));
    },
  });
  assert.match(resultOf(house, "t2c0"), /^claim_unavailable/);
  assert.deepEqual(
    house.eventsOf("redemption_refused").map(({ reason }) => reason),
    ["corrupt", "corrupt"],
  );
});

suite("what is a list", () => {
  const shownAs = async (
    text: string,
    about: Parameters<typeof tool>[2],
    options: Partial<HouseOptions> = {},
  ) => {
    const house = await openHouse({
      tools: [tool("search", () => text, about)],
      replies: [{ calls: [{ name: "search", arguments: {} }] }, { say: "Done." }],
      blobs: new Map(),
      ...options,
    });
    await house.ask("Go.");
    assertSound(house.events);
    return house.eventsOf("remembered")[0]?.shown;
  };
  const lines = Array.from({ length: 400 }, (_, n) => `src/file${n}.ts`).join("\n");

  test("JSON arrays, JSON Lines and paths per line, of tools that list or say nothing of their class", async () => {
    const jsonl = Array.from({ length: 100 }, (_, n) => JSON.stringify(record(n))).join("\n");
    for (const text of [listOf(200), JSON.stringify(Array(200).fill(record(1))), jsonl])
      for (const toolClass of ["list", "other"] as const)
        assert.equal(await shownAs(text, { class: toolClass }), "page");
    assert.equal(await shownAs(lines, { class: "list" }), "page");
  });

  test("not what a file has in it, a command's output, an error, text, malformed JSON, two arrays", async () => {
    for (const toolClass of ["read", "execute"] as const)
      assert.equal(await shownAs(listOf(200), { class: toolClass }), "ticket");
    const failed = { kind: "failed" as const, code: "no", text: asRaw(listOf(1000)) };
    const house = await openHouse({
      tools: [tool("search", () => failed, { class: "list" })],
      replies: [{ calls: [{ name: "search", arguments: {} }] }, { say: "Done." }],
      blobs: new Map(),
    });
    await house.ask("Go.");
    assert.equal(house.eventsOf("remembered")[0]?.shown, "ticket");
    for (const text of [
      "A sentence of a text. ".repeat(400),
      `${listOf(200)}]`,
      JSON.stringify({ a: Array(300).fill(record(1)), b: Array(300).fill(record(2)) }),
    ])
      assert.equal(await shownAs(text, { class: "list" }), "ticket");
  });

  test("not where the person wants another form: no first parts, declared values, a smaller limit, nothing from outside", async () => {
    const list = listOf(200);
    for (const claimCheck of [
      { preview: false },
      { capBytes: 1024 },
      { exclude: ["search"], perTool: {} },
      { digests: { search: ["/status"] } },
    ]) {
      const settings: Partial<CoreSettings> = withClaimCheck(claimCheck);
      assert.notEqual(await shownAs(list, { class: "list" }, { settings }), "page");
    }
    const omit = withClaimCheck({ taintedHeads: "omit" });
    assert.notEqual(await shownAs(list, { class: "list", reach: "outside" }, { settings: omit }), "page");
  });

  test("from outside: the page stands in its fence, also when it is read back", async () => {
    const house = await reading(listOf(241), ["@1"], {
      tools: [tool("search", () => listOf(241), { class: "list", reach: "outside" })],
    });
    for (const call of ["t1c0", "t2c0"]) {
      const [label, fence, , end] = resultOf(house, call).split("\n");
      assert.match(label ?? "", /^\[Records 1–/);
      assert.match(fence ?? "", /^\[Untrusted data from search/);
      assert.match(end ?? "", /^\[End of untrusted data/);
    }
  });
});

test("§6 an old page becomes one line with its records and the cursor that goes on", async () => {
  const house = await openHouse({
    tools: [search(listOf(241)), tool("note", () => "noted")],
    replies: [
      { calls: [{ name: "search", arguments: { query: "x" } }] },
      ...Array.from({ length: 6 }, (): ScriptReply => ({ calls: [{ name: "note", arguments: {} }] })),
      { say: "Done." },
    ],
    settings: { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" } },
    blobs: new Map(),
  });
  await house.ask("Go.");
  assertSound(house.events);
  const handle = house.eventsOf("covered")[0]?.handle;
  const last = house.eventsOf("covered")[0]?.page.last ?? 0;
  assert.equal(
    resultOf(house, "t1c0"),
    `[search x: records 1–${last} of 241, shown earlier, now stored. ${241 - last} more: fetch_result with handle='${handle}@${last + 1}'. Call fetch_result with handle='${handle}@1' to read them again.]`,
  );
});

suite("gate", () => {
  const all = { intent: "exhaustive" as const };

  test("where everything is wanted the model is told once what it has not read; what it reads then counts", async () => {
    const cursors: string[] = [];
    for (let house = await reading(listOf(100), []); ; house = await reading(listOf(100), cursors)) {
      const call = cursors.length === 0 ? "t1c0" : `t${cursors.length + 1}c0`;
      const { cursor } = pageIn(resultOf(house, call)).envelope;
      if (cursor === null) break;
      cursors.push(cursor);
    }
    const read = await reading(listOf(100), cursors, all);
    assert.deepEqual(read.eventsOf("gated"), []);

    const unread = await reading(listOf(100), [], all);
    assert.deepEqual(
      unread.eventsOf("gated").map(({ verdict }) => verdict),
      ["say", "incomplete"],
    );
    const told = unread.requests.at(-1)?.messages.at(-1);
    assert.equal(told?.role, "user");
    assert.match(
      told?.text ?? "",
      /Not everything has been read: \d+ of 100 records of search \(next: fetch_result with handle='claim:[0-9a-f]{32}@\d+'\)/,
    );
    const view = projectSession(unread.events);
    assert.match(view?.turns.at(-1)?.notes.at(-1)?.text ?? "", /The answer is incomplete/);
  });

  test("otherwise nothing is held back; the answer is marked with what it came without", async () => {
    const house = await reading(listOf(100), []);
    assert.deepEqual(house.eventsOf("gated"), []);
    const view = projectSession(house.events);
    const { reply } = view?.turns.at(-1) ?? {};
    assert.deepEqual(
      reply?.unread.map(({ tool: name, total }) => [name, total]),
      [["search", 100]],
    );
    assert.ok((view?.lists[0]?.available ?? 0) > 0);
  });

  test("a list that the tool itself did not finish is incomplete, however much of it was read", async () => {
    const text = Array.from({ length: 600 }, (_, n) => `src/file${n}.ts`).join("\n");
    const outcome = {
      kind: "ok" as const,
      text: asRaw(`[Files 1–600 of 900; 300 more.]\n${text}`),
      lines: { headerLines: 1, complete: false },
    };
    const house = await reading("", [], { tools: [tool("search", () => outcome, { class: "list" })] });
    const [covered] = house.eventsOf("covered");
    assert.deepEqual([covered?.total, covered?.complete, covered?.limitedBy], [600, false, "tool_limit"]);
    assert.match(
      resultOf(house, "t1c0"),
      /\[The list itself: the tool returned 600 records by its own limit and has more\.\]/,
    );
    const [list] = projectSession(house.events)?.lists ?? [];
    assert.equal(list?.complete, false);
  });
});

test("§6 what was read back and is shortened later is not counted as hidden twice", async () => {
  const house = await openHouse({
    tools: [search(listOf(241)), tool("note", () => "noted")],
    replies: [
      { calls: [{ name: "search", arguments: {} }] },
      { calls: [{ name: "fetch_result", arguments: { handle: "{{next:search}}" } }] },
      ...Array.from({ length: 6 }, (): ScriptReply => ({ calls: [{ name: "note", arguments: {} }] })),
      { say: "Done." },
    ],
    settings: { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" } },
    blobs: new Map(),
  });
  await house.ask("Go.");
  assert.equal(house.eventsOf("aged").flatMap(({ decisions }) => decisions).length, 2);
  const { storedChars = 0, hiddenChars = 0 } = projectSession(house.events)?.totals ?? {};
  assert.ok(hiddenChars > 0 && hiddenChars <= storedChars);
});
