/** The offline model: its place is read off the messages, handles come out of tickets it was really sent. */
import assert from "node:assert/strict";
import { parseScript, type Script } from "../../../src/models/script";
import { createScriptedModel } from "../../../src/models/scripted";

import type { ReplyPart, SentMessage } from "../../../src/schema/model";
import { hasCode } from "../../support/storeFolder";

const HANDLE = `claim:${"0".repeat(32)}`;
const TICKET = `head\n\n[9000 characters, 8488 not shown. Call fetch_result with handle='${HANDLE}' to read the rest.]`;
const user = (text: string): SentMessage => ({ role: "user", text });
const said: SentMessage = { role: "assistant", text: "said", calls: [] };
const result = (name: string, text: string): SentMessage => ({
  role: "tool",
  call: "t1c0",
  id: "x",
  name,
  text,
  isError: false,
});

async function replyTo(script: unknown, messages: SentMessage[]): Promise<ReplyPart[]> {
  const model = createScriptedModel(parseScript(JSON.stringify(script), "demo.json"), async () => undefined);
  const parts: ReplyPart[] = [];
  for await (const part of model.reply({ system: "", tools: [], messages }, new AbortController().signal))
    parts.push(part);
  return parts;
}

const SCRIPT = {
  name: "Demo",
  conversations: [
    [
      { say: "one" },
      { calls: [{ name: "fetch_result", arguments: { handle: "{{handle:read_file}}", q: "{{question}}" } }] },
    ],
    [{ say: "second: {{question}}" }],
  ],
};

test("a reply follows from what was asked and said so far, and from nothing else", async () => {
  const words = async (...messages: SentMessage[]) =>
    (await replyTo(SCRIPT, messages)).map((part) => (part.kind === "text" ? part.text : part.kind)).join("");
  assert.equal(await words(user("a")), "one");
  assert.equal(await words(user("a"), said, said), "The script ends here.");
  assert.equal(await words(user("a"), said, user("b c")), "second: b c");
  assert.equal(await words(user("a"), user("b"), user("c")), "second: c"); // the last conversation serves every later question
});

test("a handle is quoted out of the latest ticket of that tool, and stays a gap where there is none", async () => {
  const argumentsOf = async (...messages: SentMessage[]) => {
    const [part] = await replyTo(SCRIPT, messages);
    return part?.kind === "call" ? JSON.parse(part.arguments) : assert.fail();
  };
  const quoted = 'say "hi"\n';
  assert.deepEqual(await argumentsOf(user(quoted), said, result("read_file", TICKET)), {
    handle: HANDLE,
    q: quoted,
  });
  for (const other of [result("search_text", TICKET), result("read_file", "no ticket")])
    assert.equal((await argumentsOf(user("a"), said, other)).handle, "{{handle:read_file}}");
});

test("its window is the one that the script says, and otherwise nobody knows it", () => {
  const windowOf = (script: Script) => createScriptedModel(script, async () => undefined).info.maxInputTokens;
  assert.equal(windowOf(SCRIPT), null);
  assert.equal(windowOf({ ...SCRIPT, maxInputTokens: 32_000 }), 32_000);
});

test("a script that is none is refused with its file and its place", () => {
  const cases: [string, RegExp][] = [
    ["{", /demo\.json is not valid JSON/],
    ["{}", /demo\.json is not a script: .* at name/],
    ['{"name":"x","conversations":[]}', /at conversations/],
    ['{"name":"x","conversations":[[{"says":"typo"}]]}', /at conversations\.0\.0/],
    ['{"name":"x","conversations":[[{"pauseMs":-1}]]}', /at conversations\.0\.0\.pauseMs/],
    ['{"name":"x","maxInputTokens":0,"conversations":[[{}]]}', /at maxInputTokens/],
  ];
  for (const [text, message] of cases)
    assert.throws(
      () => parseScript(text, "demo.json"),
      (cause) => hasCode("script-invalid")(cause) && message.test(String(cause)),
      text,
    );
});

test("it says which images it was sent, and quotes the handle of one that it was not shown", async () => {
  const script = { name: "s", images: true, conversations: [[{ say: "{{images}} {{handle:look}}" }]] };
  const image = { mediaType: "image/png", bytes: Buffer.from("123") };
  const line = `[Not shown: image/png from look, 9 bytes, digest ${"0".repeat(64)}, handle='${HANDLE}': it can no longer be read.]`;
  const said = async (...messages: SentMessage[]) =>
    (await replyTo(script, messages)).map((one) => (one.kind === "text" ? one.text : "")).join("");
  assert.equal(await said(user("a"), result("look", line)), `none ${HANDLE}`);
  const shown = { ...result("look", line), images: [image, image] } as SentMessage;
  assert.equal(await said(user("a"), shown), `image/png, 3 bytes; image/png, 3 bytes ${HANDLE}`);
  const able = (text: object) =>
    createScriptedModel(parseScript(JSON.stringify(text), "demo.json"), async () => undefined).info.abilities
      .images;
  assert.deepEqual([able(script), able({ ...script, images: false })], [true, undefined]);
});
