// test/unit/webview: from a real session to the rows of the tree: what a person reads, as a picture.
import assert from "node:assert/strict";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import type { Row } from "../../../webview-ui/row";
import { answering, type BranchPart, modelWithBranch, saying } from "../../support/branchModel";
import { openHouse, tool, withClaimCheck } from "../../support/house";
import { richHouse, viewOf } from "../../support/inspectorHouse";
import { fact, find, picture, rowsFrom } from "../../support/inspectorTree";
import { part, returning, seeing } from "../../support/media";
import { artifactWith, contractWith } from "../../support/thimble";

test("a session is a tree of turns, and every decision of it can be read there", async () => {
  const handle = /claim:[0-9a-f]{32}/g;
  const rows = picture(rowsFrom(viewOf(await richHouse()))).map((row) => row.replace(handle, "claim:…"));
  assert.deepEqual(rows, [
    "A session: sample",
    "  Turn 1: What is the notice period, and who uses the tide?",
    "    Asked: What is the notice period, and who uses the tide?",
    "    Request: 1 message, 76 characters",
    "    Reply: Asked for 1 call · I read it.",
    "    read_file: docs/contract.md · Stored result, 92,112 characters · Shortened ⇗",
    '      Arguments: {"path":"docs/contract.md"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Stored result: 92,112 characters, read; 749 shown ⇗",
    "      In the store: 92,112 bytes, 1,616 lines, read back once ⇗",
    "        Read back by: t2c0, turn 2",
    "      Shortened: to 181 characters before turn 5, by age ⇗",
    "  Turn 2: fetch_result",
    "    Request: 3 messages, 1,068 characters",
    "    Reply: Asked for 1 call",
    "    fetch_result: Read back: characters 4,096–8,191 of 92,112 ⇗",
    '      Arguments: {"handle":"claim:…","offset":4096}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Read back: characters 4,096–8,191 of 92,112 ⇗",
    "  Turn 3: search_text, list_files, run_command",
    "    Request: 5 messages, 5,638 characters",
    "    Reply: Asked for 3 calls · I look for the tide.",
    "    search_text: tide · limit 500 → 10 · 280 characters",
    '      Arguments: {"query":"tide","limit":500}',
    "      Receipt: limit 500 → 10 (enforced)",
    "      Permission: Allowed by rule: reads run unasked",
    "      Shown whole: 280 characters",
    "    list_files: **/*.ts · limit 200 → 50 proposed · 720 characters",
    '      Arguments: {"glob":"**/*.ts","limit":200}',
    "      Receipt: limit 200 → 50 proposed, ran as asked (observe)",
    "      Permission: Allowed by rule: reads run unasked",
    "      Shown whole: 720 characters",
    "    run_command: npm test · Refused: The user said no.",
    '      Arguments: {"command":"npm test"}',
    "      Receipt: Did not run: The user said no.",
    "      Permission: Refused by you: The user said no.",
    "      Refused: The user said no.",
    "  Turn 4: read_page, broken, fetch_result",
    "    Request: 9 messages, 7,419 characters",
    "    Reply: Asked for 3 calls",
    "    read_page: https://example.com · 81 characters",
    '      Arguments: {"url":"https://example.com"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Shown whole: 81 characters",
    "      Made safe: 1 forged marker escaped, 1 secret hidden",
    "    broken: 22 characters, an error",
    '      Arguments: {"id": 12345678901234567890, "deep": {"a": [1, 2], "b": {}}}',
    "      Receipt: Failed: not found",
    "      Permission: Allowed by rule: reads run unasked",
    "      Shown whole: 22 characters, an error",
    "    fetch_result: Refused: this session never issued the handle",
    '      Arguments: {"handle":"claim:…"}',
    "      Receipt: Ran as asked: the policy has no limit for this tool",
    "      Permission: Allowed by rule: reads run unasked",
    "      Refused: this session never issued the handle",
    "      Handle refused: this session never issued the handle",
    "  Turn 5: The notice period is ninety days.",
    "    Request: 13 messages, 7,716 characters",
    "    Reply: The notice period is ninety days.",
    "    Run ended: answered",
  ]);
});

