/** Every clamp is disclosed, in the words of the tool's own arguments. */
import assert from "node:assert/strict";
import type { Contract } from "../../../src/schema/policy";
import { BUILTIN_ARTIFACT, builtinPolicy } from "../../../src/thimble/builtin";
import { disclose } from "../../../src/thimble/disclosure";
import { loadPolicy } from "../../../src/thimble/load";
import { sha256 } from "../../support/hash";
import { ask, picture, policyWith } from "../../support/thimble";

function line(text: string, ...contracts: Partial<Contract>[]): string | null {
  const policy = policyWith(...contracts);
  return disclose(ask(text, policy).proposal, policy, text);
}

const PAGE: Partial<Contract> = { argument: "/per_page", continuation: { kind: "page", argument: "/page" } };
const OFFSET: Partial<Contract> = { continuation: { kind: "offset", argument: "/offset" } };
const LOWERED = "[limit lowered from 500 to 10 by policy; later items were not requested.";
const NO_WAY_ON = `${LOWERED} Ask again with a narrower question, or ask the user for an exemption.]`;

suite("thimble/disclosure", () => {
  test("No hidden incompleteness: pages go on with the next page at the lowered size", () => {
    const expected =
      "[per_page lowered from 500 to 10 by policy; later items were not requested. Continue with page=2, per_page=10.]";
    assert.equal(line('{"per_page":500}', PAGE), expected);
    assert.equal(line('{"page":1,"per_page":500}', PAGE), expected);
    assert.match(line('{"page":0,"per_page":500}', PAGE) ?? "", /Continue with page=1, per_page=10\.\]$/);
    const zeroBased: Partial<Contract> = { continuation: { kind: "page", argument: "/page", first: 0 } };
    assert.match(line('{"limit":500}', zeroBased) ?? "", /Continue with page=1, limit=10\.\]$/);
  });

  test("offsets: from the given offset on", () => {
    assert.equal(line('{"limit":500}', OFFSET), `${LOWERED} Continue with offset=10, limit=10.]`);
    assert.equal(line('{"limit":500,"offset":40}', OFFSET), `${LOWERED} Continue with offset=50, limit=10.]`);
    for (const offset of ['"40"', "-1", "1e3", "12345678901234567890", '1,"offset":2']) {
      assert.equal(line(`{"limit":500,"offset":${offset}}`, OFFSET), NO_WAY_ON, offset);
    }
  });

  test("cursors, and tools that cannot go on", () => {
    const cursor: Partial<Contract> = { continuation: { kind: "cursor", argument: "/after" } };
    assert.equal(
      line('{"limit":500}', cursor),
      `${LOWERED} Continue with the cursor that the result gives.]`,
    );
    assert.equal(line('{"limit":500}', {}), NO_WAY_ON);
    assert.equal(line('{"limit":500}', { continuation: { kind: "rerun" } }), NO_WAY_ON);
  });

  test("nested names are told as the tool nests them, odd ones in quotes", () => {
    assert.match(
      line('{"options":{"per_page":500}}', { argument: "/options/per_page" }) ?? "",
      /^\[options\.per_page lowered/,
    );
    assert.match(line('{"a]\\n[b":500}', { argument: "/a]\n[b" }) ?? "", /^\["a\]\\n\[b" lowered/);
  });

  test("one line per lowered argument, none without a clamp", () => {
    assert.equal(line('{"limit":500,"n":50}', OFFSET, { argument: "/n" })?.split("\n").length, 2);
    assert.equal(line('{"limit":5}', OFFSET), null);
    assert.equal(line('{"limit":500}', { ...OFFSET, mode: "observe" }), null);
  });
});

suite("thimble/builtin", () => {
  const policy = builtinPolicy(sha256);
  const search = { tool: "search_text" };

  test("the built-in artifact passes its own loader without a note", () => {
    const loading = loadPolicy(JSON.stringify(BUILTIN_ARTIFACT), sha256);
    assert.ok(loading.kind === "ok");
    assert.deepEqual(loading.notes, []);
    assert.deepEqual(loading.policy.identity, policy.identity);
  });

  test("enforce: a search for 500 runs with 10; observe: with 500, and a proposal exists", () => {
    const text = '{"pattern":"tide","limit":500}';
    assert.equal(ask(text, policy, search).effectiveArguments, '{"pattern":"tide","limit":10}');
    assert.equal(ask(text, policy, { ...search, mode: "observe" }).effectiveArguments, null);
    assert.equal(
      picture(ask(text, policy, { ...search, mode: "observe" })),
      "pass observe_only (/limit 500→10)",
    );
    assert.equal(
      disclose(ask(text, policy, search).proposal, policy, text),
      "[limit lowered from 500 to 10 by policy; later items were not requested. Continue with offset=10, limit=10.]",
    );
    // OpenBitFun#1358: a listing of 1200
    assert.match(picture(ask('{"limit":1200}', policy, { tool: "list_files" })), /1200→50/);
  });

  test("negative witnesses: exhaustive intent and an unknown tool pass", () => {
    assert.equal(
      picture(ask('{"limit":500}', policy, { ...search, intent: "exhaustive" })),
      "pass structured_intent",
    );
    assert.equal(picture(ask('{"limit":500}', policy, { tool: "read_file" })), "pass unknown_tool_contract");
    assert.equal(picture(ask('{"max":500}', policy, search)), "pass argument_missing");
  });
});
