/** C25, C26 and the rest of what a server may return: how it becomes text, media and an outcome. */
import assert from "node:assert/strict";
import { outcomeOf } from "../../../src/mcp/result";

/** What becomes of a result that a server wrote like this. */
function outcome(result: string) {
  const line = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  return outcomeOf(JSON.parse(line).result, line, (text) => text.replaceAll("hush", "[env:KEY]"));
}
const text = (result: string): string => outcome(result).text;
const said = (...parts: object[]): string => JSON.stringify({ content: parts });
const base64 = (words: string): string => Buffer.from(words).toString("base64");

suite("mcp/result", () => {
  test("C26 structured content alone is the text, in the server's own bytes", () => {
    const structured = '{ "id": 12345678901234567890, "a": [1.0, 1.50] }';
    const made = outcome(`{"content":[],"structuredContent":${structured}}`);
    assert.deepEqual(made, { kind: "ok", text: structured, json: structured });
    assert.equal(text(`{"structuredContent":{}}`), "{}");
  });

  test("C26 structured content that is in the text too is there once, however it is laid out", () => {
    const both = (words: string, json: string) =>
      text(`{"content":[{"type":"text","text":${JSON.stringify(words)}}],"structuredContent":${json}}`);
    assert.equal(both('{"b":[1],"a":2}', '{"a":2,"b":[1]}'), '{"b":[1],"a":2}');
    assert.equal(both('{\n  "a": 2\n}\n', '{"a":2}'), '{\n  "a": 2\n}\n');
    assert.equal(
      both('{"id":12345678901234567890}', '{"id":12345678901234567890}'),
      '{"id":12345678901234567890}',
    );
    assert.equal(both("line\n", '{"content":"line\\n"}'), "line\n"); // server-filesystem; FastMCP says "result"
    // Not the same: another value, prose, or numbers that only look the same once they are rounded.
    assert.equal(both('{"a":1}', '{"a":2}'), '{"a":1}\n\n{"a":2}');
    assert.equal(both("a", '{"content":"a","more":1}'), 'a\n\n{"content":"a","more":1}');
    assert.equal(both("Two rows.", '{"rows":2}'), 'Two rows.\n\n{"rows":2}');
    const [a, b] = ['{"id":12345678901234567890}', '{"id":12345678901234567891}'];
    assert.equal(both(a, b), `${a}\n\n${b}`);
  });

  test("several texts are joined in order; links and embedded texts are text", () => {
    const parts = [
      { type: "text", text: "one" },
      {
        type: "resource_link",
        uri: "file:///a",
        name: "A",
        mimeType: "text/plain",
        description: "the first",
      },
      { type: "resource", resource: { uri: "x:1", text: "inside", mimeType: "text/plain" } },
      { type: "text", text: "" },
      { type: "hologram", data: 7 },
    ];
    assert.equal(
      text(said(...parts)),
      'one\n\n[Resource file:///a; A; text/plain; the first]\n\n[Resource x:1]\ninside\n\n\n\n{"type":"hologram","data":7}',
    );
    assert.equal(text(said({ type: "text", text: "  as it is\n" })), "  as it is\n");
  });

  test("C25 images, sound and binary resources are media parts; data that is no base64 is told", () => {
    const made = outcome(
      said(
        { type: "image", data: base64("png"), mimeType: "image/PNG; x=1" },
        { type: "audio", data: base64("wav"), mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "x:2", blob: base64("zip"), mimeType: "application/zip" } },
        { type: "resource", resource: { uri: "x:3", blob: base64("?") } },
        { type: "image", data: "not base64!", mimeType: "image/png" },
      ),
    );
    assert.deepEqual(
      made.media?.map(({ mediaType, bytes }) => [mediaType, Buffer.from(bytes).toString()]),
      [
        ["image/png", "png"],
        ["audio/wav", "wav"],
        ["application/zip", "zip"],
        ["application/octet-stream", "?"],
      ],
    );
    assert.equal(made.text, "[Resource x:2]\n\n[Resource x:3]\n\n[image: its data is not base64]");
  });

  test("an error that the server reports is one; what cannot say whether it failed is unknown, never ok", () => {
    const failed = outcome('{"content":[{"type":"text","text":"no such row"}],"isError":true}');
    assert.deepEqual(failed, { kind: "failed", code: "tool_error", text: "no such row" });
    for (const result of [
      "{}",
      "null",
      "42",
      '"done"',
      "[]",
      '{"content":"done"}',
      '{"content":[],"isError":"yes"}',
      '{"toolResult":1}',
    ]) {
      const unknown = outcome(result);
      assert.equal(unknown.kind, "unknown", result);
      assert.equal(unknown.text, `The server's answer is no tool result:\n${result}`);
    }
    assert.deepEqual(outcome('{"content":[]}'), { kind: "ok", text: "" });
  });

  test("secrets of the server's settings are hidden in every form of text", () => {
    assert.equal(
      text('{"content":[{"type":"text","text":"a hush"}],"structuredContent":{"k":"hush"}}'),
      'a [env:KEY]\n\n{"k":"[env:KEY]"}',
    );
    assert.equal(text('{"odd":"hush"}'), 'The server\'s answer is no tool result:\n{"odd":"[env:KEY]"}');
  });
});
