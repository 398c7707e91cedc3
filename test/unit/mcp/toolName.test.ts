/** Names that models take: valid, at most 64 characters, one for each tool of each server. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { toolNameOf } from "../../../src/mcp/toolName";
import { sha256 } from "../../../src/store/digest";

const nameOf = (server: string, tool: string) => toolNameOf(server, tool, sha256);

suite("mcp/toolName", () => {
  test("plain names stay readable; others are cut, and told apart by a digest", () => {
    assert.equal(nameOf("git", "git_log"), "git__git_log");
    assert.match(nameOf("my server", "list/all"), /^my_server__list_all_[0-9a-f]{8}$/);
    assert.match(nameOf("a", "n".repeat(200)), /^a__n{52}_[0-9a-f]{8}$/);
    assert.notEqual(nameOf("a__b", "c"), nameOf("a", "b__c"));
    assert.notEqual(nameOf("a_", "b"), nameOf("a", "_b"));
    assert.notEqual(nameOf("a b", "c"), nameOf("a/b", "c"));
  });

  test("any two tools have two valid names, the same in every run", () => {
    const text = fc.oneof(fc.string({ maxLength: 100 }), fc.stringMatching(/^[a_/]{1,6}$/));
    fc.assert(
      fc.property(text, text, text, text, (server, tool, otherServer, otherTool) => {
        const name = nameOf(server, tool);
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
        assert.equal(name, nameOf(server, tool));
        const isSame = server === otherServer && tool === otherTool;
        assert.equal(name === nameOf(otherServer, otherTool), isSame);
      }),
    );
  });
});
