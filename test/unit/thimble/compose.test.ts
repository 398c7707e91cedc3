/** CONFORMANCE §5, Sources and live check: which contracts a session has, and which of them may act. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Contract, PolicyArtifact } from "../../../src/schema/policy";
import { sha256 } from "../../../src/store/digest";
import { compose, contractId, type OfferedTool, type PolicySource } from "../../../src/thimble/compose";
import { decide } from "../../../src/thimble/decide";
import { policyFrom } from "../../../src/thimble/policy";
import { loadSources } from "../../../src/thimble/sources";

const SCHEMA = { type: "object", properties: { per_page: { type: "integer" }, page: { type: "integer" } } };

const contract = (more: Partial<Contract> = {}): Contract => ({
  tool: "list_issues",
  argument: "/per_page",
  dimension: "items",
  safe_to_reduce: true,
  read_only: true,
  server: "hub",
  ...more,
});

const artifact = (contracts: Contract[], more: Partial<PolicyArtifact> = {}): PolicyArtifact => ({
  kind: "fak/tool-result-budget",
  version: "1.0.0",
  name: "test",
  mode: "enforce",
  default_budget: { items: 20 },
  contracts,
  ...more,
});

const source = (
  layer: PolicySource["layer"],
  contracts: Contract[],
  more: Partial<PolicyArtifact> = {},
  mayEnforce = true,
): PolicySource => ({
  layer,
  label: layer,
  policy: policyFrom(artifact(contracts, { name: layer, ...more }), sha256),
  mayEnforce,
});

const tool = (more: Partial<OfferedTool> = {}): OfferedTool => ({
  called: "hub__list_issues",
  server: "hub",
  name: "list_issues",
  inputSchema: SCHEMA,
  readOnlyHint: true,
  ...more,
});

/** What the session would decide of a call of the tool. */
function decided(sources: PolicySource[], offered: OfferedTool, given = '{"per_page":500}') {
  const { policy, mismatched } = compose(sources, [offered], sha256);
  const { proposal } = decide(
    {
      tool: offered.name,
      server: offered.server,
      argumentsText: given,
      mode: "enforce",
      hardMaximum: null,
      intent: null,
      exemptions: [],
      toolReadOnly: offered.readOnlyHint,
      schemaMismatch: mismatched.includes(offered.called),
    },
    policy,
    sha256,
  );
  return [
    proposal.decision,
    proposal.reason,
    proposal.changes[0]?.to ?? proposal.proposedChanges[0]?.to ?? null,
  ];
}

test("later sources take precedence, contract by contract, and what was overridden is told", () => {
  const sources = [
    source("workspace", [contract({ maximum: 5 })]),
    source("user", [contract({ maximum: 7 }), contract({ argument: "/page", maximum: 3 })]),
    source("pack", [contract({ maximum: 30 })]),
  ];
  assert.deepEqual(decided(sources, tool()), ["clamp", "requested_items_above_policy_maximum", 5]);
  const { policy, checks } = compose(sources, [tool()], sha256);
  assert.deepEqual(
    policy.artifact.contracts.map(({ argument, maximum }) => [argument, maximum]),
    [
      ["/per_page", 5],
      ["/page", 3],
    ],
  );
  assert.deepEqual(
    checks.filter(({ result }) => result === "overridden").map((check) => [check.source, check.reason]),
    [
      ["pack", "user"],
      ["user", "workspace"],
    ],
  );
  assert.equal(policy.artifact.name, "workspace + user");
});

test("a workspace's contracts only observe until its rules are approved here; modes of sources and contracts hold", () => {
  const lowered = [contract({ maximum: 5 })];
  assert.deepEqual(decided([source("workspace", lowered, {}, false)], tool()), ["pass", "observe_only", 5]);
  assert.deepEqual(decided([source("workspace", lowered)], tool())[0], "clamp");
  assert.deepEqual(decided([source("user", lowered, { mode: "observe" })], tool()), [
    "pass",
    "observe_only",
    5,
  ]);
  assert.deepEqual(decided([source("user", lowered, { mode: "off" })], tool()), ["pass", "mode_off", null]);
  const off = [source("pack", lowered), source("user", [contract({ mode: "off" })])];
  assert.deepEqual(decided(off, tool()), ["pass", "mode_off", null]);
  assert.deepEqual(decided([source("user", [contract()])], tool())[2], 20, "the source's own default budget");
});

