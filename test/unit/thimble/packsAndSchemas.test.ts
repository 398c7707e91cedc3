/** The contract packs against the tool lists of real servers: every count-like argument is judged, and judged truly. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Contract } from "../../../src/schema/policy";
import { schemaDigest } from "../../../src/thimble/identity";
import { checkLive, type LiveTool } from "../../../src/thimble/liveSchema";
import { sha256 } from "../../support/hash";
import { allPacks, leftAlone } from "../../support/packs";
import { sharedTest } from "../../support/sharedData";

type Schema = { type?: string; minimum?: number; exclusiveMinimum?: number; maximum?: number };
type Tool = {
  name: string;
  inputSchema: { properties?: Record<string, Schema> };
  annotations?: { readOnlyHint?: boolean };
};
type Listing = { server: string; serverInfo?: { name: string }; tools: Tool[] };

const SCHEMAS = "schemas";

/** How a server names itself where its tool list does not say; read in its source. */
const NAMED: Readonly<Record<string, string>> = {
  "github-official": "github-mcp-server",
  "mcp-atlassian": "Atlassian MCP",
  "slack-korotovsky": "Slack MCP Server",
  "stripe-agent-toolkit": "Stripe",
};

const listingOf = (folder: string, server: string): Listing =>
  JSON.parse(readFileSync(path.join(folder, `${server}.json`), "utf8"));

const nameOf = ({ server, serverInfo }: Listing): string => serverInfo?.name ?? NAMED[server] ?? server;

/** The table's rows as [server, tool, pointer, semantics, how the tool goes on]. */
const rowsOf = (folder: string): string[][] =>
  readFileSync(path.join(folder, "counts.tsv"), "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"));

/** For every contract: the listed tools that it is for. */
async function contracted(folder: string): Promise<{ contract: Contract; tools: [string, Tool][] }[]> {
  const servers = [...new Set(rowsOf(folder).map(([server = ""]) => server))];
  const listings = servers.map((server) => listingOf(folder, server));
  const packs = await allPacks();
  return [...packs.values()].flatMap(({ artifact }) =>
    artifact.contracts.map((contract) => ({
      contract,
      tools: listings
        .filter((listing) => nameOf(listing) === contract.server)
        .flatMap(({ server, tools }) =>
          tools
            .filter(({ name }) => name === contract.tool)
            .filter(({ inputSchema }) => contract.argument.slice(1) in (inputSchema.properties ?? {}))
            .map((tool): [string, Tool] => [server, tool]),
        ),
    })),
  );
}