test("a row has one key, and keeps it in every later state", async () => {
  const house = await richHouse();
  const keysAfter = (events: number): string[] => {
    const all = (rows: readonly Row[]): string[] =>
      rows.flatMap(({ key, children }) => [key, ...all(children())]);
    return all(rowsFrom(viewOf(house, events)));
  };
  let before: string[] = [];
  for (let events = 1; events <= house.events.length; events++) {
    const keys = keysAfter(events);
    assert.equal(new Set(keys).size, keys.length);
    const isReply = (key: string) => key.endsWith("/reply"); // it stands for the reply that is awaited, too
    for (const key of before)
      assert.ok(keys.includes(key) || isReply(key), `${key} is gone at event ${events}`);
    before = keys;
  }
});

test("a receipt's details say what was decided, by which policy, and what came back", async () => {
  const details = find(rowsFrom(viewOf(await richHouse())), "s1/t3/t3c0/receipt").details();
  assert.equal(fact(details, "Decision"), "Limit lowered");
  assert.equal(fact(details, "Reason"), "More than the policy's maximum");
  assert.equal(fact(details, "Lowered"), "limit 500 → 10");
  assert.equal(fact(details, "Result limits"), "Enforce");
  assert.match(fact(details, "Policy") ?? "", /^thimble\/test 1\.0\.0 \([0-9a-f]{8}\)$/);
  assert.equal(fact(details, "Items"), "10");
  assert.equal(fact(details, "Bytes"), "170");
  assert.match(fact(details, "Tokens") ?? "", /^\d+ \(estimated: .+\)$/);
  assert.equal(fact(details, "Continuation"), "The rest can be asked for from a later offset");
  assert.notEqual(fact(details, "Digest, run"), fact(details, "Digest, asked"));
});

test("a result's details have the text that the model was shown, whole", async () => {
  const view = viewOf(await richHouse());
  const { texts } = find(rowsFrom(view), "s1/t1/t1c0/result").details();
  assert.deepEqual(texts, [{ label: "Shown to the model", text: view.turns[0]?.calls[0]?.result?.text }]);
});

test("002 D10 a result's details say that it came from outside, and only then", async () => {
  for (const reach of ["outside", undefined] as const) {
    const house = await openHouse({
      tools: [tool("page", () => "text", reach ? { reach } : {})],
      replies: [{ calls: [{ name: "page", arguments: {} }] }, { say: "Done." }],
    });
    await house.ask("Go.");
    const origin = fact(find(rowsFrom(viewOf(house)), "s1/t1/t1c0/result").details(), "Origin");
    assert.equal(origin, reach && "From outside, marked as untrusted");
  }
});

test("C21 a result that could not be stored is shown as cut, with the reason", async () => {
  const house = await openHouse({
    tools: [tool("read_file", () => "x".repeat(30_000), { class: "read" })],
    replies: [{ calls: [{ name: "read_file", arguments: {} }] }, { say: "Done." }],
    putFails: "ENOSPC",
  });
  await house.ask("Read.");
  const row = find(rowsFrom(viewOf(house)), "s1/t1/t1c0/result");
  assert.equal(row.label, "Cut");
  assert.match(row.description, /shown; the store could not take it \(ENOSPC\)/);
  assert.equal(row.opens, null);
});

test("C16 with storing turned off nothing can be opened", async () => {
  const house = await openHouse({
    settings: withClaimCheck({ enabled: false }),
    tools: [tool("read_file", () => "x".repeat(6000), { class: "read" })],
    replies: [{ calls: [{ name: "read_file", arguments: {} }] }, { say: "Done." }],
  });
  await house.ask("Read.");
  assert.equal(find(rowsFrom(viewOf(house)), "s1/t1/t1c0").opens, null);
});

