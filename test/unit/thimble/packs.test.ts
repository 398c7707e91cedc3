/** The contract packs: they load, nothing in them collides, and deciding with them does what their tools need. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap.mjs";
import type { Contract } from "../../../src/schema/policy";
import { disclose } from "../../../src/thimble/disclosure";
import { checkPolicy } from "../../../src/thimble/load";
import { loadPack, packFiles } from "../../../src/thimble/packs";
import { sha256 } from "../../support/hash";
import { allPacks, leftAlone, PACKS_FOLDER, packOf, readPack } from "../../support/packs";
import { ask, picture } from "../../support/thimble";

const GITHUB = "github-mcp-server";

async function allContracts(): Promise<{ readonly pack: string; readonly contract: Contract }[]> {
  const packs = await allPacks();
  return [...packs].flatMap(([pack, { artifact }]) =>
    artifact.contracts.map((contract) => ({ pack, contract })),
  );
}

/** What a pack decides of a call on its own server, as a picture. */
async function decided(server: string, tool: string, text: string, fields = {}): Promise<string> {
  return picture(ask(text, await packOf(server), { server, tool, ...fields }));
}

suite("thimble/packs", () => {
  test("every pack loads; its only notes are that a tool is not known to be read-only", async () => {
    const files = packFiles().map(([, file]) => file);
    const onDisk = readdirSync(PACKS_FOLDER).filter((name) => name.endsWith(".thimble.json"));
    assert.deepEqual(files.toSorted(), onDisk.toSorted());
    const notes: string[] = [];
    for (const file of files) {
      const { artifact, problems } = checkPolicy(await readPack(file));
      assert.ok(artifact, `${file}: ${JSON.stringify(problems)}`);
      assert.equal(`${artifact.name}.thimble.json`, `cloakroom/${file}`);
      for (const p of problems) notes.push(`${file} ${p.severity} ${p.code}`);
    }
    assert.deepEqual(notes, Array(2).fill("notion.thimble.json information not_known_read_only"));
  });

  test("server, tool and argument are unique over all packs, and each pack speaks for one server", async () => {
    const contracts = await allContracts();
    assert.ok(contracts.length >= 80, `${contracts.length} contracts`);
    const keys = contracts.map(({ contract: c }) => JSON.stringify([c.server, c.tool, c.argument]));
    assert.deepEqual(
      keys.filter((key, i) => keys.indexOf(key) !== i),
      [],
    );
    for (const { pack, contract } of contracts) assert.equal(contract.server, pack);
  });

  test("every contract says where it comes from and how to go on, and leaves the upper end of the range to the tool", async () => {
    for (const { contract: c } of await allContracts()) {
      const name = `${c.server} ${c.tool}`;
      assert.ok(c.safe_to_reduce && c.maximum && c.minimum, name);
      assert.match(c.schema_sha256 ?? "", /^[0-9a-f]{64}$/, name);
      const { kind, argument, first } = c.continuation ?? assert.fail(name);
      assert.equal(argument === undefined, kind === "rerun", name);
      assert.equal(first === undefined, kind !== "page", `${name}: a page needs the number of the first`);
      assert.equal(c.range?.maximum, undefined, `${name}: a schema maximum never blocks a reduction`);
      assert.match(c.evidence ?? "", /^\S+ .*\d/, `${name}: server and version`);
      assert.match(c.evidence ?? "", /counts items: .*ends the same list earlier.*Ceiling \d+: \w+/s, name);
      const says =
        c.read_only === true ? /read-only by (annotation|its documented behaviour)/ : /not known to/;
      assert.match(c.evidence ?? "", says, name);
    }
  });

  test("in observe every contract proposes and changes nothing; in enforce it clamps exactly when it is known to read only", async () => {
    const packs = await allPacks();
    const decided = (pack: string, tool: string, text: string, fields = {}) =>
      picture(ask(text, packs.get(pack) ?? assert.fail(), { server: pack, tool, ...fields }));
    for (const { pack, contract } of await allContracts()) {
      const text = `{"q":"x",${JSON.stringify(contract.argument.slice(1))}:100000}`;
      const arrow = `${contract.argument} 100000→${contract.maximum}`;
      const name = `${pack} ${contract.tool}`;
      const observed = decided(pack, contract.tool, text, { mode: "observe" });
      assert.equal(observed, `pass observe_only (${arrow})`, name);
      const clamp = `clamp requested_items_above_policy_maximum ${arrow}`;
      const enforced = decided(pack, contract.tool, text);
      assert.equal(enforced, contract.read_only === true ? clamp : "pass not_read_only", name);
      assert.equal(decided(pack, contract.tool, text, { toolReadOnly: true }), clamp, name);
      assert.equal(decided(pack, contract.tool, text, { toolReadOnly: false }), "pass not_read_only", name);
    }
  });

  test("GitHub: a first page is lowered, a later one and a foreign server's are not", async () => {
    const text = (page: string) => `{"owner":"o","repo":"r","per_page":500${page}}`;
    const clamp = "clamp requested_items_above_policy_maximum /per_page 500→10";
    assert.equal(await decided(GITHUB, "list_issues", text("")), clamp);
    assert.equal(await decided(GITHUB, "list_issues", text(',"page":1')), clamp);
    assert.equal(await decided(GITHUB, "list_issues", text(',"page":3')), "pass paged_argument");
    assert.equal(await decided(GITHUB, "list_issues", text(',"page":0')), "pass paged_argument");
    const policy = await packOf(GITHUB);
    const foreign = ask(text(""), policy, { tool: "list_issues", server: "gitlab-mcp-server" });
    assert.equal(picture(foreign), "pass contract_schema_mismatch");
    assert.equal(
      picture(ask(text(""), policy, { tool: "list_issues" })),
      "pass contract_schema_mismatch",
      "a host that names no server",
    );
  });

  test("both GitHub servers under one name: perPage goes on with a cursor, per_page with a page", async () => {
    const official = '{"owner":"o","repo":"r","perPage":100,"after":"Y3Vyc29y"}';
    const clamp = "clamp requested_items_above_policy_maximum /perPage 100→10";
    assert.equal(await decided(GITHUB, "list_issues", official), clamp);
  });

  test("pages counted from 0: Brave's offset and Chrome's pageIdx", async () => {
    const brave = (offset: number) => `{"query":"q","count":20,"offset":${offset}}`;
    assert.match(await decided("brave-search-mcp-server", "brave_web_search", brave(0)), /^clamp .*20→10/);
    assert.equal(
      await decided("brave-search-mcp-server", "brave_web_search", brave(1)),
      "pass paged_argument",
    );
    const policy = await packOf("chrome_devtools");
    const text = '{"pageSize":500}';
    const { proposal } = ask(text, policy, { tool: "list_console_messages", server: "chrome_devtools" });
    assert.match(disclose(proposal, policy, text) ?? "", /Continue with pageIdx=1, pageSize=50\.\]$/);
  });

  test("offsets are told from where the call stood; a tool without a way on says so", async () => {
    const told = async (server: string, tool: string, text: string) => {
      const policy = await packOf(server);
      return disclose(ask(text, policy, { server, tool }).proposal, policy, text) ?? "";
    };
    const boards = '{"limit":50,"start_at":25}';
    assert.match(
      await told("Atlassian MCP", "jira_get_agile_boards", boards),
      /Continue with start_at=50, limit=25/,
    );
    assert.match(await told("linear", "linear_getIssues", '{"limit":200}'), /Ask again with a narrower/);
  });

  test("a value below the schema's least is the tool's to refuse", async () => {
    const tavily = (n: number) => decided("tavily-mcp", "tavily_search", `{"query":"q","max_results":${n}}`);
    assert.equal(await tavily(3), "pass outside_range");
    assert.equal(await tavily(5), "pass within_budget");
    assert.match(await tavily(20), /^clamp .*20→10/);
  });

  test("what is left alone has a reason of the closed set and a sentence, once each", () => {
    const list = leftAlone();
    const keys = list.map((entry) => JSON.stringify([entry.server, entry.tool, entry.argument]));
    assert.equal(new Set(keys).size, keys.length);
  });

  test("a pack is found by the whole name of its server and read only then", async () => {
    const read: string[] = [];
    const spy = (file: string) => {
      read.push(file);
      return readPack(file);
    };
    const foreign = ["", "github", "GitHub-MCP-Server", "mcp_github-mcp-server_list_issues", "constructor"];
    for (const name of foreign) assert.equal(await loadPack(name, spy, sha256), null, name);
    assert.deepEqual(read, []);
    assert.equal((await loadPack(GITHUB, spy, sha256))?.kind, "ok");
    assert.deepEqual(read, ["github.thimble.json"]);
  });

  test("a pack that was damaged is told with its problems, as any policy file", async () => {
    const loading = await loadPack(
      GITHUB,
      async (file) => (await readPack(file)).replace('"maximum": 10', '"maximum": -1'),
      sha256,
    );
    assert.ok(loading?.kind === "problems");
    assert.deepEqual(
      loading.problems.map((p) => p.code),
      ["schema"],
    );
  });

  test("the packs are in the package, and their text is in no bundle", () => {
    const allowed = readFileSync(path.join(root, ".vscodeignore"), "utf8").split("\n");
    assert.ok(allowed.includes("!packs/**"));
    for (const room of ["src", "webview-ui"]) {
      const files = readdirSync(path.join(root, room), { recursive: true, encoding: "utf8" });
      for (const file of files.filter((name) => name.endsWith(".ts"))) {
        const text = readFileSync(path.join(root, room, file), "utf8");
        assert.ok(!/from ".*(?:\.thimble\.json|left-alone)|import\(".*packs\//.test(text), file);
      }
    }
  });
});