test("each contract is checked against the live tool; what does not fit never acts, and says why", () => {
  const usable = [source("user", [contract({ maximum: 5 })])];
  const cases: [Partial<OfferedTool>, (string | number | null)[], string][] = [
    [{}, ["clamp", "requested_items_above_policy_maximum", 5], "usable"],
    [{ server: "other" }, ["pass", "unknown_tool_contract", null], ""],
    [{ server: null }, ["pass", "unknown_tool_contract", null], ""],
    [
      { inputSchema: { type: "object", properties: {} } },
      ["pass", "contract_schema_mismatch", null],
      "mismatch",
    ],
    [
      { inputSchema: { properties: { per_page: { type: "string" } } } },
      ["pass", "contract_schema_mismatch", null],
      "mismatch",
    ],
    [{ readOnlyHint: false }, ["pass", "not_read_only", null], "not_read_only"],
    [
      { inputSchema: { properties: { per_page: { type: "integer", minimum: 50 } } } },
      ["pass", "invalid_contract", null],
      "invalid",
    ],
    [
      { inputSchema: { properties: { per_page: { anyOf: [{ type: "integer" }, { type: "null" }] } } } },
      ["clamp", "requested_items_above_policy_maximum", 5],
      "usable",
    ],
  ];
  for (const [more, expected, result] of cases) {
    assert.deepEqual(decided(usable, tool(more)), expected, JSON.stringify(more));
    const { checks } = compose(usable, [tool(more)], sha256);
    assert.equal(checks[0]?.result ?? "", result);
  }
  const unsaid = [source("user", [contract({ maximum: 5, read_only: undefined } as never)])];
  assert.deepEqual(decided(unsaid, tool({ readOnlyHint: null })), ["pass", "observe_only", 5]);
});

test("one that fits counts where another of the same tool does not", () => {
  const sources = [
    source("user", [contract({ maximum: 5 }), contract({ argument: "/perPage", maximum: 6 })]),
  ];
  assert.deepEqual(decided(sources, tool()), ["clamp", "requested_items_above_policy_maximum", 5]);
  const { policy, mismatched } = compose(sources, [tool()], sha256);
  assert.deepEqual([policy.artifact.contracts.length, mismatched], [1, []]);
});

test("names are never guessed: a contract without a server is about the tool that is called so, whole", () => {
  const sources = [
    source("user", [contract({ server: undefined, tool: "list_issues", maximum: 5 } as never)]),
  ];
  assert.equal(compose(sources, [tool()], sha256).policy.artifact.contracts.length, 0);
  const own = tool({ called: "list_issues", server: null });
  assert.equal(compose(sources, [own], sha256).policy.artifact.contracts.length, 1);
});

test("the lower bound of the schema is the range of a contract without one", () => {
  const schema = { properties: { per_page: { type: "integer", minimum: 1 } } };
  const sources = [source("user", [contract({ maximum: 5 })])];
  const { policy } = compose(sources, [tool({ inputSchema: schema })], sha256);
  assert.deepEqual(policy.artifact.contracts[0]?.range, { minimum: 1 });
});

test("the same sources and tools give the same policy, digest and all; the order of sources does not matter", () => {
  const layers = fc.uniqueArray(fc.constantFrom("builtin", "pack", "user", "workspace"), { minLength: 1 });
  fc.assert(
    fc.property(
      layers,
      fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 4, maxLength: 4 }),
      (names, maxima) => {
        const sources = names.map((layer, i) =>
          source(layer as PolicySource["layer"], [contract({ maximum: maxima[i] ?? 1 })]),
        );
        const once = compose(sources, [tool()], sha256);
        assert.deepEqual(compose([...sources].reverse(), [tool()], sha256), once);
        assert.deepEqual(
          once.policy.identity,
          policyFrom(structuredClone(once.policy.artifact), sha256).identity,
        );
      },
    ),
  );
});

test("files that are no policy are told and left out; the rest is loaded", () => {
  const good = JSON.stringify(artifact([contract()]));
  const { sources, faulty } = loadSources(
    [],
    [
      { layer: "user", label: "user.json", text: good },
      { layer: "workspace", label: "half.json", text: good.slice(0, 80) },
      { layer: "workspace", label: "new.json", text: good.replace("1.0.0", "2.0.0") },
    ],
    () => false,
    sha256,
  );
  assert.deepEqual(
    sources.map(({ label, mayEnforce }) => [label, mayEnforce]),
    [
      ["built in", true],
      ["user.json", true],
    ],
  );
  assert.deepEqual(
    faulty.map(({ label, isTooNew }) => [label, isTooNew]),
    [
      ["half.json", false],
      ["new.json", true],
    ],
  );
  assert.ok(faulty.every(({ problems }) => problems.length > 0));
});

test("contracts of packs observe until a review says otherwise, others enforce until one does; another ceiling is another contract", () => {
  const one = contract({ maximum: 5 });
  const modeOf = (
    layer: PolicySource["layer"],
    reviewed: ReadonlyMap<string, "observe" | "enforce">,
    of = one,
  ) => compose([source(layer, [of])], [tool()], sha256, reviewed).checks[0]?.mode;
  const id = contractId(one, artifact([one]), sha256);
  assert.equal(modeOf("pack", new Map()), "observe");
  assert.equal(modeOf("pack", new Map([[id, "enforce"]])), "enforce");
  assert.equal(modeOf("pack", new Map([[id, "enforce"]]), contract({ maximum: 6 })), "observe");
  assert.equal(
    modeOf("pack", new Map([[id, "enforce"]]), contract({ maximum: 5, mode: "observe" })),
    "observe",
  );
  for (const layer of ["builtin", "user", "workspace"] as const) {
    assert.equal(modeOf(layer, new Map()), "enforce");
    assert.equal(modeOf(layer, new Map([[id, "observe"]])), "observe");
  }
  assert.equal(
    contractId(contract({ maximum: 20 }), artifact([]), sha256),
    contractId(contract(), artifact([]), sha256),
  );
});
