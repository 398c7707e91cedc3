/** What of a message is counted, once. */
import assert from "node:assert/strict";
import { IMAGE_TOKENS, messageTokens } from "../../../src/history/messageTokens";
import { estimatedTokens } from "../../../src/history/tokens";
import type { Digest, Handle } from "../../../src/schema/claim";
import type { Message } from "../../../src/schema/message";
import type { TokenCounter } from "../../../src/schema/tokens";

/** A token per code unit, and what it was asked. */
function spy(): { counter: TokenCounter; asked: string[] } {
  const asked: string[] = [];
  const count = (text: string) => {
    asked.push(text);
    return text.length;
  };
  return { counter: { name: "units", count }, asked };
}

const handle = `claim:${"0".repeat(32)}` as Handle;
const image = {
  shown: "image",
  handle,
  sha256: "0".repeat(64) as Digest,
  mediaType: "image/png",
  bytes: 9,
} as const;
const line = { shown: "line", handle, mediaType: "application/pdf", bytes: 9, text: "1234567" } as const;
const result = { role: "tool", call: "t1c0", id: "id", name: "name", text: "123", isError: false } as const;
const calls = [
  { call: "t1c0", id: "not counted", name: "12", arguments: "123" },
  { call: "t1c1", id: "not counted", name: "1", arguments: "{}" },
];

suite("history/messageTokens", () => {
  const CASES: readonly (readonly [what: string, message: Message, tokens: number])[] = [
    ["the person's text", { role: "user", text: "1234" }, 4],
    ["a reply's text, names and arguments", { role: "assistant", text: "12345", calls }, 5 + 2 + 3 + 1 + 2],
    ["a result's text, no name and no id", result, 3],
    ["lines that stand for media", { ...result, media: [line, line] }, 3 + 7 + 7],
    ["images, flat", { ...result, media: [image] }, 3 + IMAGE_TOKENS],
    ["images with their label", { ...result, media: [{ ...image, label: "12" }] }, 3 + IMAGE_TOKENS + 2],
  ];
  for (const [what, message, tokens] of CASES)
    test(`counted: ${what}`, () => assert.equal(messageTokens(message, spy().counter), tokens));

  test("a message is counted once by each counter; an equal one is another message", () => {
    const message: Message = { role: "assistant", text: "some text", calls };
    const { counter, asked } = spy();
    const first = messageTokens(message, counter);
    const questions = asked.length;
    assert.equal(messageTokens(message, counter), first);
    assert.equal(asked.length, questions);
    messageTokens({ ...message }, counter);
    assert.equal(asked.length, 2 * questions);
    assert.notEqual(messageTokens(message, estimatedTokens), first);
    assert.equal(messageTokens(message, counter), first);
  });

  test("the estimate without a tokenizer says so, and counts code points", () => {
    assert.equal(estimatedTokens.name, "chars/3.3");
    assert.deepEqual(["", "a", "abc", "abcd", "🚀🚀🚀"].map(estimatedTokens.count), [0, 1, 1, 2, 1]);
  });
});