test("an image and a file that is no text are rows of their call: type, size, and whether they were shown", async () => {
  const parts = [part("image/png", 48_211), part("application/pdf", 20_000)];
  const replies = [{ calls: [{ name: "look", arguments: { path: "logo.png" } }] }, { say: "Done." }];
  const house = await openHouse({ replies, tools: [returning("look", [parts])], model: seeing(replies) });
  await house.ask("Look.");
  const rows = rowsFrom(viewOf(house));
  const call = find(rows, "s1/t1/t1c0");
  assert.equal(call.description, "logo.png · image/png, 48,211 bytes · 1 more");
  const [first] = house.eventsOf("tool_result_stored");
  assert.equal(call.opens, first?.handle);
  assert.deepEqual(
    picture(call.children()).filter((row) => /^(Image|Not text)/.test(row)),
    [
      "Image: image/png, 48,211 bytes, shown as an image ⇗",
      "Not text: application/pdf, 20,000 bytes, stored, not shown ⇗",
    ],
  );
  assert.equal(fact(find(rows, "s1/t1/t1c0/media0").details(), "Handle"), first?.handle);
  assert.equal(fact(find(rows, "s1/t2/request").details(), "Images"), "48,211 bytes");
});

test("§5 a result over its envelope: its records, an answer, a branch that failed, and what observe would have done", async () => {
  const rows = async (branch: BranchPart, mode: "observe" | "enforce" = "enforce") => {
    const replies = [{ calls: ["issues", "log"].map((name) => ({ name, arguments: {} })) }, { say: "Done." }];
    const items = Array.from({ length: 40 }, (_, id) => ({ id, title: "x".repeat(200) }));
    const house = await openHouse({
      replies,
      model: modelWithBranch(replies, branch),
      policy: artifactWith([contractWith({ tool: "issues", items: "/items" })], {
        on_unshapable_response: "micro_context",
      }),
      settings: {
        limits: { mode, hardMaximum: null },
        responses: { ...DEFAULT_SETTINGS.responses, microContext: true },
      },
      tools: [
        tool("issues", () => JSON.stringify({ items, total: 40 })),
        tool("log", () => `the tide came in at 04:12\n${"nothing happened\n".repeat(5000)}`),
      ],
    });
    await house.ask("When did the tide come in?");
    return rowsFrom(viewOf(house));
  };
  const told = (all: readonly Row[]) =>
    picture(all)
      .filter((line) => /^ *(Envelope|Branch|First records|Answered apart|Receipt):/.test(line))
      .map((line) => line.trim());
  const answered = await rows(
    answering("At 04:12.", [{ quote: "the tide came in at 04:12" }, { pointer: "/x" }]),
  );
  assert.deepEqual(told(answered), [
    "Receipt: Ran as asked: no limit was asked for",
    "First records: 2,507 characters shown ⇗",
    "Envelope: 40 items, envelope 10: the first 10 of 40 records are shown",
    "Receipt: Answered apart: more bytes than its envelope",
    "Answered apart: 577 characters shown ⇗",
    "Branch: 85,026 bytes, envelope 65,536: answered apart (partial)",
  ]);
  const { facts } = find(answered, "s1/t1/t1c1/response").details();
  assert.deepEqual(
    ["Model", "Citations", "Tokens of the branch", "Complete"].map((label) =>
      fact({ facts, texts: [] }, label),
    ),
    ["scripted", "1 of 2 verified, 1 left out", "900 in, 40 out", "partial"],
  );
  const failed = await rows(saying("I cannot help with that."));
  assert.deepEqual(told(failed).slice(3), [
    "Receipt: Branch failed: more bytes than its envelope",
    "Branch: 85,026 bytes, envelope 65,536: branch failed, the model did not answer in the form that was asked for",
  ]);
  assert.deepEqual(
    told(await rows(saying(""), "observe")).filter((line) => !line.startsWith("Receipt")),
    [
      "Envelope: 40 items, envelope 10: the first 10 of 40 records would be shown",
      "Branch: 85,026 bytes, envelope 65,536: a model would answer from it",
    ],
  );
});
