/** CONFORMANCE §1, "Seed 002 as settings of this mechanism": each setting bites, through the whole loop. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap.mjs";
import { parseTicket } from "../../../src/claims/ticket";
import { Failure } from "../../../src/schema/failure";
import { ClaimCheckSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw } from "../../../src/schema/text";
import type { Tool } from "../../../src/schema/tool";
import { openHouse, tool, withClaimCheck } from "../../support/house";

type Settings = Partial<ClaimCheckSettings>;

/** Runs every tool once, in one turn; `shown` are their results in the next request, by tool. */
async function run(tools: readonly Tool[], settings: Settings) {
  const calls = tools.map(({ spec }) => ({ name: spec.name, arguments: {} }));
  const house = await openHouse({
    tools,
    replies: [{ calls }, { say: "Done." }],
    settings: withClaimCheck({ slack: 0, ...settings }),
  });
  const end = await house.ask("Go.");
  assert.equal(end.end, "answered", end.message);
  const messages = house.requests.at(-1)?.messages ?? [];
  const shown = Object.fromEntries(
    messages.flatMap((message) => (message.role === "tool" ? [[message.name, message.text]] : [])),
  );
  return { house, shown, stored: house.eventsOf("tool_result_stored") };
}

const texts = (content: string, ...names: string[]) =>
  names.map((name) => tool(name, () => content, { class: "read" }));

/** One tool, one result. */
async function shownOf(content: string, settings: Settings, about: Parameters<typeof tool>[2] = {}) {
  const { shown, ...rest } = await run([tool("t", () => content, { class: "read", ...about })], settings);
  return { text: shown.t ?? "", ...rest };
}