suite("thimble/packs and real schemas", () => {
  sharedTest(
    "contracts and left-alone list cover the 225 arguments of the table exactly, each once",
    [SCHEMAS],
    async (folder) => {
      const rows = rowsOf(folder).map((row) => row.slice(0, 3).join(" "));
      assert.equal(rows.length, 225);
      const contracts = (await contracted(folder)).flatMap(({ contract, tools }) =>
        tools.map(([server]) => `${server} ${contract.tool} ${contract.argument}`),
      );
      const left = leftAlone().flatMap(({ server, tool, argument, occurrences = 1 }) =>
        Array<string>(occurrences).fill(`${server} ${tool} ${argument}`),
      );
      assert.deepEqual([...contracts, ...left].toSorted(), rows.toSorted());
      assert.ok(contracts.length >= 80);
    },
  );

  sharedTest(
    "every contract's argument and way on are in the schema, its range and ceiling within it, its digest that of the schema",
    [SCHEMAS],
    async (folder) => {
      for (const { contract: c, tools } of await contracted(folder)) {
        const name = `${c.server} ${c.tool}`;
        const digests = tools.map(([, { inputSchema }]) => schemaDigest(inputSchema, sha256));
        assert.ok(digests.includes(c.schema_sha256 ?? null), `${name}: digest of no listed schema`);
        const own = tools[digests.indexOf(c.schema_sha256 ?? null)]?.[1];
        const argument = own?.inputSchema.properties?.[c.argument.slice(1)];
        assert.ok(own && argument, name);
        assert.match(argument.type ?? "", /^(?:integer|number)$/, name);
        const lowest =
          argument.exclusiveMinimum === undefined ? argument.minimum : argument.exclusiveMinimum + 1;
        assert.equal(c.range?.minimum, lowest, `${name}: the range says what the schema says`);
        assert.ok(
          (c.maximum ?? 0) >= (lowest ?? 1) && (c.maximum ?? 0) <= (argument.maximum ?? Infinity),
          name,
        );
        assert.ok((c.minimum ?? 0) >= (lowest ?? 0), name);
        const page = c.continuation?.kind === "page" ? c.continuation.argument?.slice(1) : undefined;
        const firstPage = page === undefined ? undefined : own.inputSchema.properties?.[page]?.minimum;
        if (firstPage !== undefined) assert.equal(c.continuation?.first, firstPage, `${name}: first page`);
        assert.equal(c.read_only ?? false, isSaidReadOnly(c, own), name);
      }
    },
  );

  sharedTest("every contract is usable with every listed tool that it is for", [SCHEMAS], async (folder) => {
    const packs = await allPacks();
    for (const { contract, tools } of await contracted(folder)) {
      const { artifact } = packs.get(contract.server ?? "") ?? assert.fail();
      for (const [server, { name, inputSchema, annotations }] of tools) {
        const live = {
          server: contract.server ?? null,
          name,
          inputSchema,
          readOnlyHint: annotations?.readOnlyHint ?? null,
        };
        const check = checkLive(contract, artifact, live, sha256);
        assert.equal(check.kind, contract.read_only ? "usable" : "observe_only", `${server} ${name}`);
        const isOwn = schemaDigest(inputSchema, sha256) === contract.schema_sha256;
        assert.deepEqual("notes" in check && check.notes, isOwn ? [] : ["schema_changed"]);
      }
    }
  });

  sharedTest(
    "every change of a real schema is told by its reason, for every contract",
    [SCHEMAS],
    async (folder) => {
      const packs = await allPacks();
      for (const { contract, tools } of await contracted(folder)) {
        const { artifact } = packs.get(contract.server ?? "") ?? assert.fail();
        const argument = contract.argument.slice(1);
        const goesOn = contract.continuation?.argument?.slice(1);
        const kind = contract.read_only ? "usable" : "observe_only";
        const above = (contract.maximum ?? 0) + 1;
        for (const [server, { name, inputSchema }] of tools) {
          const own = inputSchema.properties?.[argument] ?? {};
          const check = (changed: Record<string, unknown>, fields: Partial<LiveTool> = {}): string => {
            const properties = Object.entries({ ...inputSchema.properties, ...changed });
            const live: LiveTool = {
              server: contract.server ?? null,
              name,
              inputSchema: {
                ...inputSchema,
                properties: Object.fromEntries(properties.filter(([, schema]) => schema !== undefined)),
              },
              readOnlyHint: null,
              ...fields,
            };
            const result = checkLive(contract, artifact, live, sha256);
            return "reason" in result ? result.reason : result.kind;
          };
          const cases: [string, string][] = [
            [check({}), kind],
            [check({ another: { type: "string" } }), kind],
            [check({ [argument]: { ...own, description: "another" } }), kind],
            [check({ [argument]: { ...own, type: [own.type, "null"] } }), kind],
            [check({ [argument]: { anyOf: [own, { type: "null" }] } }), kind],
            [check({ [argument]: { anyOf: [own, { type: "string" }] } }), "not_a_number"],
            [check({ [argument]: { ...own, type: "string" } }), "not_a_number"],
            [check({ [argument]: { ...own, minimum: above } }), "ceiling_below_schema"],
            [check({ [argument]: { ...own, enum: [above] } }), "ceiling_not_allowed"],
            [check({ [argument]: undefined, renamed: own }), "argument_gone"],
            [
              check(goesOn === undefined ? {} : { [goesOn]: undefined }),
              goesOn === undefined ? kind : "continuation_gone",
            ],
            [check({}, { readOnlyHint: true }), "usable"],
            [check({}, { readOnlyHint: false }), "not_read_only"],
            [check({}, { server: `${contract.server}-2` }), "other_server"],
            [check({}, { server: null, name: `mcp_${server}_${name}` }), "other_server"],
            [check({}, { name: `mcp_${server}_${name}` }), "other_tool"],
          ];
          for (const [i, [found, expected]] of cases.entries()) {
            assert.equal(found, expected, `${server} ${name}, case ${i}`);
          }
        }
      }
    },
  );

  sharedTest(
    "a contract goes on with an argument that the table names, or with none where it names none",
    [SCHEMAS],
    async (folder) => {
      const ways = new Map(
        rowsOf(folder).map((row) => [row.slice(0, 3).join(" "), row[8]?.split(" ") ?? []]),
      );
      const other: string[] = [];
      for (const { contract: c, tools } of await contracted(folder)) {
        for (const [server] of tools) {
          const named = ways.get(`${server} ${c.tool} ${c.argument}`)?.filter(Boolean) ?? [];
          const isTold =
            c.continuation?.argument === undefined
              ? named.length === 0
              : named.includes(c.continuation.argument);
          if (!isTold) other.push(`${server} ${c.tool}`);
        }
      }
      assert.deepEqual(other, []);
    },
  );
});

/** By annotation, or by what the description documents; never against an annotation. */
function isSaidReadOnly(contract: Contract, { annotations }: Tool): boolean {
  if (annotations?.readOnlyHint !== undefined) {
    assert.match(contract.evidence ?? "", annotations.readOnlyHint ? /by annotation/ : /not known/);
    return annotations.readOnlyHint;
  }
  return /by its documented behaviour/.test(contract.evidence ?? "");
}
