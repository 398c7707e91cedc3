/** CONFORMANCE §5 as tables: the order, the reasons, and what is never changed. */
import assert from "node:assert/strict";
import type { Question } from "../../../src/thimble/decide";
import { loadPolicy } from "../../../src/thimble/load";
import { sha256 } from "../../support/hash";
import { ask, contractWith, picture, policyWith, SEED_CONTRACT } from "../../support/thimble";

const POLICY = policyWith({});
const ASKED = '{"query":"open","limit":500}';
const CLAMPED = "clamp requested_items_above_policy_maximum /limit 500→10";

/** Cases: question fields → picture, all on the call that asks for 500. */
function check(cases: [string, Partial<Question>, string][], policy = POLICY, text = ASKED): void {
  for (const [name, fields, expected] of cases)
    assert.equal(picture(ask(text, policy, fields)), expected, name);
}

suite("thimble/decide", () => {
  test("vectors: the digests of the original and of the spliced arguments", () => {
    const policy = policyWith({ ...SEED_CONTRACT, read_only: true });
    const { proposal, effectiveArguments } = ask('{"query":"open","per_page":500}', policy, {
      tool: "github.search_issues",
    });
    assert.equal(effectiveArguments, '{"query":"open","per_page":10}');
    assert.equal(proposal.originalSha256, "24933d70a0114a2483bcdc573837c5bbbfac9933fe30a718e9dfe4cb8acc667f");
    assert.equal(
      proposal.effectiveSha256,
      "0b849854288cc3e0578344fd0e964905ce505e39a9488b98c5bce13279d8b8f5",
    );
  });

  test("never changed: whatever is not an integer in range leaves no trace in the arguments", () => {
    const cases: [string, string][] = [
      ["500.0", "not_an_integer"],
      ["30.0", "not_an_integer"], // fff#323
      ["1.5", "not_an_integer"],
      ['"500"', "not_an_integer"],
      ["-1", "outside_range"],
      ["-500", "outside_range"],
      ["-0", "not_an_integer"],
      ["1e3", "not_an_integer"],
      ["1E+3", "not_an_integer"],
      ["true", "not_an_integer"],
      ["{}", "not_an_integer"],
      ["[]", "not_an_integer"],
      ["[500]", "not_an_integer"],
      ["null", "not_an_integer"],
      ["0", "within_budget"],
      ["10", "within_budget"],
      ["9223372036854775808", "outside_range"],
      ["18446744073709551616", "outside_range"],
      [`1${"0".repeat(400)}`, "outside_range"],
    ];
    for (const [value, reason] of cases) {
      const decision = ask(`{"limit":${value}}`, POLICY);
      assert.equal(picture(decision), `pass ${reason}`, value);
      assert.equal(decision.effectiveArguments, null, value);
      assert.equal(decision.proposal.effectiveSha256, decision.proposal.originalSha256, value);
    }
  });

  test("never changed: text that is not exactly one JSON value", () => {
    const texts = [
      '{"limit":999}}',
      '\ufeff{"limit":999}',
      '{"limit":',
      "",
      "{'limit':999}",
      '{"limit":0999}',
      '{"limit":999,}',
    ];
    for (const text of texts) assert.equal(picture(ask(text, POLICY)), "pass invalid_json", text);
  });

  test("the integers around 2^53 and 2^63 are read from the raw token", () => {
    const clamped = (value: string) =>
      picture(ask(`{"limit":${value}}`, POLICY))
        .split(" ")
        .at(-1);
    assert.equal(clamped("9007199254740991"), "9007199254740991→10");
    assert.equal(clamped("9007199254740993"), "9007199254740993→10");
    assert.equal(clamped("9223372036854775807"), "9223372036854775807→10");
    assert.equal(clamped("9223372036854775808"), "outside_range");
  });

  test("the range of the contract decides what is a legal count (firecrawl-mcp-server#376)", () => {
    const policy = policyWith({ range: { minimum: 1, maximum: 100 } });
    const reasons = ["0", "1", "100", "101", "1.5"].map((v) => ask(`{"limit":${v}}`, policy).proposal.reason);
    assert.deepEqual(reasons, [
      "outside_range",
      "within_budget",
      "requested_items_above_policy_maximum",
      "outside_range",
      "not_an_integer",
    ]);
    assert.match(picture(ask('{"limit":101}', policyWith({}))), /101→10/);
  });

  test("missing, ambiguous, nested, escaped and indexed arguments", () => {
    assert.equal(picture(ask('{"query":"open"}', POLICY)), "pass argument_missing");
    for (const text of ["[]", "5", '"limit"', '{"options":{"limit":500}}']) {
      assert.equal(picture(ask(text, POLICY)), "pass argument_missing", text);
    }
    assert.equal(picture(ask('{"limit":5,"limit":500}', POLICY)), "pass ambiguous_argument");
    assert.equal(picture(ask(String.raw`{"limit":500,"\u006cimit":500}`, POLICY)), "pass ambiguous_argument");
    const splices: [string, string, string][] = [
      ["/options/per_page", '{"options":{ "per_page" : 500 }}', '{"options":{ "per_page" : 10 }}'],
      ["/a~1b/m~0n", '{"a/b":{"m~n":500}}', '{"a/b":{"m~n":10}}'],
      [
        "/queries/1/limit",
        '{"queries":[{"limit":77},{"limit":500}]}',
        '{"queries":[{"limit":77},{"limit":10}]}',
      ],
      [
        "/limit",
        '{\r\n\t"cursor":9007199254740993123,"limit":500 ,"q":"\\u00e9 é 😀"}',
        '{\r\n\t"cursor":9007199254740993123,"limit":10 ,"q":"\\u00e9 é 😀"}',
      ],
    ];
    for (const [argument, text, expected] of splices) {
      assert.equal(ask(text, policyWith({ argument })).effectiveArguments, expected);
    }
  });

  test("of an argument and its aliases the first one present counts", () => {
    const policy = policyWith({ aliases: ["/max_results", "/n"] });
    assert.match(picture(ask('{"n":500}', policy)), /\/n 500→10/);
    assert.match(picture(ask('{"n":5,"max_results":500}', policy)), /\/max_results 500→10/);
    assert.equal(picture(ask('{"n":500,"limit":5}', policy)), "pass within_budget");
    assert.deepEqual(ask('{"n":500}', policy).proposal.contract, { tool: "search", argument: "/limit" });
  });

  test("modes: the lowest of session, artifact and contract", () => {
    check([
      ["enforce", {}, CLAMPED],
      ["observe", { mode: "observe" }, "pass observe_only (/limit 500→10)"],
      ["off", { mode: "off" }, "pass mode_off"],
      ["off comes before the contract", { mode: "off", tool: "unknown" }, "pass mode_off"],
    ]);
    check([["contract observes", {}, "pass observe_only (/limit 500→10)"]], policyWith({ mode: "observe" }));
    check([["contract is off", {}, "pass mode_off"]], policyWith({ mode: "off" }));
    check(
      [["contract cannot raise", { mode: "observe" }, "pass observe_only (/limit 500→10)"]],
      policyWith({ mode: "enforce" }),
    );
    assert.equal(ask(ASKED, POLICY, { mode: "observe" }).proposal.mode, "observe");
    assert.equal(ask(ASKED, POLICY, { mode: "observe" }).effectiveArguments, null);
  });

  test("unknown tools, mismatched schemas, unusable contracts", () => {
    check([
      ["unknown tool", { tool: "search2" }, "pass unknown_tool_contract"],
      ["names are not guessed", { tool: "Search" }, "pass unknown_tool_contract"],
      ["schema", { schemaMismatch: true }, "pass contract_schema_mismatch"],
      [
        "schema comes before the exemption",
        { schemaMismatch: true, intent: "export" },
        "pass contract_schema_mismatch",
      ],
      ["the tool writes", { toolReadOnly: false }, "pass not_read_only"],
    ]);
    check([["unsafe", {}, "pass invalid_contract"]], policyWith({ safe_to_reduce: false }));
    check([["contradicts itself", {}, "pass invalid_contract"]], policyWith({ minimum: 11 }));
    check([["second of two", {}, CLAMPED]], policyWith({}, {}));
    check([["writes", {}, "pass not_read_only"]], policyWith({ read_only: false }));
    const silent = loadPolicy(
      JSON.stringify({ ...POLICY.artifact, contracts: [{ ...contractWith(), read_only: undefined }] }),
      sha256,
    );
    assert.ok(silent.kind === "ok");
    check(
      [
        ["nobody says read-only", {}, "pass not_read_only"],
        ["the annotation does", { toolReadOnly: true }, CLAMPED],
        ["observed all the same", { mode: "observe" }, "pass observe_only (/limit 500→10)"],
      ],
      silent.policy,
    );
  });

  test("a contract for one server does not act on another's tool", () => {
    const policy = policyWith({ server: "github" });
    check(
      [
        ["same", { server: "github" }, CLAMPED],
        ["other", { server: "gitlab" }, "pass contract_schema_mismatch"],
        ["unknown", {}, "pass contract_schema_mismatch"],
      ],
      policy,
    );
  });

  test("a server's tool answers to its own name at its server, and to the model's name for it; never to ours", () => {
    const live = { server: "github", offeredAs: "gh__search" };
    const at = { server: "github" };
    check([["ours of the same name", live, "pass unknown_tool_contract"]]);
    check([["its server's", live, CLAMPED]], policyWith(at));
    check([["the model's name for it", live, CLAMPED]], policyWith({ tool: "gh__search" }));
    check([["another's", { ...live, server: "x" }, "pass contract_schema_mismatch"]], policyWith(at));
    const exempt = (tool: string) => ({ ...live, exemptions: [{ id: "e", tool }] });
    check([["exempt as offered", exempt("gh__search"), "pass exempt"]], policyWith(at));
    check([["ours is exempt", exempt("search"), CLAMPED]], policyWith(at));
  });

  test("intent and exemptions end the order before the arguments are read", () => {
    const mine = { id: "inventory", tool: "search" };
    check([
      ["intent", { intent: "exhaustive" }, "pass structured_intent"],
      ["exempt", { exemptions: [mine] }, "pass exempt"],
      ["whole session", { exemptions: [{ id: "s", tool: null }] }, "pass exempt"],
      ["other tool's", { exemptions: [{ id: "o", tool: "other" }] }, CLAMPED],
      ["intent first", { intent: "export", exemptions: [mine] }, "pass structured_intent"],
      ["observe too", { intent: "export", mode: "observe" }, "pass structured_intent"],
    ]);
    check([["bad JSON", { intent: "export" }, "pass structured_intent"]], POLICY, "{");
    assert.equal(ask(ASKED, POLICY, { exemptions: [mine] }).proposal.exemption, "inventory");
    assert.equal(ask(ASKED, POLICY, { intent: "export" }).proposal.exemption, "intent:export");
    assert.equal(ask(ASKED, POLICY, { intent: "export", tool: "unknown" }).proposal.exemption, null);
    assert.equal(ask(ASKED, POLICY, { exemptions: [mine], mode: "off" }).proposal.exemption, null);
  });

  test("a hard maximum is above contracts, intent and exemptions", () => {
    const exemptions = [{ id: "x", tool: null }];
    check([
      ["excused up to it", { intent: "exhaustive", hardMaximum: 100 }, "clamp hard_maximum /limit 500→100"],
      ["exempt up to it", { exemptions, hardMaximum: 100 }, "clamp hard_maximum /limit 500→100"],
      ["excused below it", { exemptions, hardMaximum: 500 }, "pass within_budget"],
      ["not excused: the contract is lower", { hardMaximum: 100 }, CLAMPED],
      ["not excused: it is lower", { hardMaximum: 7 }, "clamp hard_maximum /limit 500→7"],
      ["observed", { exemptions, hardMaximum: 100, mode: "observe" }, "pass observe_only (/limit 500→100)"],
      ["no contract", { tool: "unknown", hardMaximum: 1 }, "pass unknown_tool_contract"],
    ]);
    check([["bad JSON", { intent: "export", hardMaximum: 9 }, "pass invalid_json"]], POLICY, "{");
    check(
      [["not below the floor", { hardMaximum: 3 }, "clamp hard_maximum /limit 500→5"]],
      policyWith({ minimum: 5 }),
    );
    assert.equal(ask(ASKED, POLICY, { exemptions, hardMaximum: 100 }).proposal.exemption, "x");
  });

  test("paging: only a first page is made smaller; offsets and cursors go on exactly", () => {
    const paged = (first?: 0 | 1) =>
      policyWith({
        continuation: { kind: "page", argument: "/page", ...(first !== undefined && { first }) },
      });
    const reason = (page: string, policy = paged()) => ask(`{"limit":500${page}}`, policy).proposal.reason;
    const clamped = "requested_items_above_policy_maximum";
    for (const page of ["", ',"page":0', ',"page":1']) assert.equal(reason(page), clamped, page);
    for (const page of ["2", "-1", '"1"', "1.0", "null", "[]"])
      assert.equal(reason(`,"page":${page}`), "paged_argument", page);
    assert.equal(reason(',"page":1,"page":2'), "ambiguous_argument");
    assert.equal(reason(',"page":1', paged(0)), "paged_argument");
    assert.equal(reason(',"page":0', paged(1)), "paged_argument");
    const offset = policyWith({ continuation: { kind: "offset", argument: "/offset" } });
    assert.equal(ask('{"offset":40,"limit":500}', offset).effectiveArguments, '{"offset":40,"limit":10}');
    const cursor = policyWith({ continuation: { kind: "cursor", argument: "/cursor" } });
    assert.equal(
      ask('{"cursor":12345678901234567890,"limit":500}', cursor).effectiveArguments, // getnote-mcp#15
      '{"cursor":12345678901234567890,"limit":10}',
    );
  });

  test("several contracts of one tool act together, and the clamp speaks for the call", () => {
    const policy = policyWith(
      { argument: "/first" },
      { argument: "/last", maximum: 3 },
      { argument: "/x", mode: "observe" },
    );
    const decision = ask('{"last":50,"x":60,"first":40}', policy);
    assert.equal(decision.effectiveArguments, '{"last":3,"x":60,"first":10}');
    assert.equal(
      picture(decision),
      "clamp requested_items_above_policy_maximum /first 40→10 /last 50→3 (/x 60→10)",
    );
    assert.equal(picture(ask('{"last":2}', policy)), "pass within_budget");
  });

  test("99999 items are clamped by contract (odata_mcp_go#13), 20 too where 10 is the ceiling (gbrain#953)", () => {
    assert.match(picture(ask('{"limit":99999}', POLICY)), /99999→10/);
    assert.match(picture(ask('{"limit":20}', POLICY)), /20→10/);
  });

  test("duplicate members never hide a count, and the other side sees the original bytes (envoy#45202, jacobian#1102)", () => {
    const decision = ask('{"limit":5,"limit":500}', POLICY);
    assert.equal(decision.effectiveArguments, null);
    assert.equal(decision.proposal.reason, "ambiguous_argument");
  });
});