async function refusal(settings: Settings): Promise<Failure> {
  try {
    await openHouse({ tools: texts("", "a", "b"), replies: [], settings: withClaimCheck(settings) });
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
  return assert.fail(`not refused: ${JSON.stringify(settings)}`);
}

test("002 D2 include: only these tools' results are substituted, the others have the caps of an excluded tool", async () => {
  const tools = texts("x".repeat(30_000), "a", "b");
  const { shown, stored, house } = await run(tools, { include: ["a"] });
  assert.equal(parseTicket(shown.a ?? "")?.totalChars, 30_000);
  assert.equal(shown.b, "x".repeat(30_000)); // over the budget of one result, and still whole
  assert.deepEqual(
    stored.map((event) => event.tool),
    ["a"],
  );
  assert.equal(house.eventsOf("budgeted").length, 0);
  const over = await run(texts("x".repeat(80_001), "a", "b"), { include: ["a"] });
  assert.match(over.shown.b ?? "", /^\[Incomplete: first 5000 and last 1000 of 80001 characters from b/);
});

test("002 D2 exclude and include are refused by name where they cannot mean anything", async () => {
  const cases: [Settings, string, RegExp][] = [
    [{ include: ["c"] }, "claimCheck.include", /names a tool that does not exist: c\. Tools: a, b/],
    [{ include: [] }, "claimCheck.include", /names no tool/],
    [{ include: ["a", "b"], exclude: ["b"] }, "claimCheck.include", /claimCheck\.exclude both name b/],
    [{ reclaimable: ["c"] }, "claimCheck.reclaimable", /does not exist: c/],
    [{ digests: { c: ["/x"] } }, "claimCheck.digests", /does not exist: c/],
    [{ digests: { a: [] } }, "claimCheck.digests.a", /at least one JSON pointer/],
    [{ digests: { a: ["x"] } }, "claimCheck.digests.a", /JSON pointers such as \/total: x/],
    [{ capBytes: 0 }, "claimCheck.capBytes", /above 0/],
    [{ capBytes: 512 }, "claimCheck.headChars", /must be below capBytes \(512\)/],
    [{ capBytes: 1024, previewChars: 1024 }, "claimCheck.previewChars", /must be below capBytes \(1024\)/],
    [{ previewChars: 0 }, "claimCheck.previewChars", /above 0/],
    [{ previewChars: 4096 }, "claimCheck.previewChars", /must be below thresholdChars \(4096\)/],
  ];
  for (const [settings, field, message] of cases) {
    const { code, facts, message: said } = await refusal(settings);
    assert.deepEqual([code, facts.field], ["settings-invalid", field], JSON.stringify(settings));
    assert.match(said, message);
  }
  await run(texts("x", "a", "b"), { include: ["a"], exclude: ["b"] }); // apart, they may stand together
});

test("002 D4 capBytes: exactly 1024 bytes stay inline, 1025 go out, whatever the slack and the threshold", async () => {
  const settings = { capBytes: 1024, slack: 0.25, thresholdChars: 100_000 };
  const inside = await shownOf("x".repeat(1024), settings);
  assert.deepEqual([inside.text, inside.stored.length, inside.house.puts()], ["x".repeat(1024), 0, 0]);
  const outside = await shownOf("x".repeat(1025), settings);
  assert.equal(parseTicket(outside.text)?.totalChars, 1025);
  assert.match(outside.house.eventsOf("remembered")[0]?.why ?? "", /^1025 bytes, limit 1024/);
  assert.equal((await shownOf("é".repeat(512), settings)).stored.length, 0); // 1024 bytes
  assert.equal((await shownOf(`${"é".repeat(512)}x`, settings)).stored.length, 1);
});

test("002 D4 capBytes holds for every class but errors, and a tool's own limits replace it whole", async () => {
  const settings: Settings = { capBytes: 1024 };
  for (const about of [{ class: "read_range" }, { class: "list" }, { class: "execute" }] as const)
    assert.equal((await shownOf("x".repeat(1025), settings, about)).stored.length, 1, about.class);
  const failing = tool("t", () => ({ kind: "failed", code: "e", text: asRaw("x".repeat(5000)) }));
  assert.equal((await run([failing], settings)).stored.length, 0);
  const perTool = { t: { thresholdChars: 2000, headChars: 100 } };
  assert.equal((await shownOf("x".repeat(2000), { ...settings, perTool })).stored.length, 0);
});

test("002 D4 capBytes: few but wide characters are a head and a rest all the same", async () => {
  for (const about of [{}, { class: "execute" }] as const) {
    const { text } = await shownOf("😀".repeat(257), { capBytes: 1024 }, about);
    assert.equal(parseTicket(text)?.totalChars, 257);
    assert.ok((parseTicket(text)?.hiddenChars ?? 0) > 0);
  }
});

test("002 D3 preview false: size, type and handle, and nothing of the content", async () => {
  const content = "A clause.\n".repeat(600);
  const { text, stored, house } = await shownOf(content, { preview: false });
  const handle = stored[0]?.handle;
  assert.equal(
    text,
    `[Not shown: 6000 characters from t (600 lines, text). Call fetch_result with handle='${handle}' to read them.]`,
  );
  assert.deepEqual(parseTicket(text), { handle, totalChars: 6000, hiddenChars: 6000 });
  assert.deepEqual([...house.blobs.values()], [content]);
  const log = await shownOf(content, { preview: false }, { class: "execute" });
  assert.ok(!log.text.includes("A clause."));
});

test("002 D3 preview false leaves an error its reason", async () => {
  const failing = tool("t", () => ({ kind: "failed", code: "e", text: asRaw("reason ".repeat(4000)) }));
  const { shown } = await run([failing], { preview: false, previewChars: 10 });
  assert.match(shown.t ?? "", /^\[Incomplete: first \d{4} and last \d+ of 28000 characters from t/);
});

test("002 D3 previewChars is the head of every class but errors", async () => {
  for (const [about, chars] of [
    [{ class: "read" }, 6000],
    [{ class: "read_range" }, 20_000],
    [{ class: "list" }, 6000],
  ] as const) {
    const { text } = await shownOf("x".repeat(chars), { previewChars: 256 }, about);
    assert.equal(parseTicket(text)?.hiddenChars, chars - 256, about.class);
  }
  const perTool = { t: { thresholdChars: 100, headChars: 50 } };
  const own = await shownOf("x".repeat(200), { previewChars: 10, perTool });
  assert.equal(parseTicket(own.text)?.hiddenChars, 150);
});

const RESULT = `{ "status" : "ok", "total":12345678901234567890.10, "next": null, "rows": [${'{"id": 1},'.repeat(600)}{"id":2}], "de/ep": {"a~b": [1,  2]} }`;

test("002 D3 digests: declared values of a JSON result, in its own bytes, stand in place of the head", async () => {
  const pointers = ["/total", "/next", "/rows/600", "/de~1ep/a~0b", "/total"];
  for (const more of [{}, { preview: false }] as const) {
    const { text, stored } = await shownOf(RESULT, { digests: { t: pointers }, ...more });
    const projection = `{"/total":12345678901234567890.10,"/next":null,"/rows/600":{"id":2},"/de~1ep/a~0b":[1,  2]}`;
    const values = ["12345678901234567890.10", "null", '{"id":2}', "[1,  2]"].join("").length;
    assert.equal(
      text,
      [
        `[Incomplete: 4 declared values of ${RESULT.length} characters from t (1 line, JSON). Absence below proves nothing.]`,
        projection,
        `[${RESULT.length} characters, ${RESULT.length - values} not shown. Call fetch_result with handle='${stored[0]?.handle}' to read the rest.]`,
      ].join("\n\n"),
    );
  }
});

test("002 D3 digests that cannot be shown: the ticket says why and has its head", async () => {
  const twice = `{"a":1,"rows":"${"x".repeat(5000)}","a":2}`;
  const cases: [string, string[], Settings, string][] = [
    ["x".repeat(6000), ["/a"], {}, "the result is not JSON"],
    [RESULT, ["/total", "/gone", "/rows/601"], {}, "/gone is missing, /rows/601 is missing"],
    [twice, ["/a"], {}, "/a occurs twice"],
    [RESULT, ["/rows"], {}, "they have 6010 characters, more than 2048"],
    [
      `{"a":"${"x".repeat(600)}","b":"${"y".repeat(600)}"}`,
      ["/a", "/b"],
      { capBytes: 1024 },
      "they have 1204 characters, more than 607",
    ],
    [RESULT, ["/rows"], { previewChars: 100 }, "they have 6010 characters, more than 400"],
  ];
  for (const [content, pointers, settings, why] of cases) {
    const { text } = await shownOf(content, { digests: { t: pointers }, ...settings });
    assert.ok(text.includes(`\n[The declared values are not shown: ${why}.]\n\n`), text.slice(0, 300));
    assert.ok(text.includes(content.slice(0, 90)), why);
    const without = await shownOf(content, { digests: { t: pointers }, ...settings, preview: false });
    assert.ok(without.text.endsWith(`\n[The declared values are not shown: ${why}.]`));
    assert.equal(parseTicket(without.text)?.hiddenChars, content.length);
  }
});

test("002 D3 digests leave what stays inline, and errors, as they are", async () => {
  const digests = { t: ["/a"] };
  assert.equal((await shownOf('{"a":1,"b":2}', { digests })).text, '{"a":1,"b":2}');
  const body = `{"a":1,"b":"${"x".repeat(20_000)}"}`;
  const { shown } = await run([tool("t", () => ({ kind: "failed", code: "e", text: asRaw(body) }))], {
    digests,
  });
  assert.match(shown.t ?? "", /^\[Incomplete: first \d{4} and last/);
});

test("002 D6 reclaimable: the claim says that its content may go; every other claim stays", async () => {
  const tools = [tool("a", () => "x".repeat(6000)), tool("b", () => "y".repeat(6000))];
  const { stored, house } = await run(tools, { reclaimable: ["a"] });
  assert.deepEqual(
    stored.map(({ tool, reclaimable }) => [tool, reclaimable]),
    [
      ["a", true],
      ["b", undefined],
    ],
  );
  const { claims } = house.conversation.context.ports;
  assert.equal(stored[0] && claims.find(stored[0].handle)?.reclaimable, true);
});

test("002 D6 content of a reclaimable tool that another tool returned too is not reclaimable", async () => {
  for (const reclaimable of [["a"], ["b"]]) {
    const { stored, house } = await run(texts("x".repeat(6000), "a", "b"), { reclaimable });
    assert.equal(stored[0]?.handle, stored[1]?.handle);
    assert.equal(
      stored[0] && house.conversation.context.ports.claims.find(stored[0].handle)?.reclaimable,
      undefined,
    );
  }
});

test("002 the editor has every setting of the claim check, with the core's default, and restricts it", () => {
  const text = readFileSync(path.join(root, "package.json"), "utf8");
  const { contributes, capabilities } = JSON.parse(text) as {
    contributes: { configuration: { properties: Record<string, { default: unknown }> } };
    capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  };
  const defaults: Record<string, unknown> = DEFAULT_SETTINGS.claimCheck;
  for (const key of Object.keys(ClaimCheckSettings.shape)) {
    const name = `cloakroom.claimCheck.${key}`;
    assert.deepEqual(contributes.configuration.properties[name]?.default, defaults[key], name);
    assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
  }
});

test("002 a log from before these settings means their defaults", () => {
  const { thresholdChars, headChars, enabled, slack, ttlSeconds, perTool, exclude } =
    DEFAULT_SETTINGS.claimCheck;
  const before = { thresholdChars, headChars, enabled, slack, ttlSeconds, perTool, exclude };
  assert.deepEqual(ClaimCheckSettings.parse(before), DEFAULT_SETTINGS.claimCheck);
});
