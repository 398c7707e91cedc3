/**
 * Faults that users reported of limits elsewhere, through the whole loop: what the tool received, what the receipt says,
 * what the model reads. docs/field-reports-thimble.md names the test of every report.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap.mjs";
import type { Contract } from "../../../src/schema/policy";
import type { Tool } from "../../../src/schema/tool";
import { BUILTIN_ARTIFACT } from "../../../src/thimble/builtin";
import { receiptsFrom } from "../../../src/thimble/receipt";
import { createWorkspaceTools } from "../../../src/tools/createWorkspaceTools";
import { hash, openHouse, tool } from "../../support/house";
import { packOf } from "../../support/packs";
import { sharedTest } from "../../support/sharedData";
import { removeTemporaryFolders, temporaryWorkspace } from "../../support/temporaryWorkspace";
import { artifactWith, ask, contractWith, picture } from "../../support/thimble";

const TABLE = "docs/field-reports-thimble.md";

/** A server with rows of its own: it keeps the arguments that it received and gives `rows` of them at most. */
function server(rows: { count: number; row: (i: number) => string; argument?: string }) {
  const received: string[] = [];
  const fake = tool(
    "search",
    (args) => {
      received.push(args);
      const asked = Number(JSON.parse(args)[rows.argument ?? "limit"]);
      const items = Math.min(Number.isNaN(asked) ? rows.count : asked, rows.count);
      return {
        kind: "ok",
        text: Array.from({ length: items }, (_, i) => rows.row(i)).join("\n") as never,
        items,
      };
    },
    { class: "list" },
  );
  return { fake, received };
}

/** One call through the house in enforce: what came of it. */
async function call(used: Tool, text: string, contract: Partial<Contract> | "builtin") {
  const house = await openHouse({
    tools: [used],
    replies: [{ calls: [{ name: used.spec.name, arguments: text }] }, { say: "Done." }],
    settings: { limits: { mode: "enforce", hardMaximum: null } },
    policy: contract === "builtin" ? BUILTIN_ARTIFACT : artifactWith([contractWith(contract)]),
  });
  assert.equal((await house.ask("Find it.")).end, "answered");
  const [receipt] = receiptsFrom(house.events).values();
  assert.ok(receipt);
  const result = house.requests[1]?.messages.find(({ role }) => role === "tool");
  return { house, receipt, shown: result?.role === "tool" ? result.text : "" };
}

const short = { count: 1000, row: (i: number) => `row ${i}` };

suite("thimble/field reports", () => {
  teardown(removeTemporaryFolders);

  test("metagraphed#6600: a server that gives fewer than asked for is told apart from our clamp", async () => {
    const capped = server({ ...short, count: 100 });
    const both = await call(capped.fake, '{"limit":500}', { maximum: 400 });
    assert.deepEqual(both.receipt.changes, [{ path: "/limit", from: 500, to: 400, dimension: "items" }]);
    assert.equal(both.receipt.actual?.items, 100);
    const serverOnly = await call(capped.fake, '{"limit":300}', { maximum: 400 });
    assert.deepEqual([serverOnly.receipt.decision, serverOnly.receipt.changes], ["pass", []]);
    assert.equal(serverOnly.receipt.actual?.items, 100);
    assert.ok(!serverOnly.shown.includes("by policy"), "what the server did is not called ours");
  });

  test("fff#323: a count written as a float reaches the tool as it was written", async () => {
    for (const text of ['{"maxResults":30.0}', '{"maxResults":3e1}', '{"maxResults":"30"}']) {
      const { fake, received } = server({ ...short, argument: "maxResults" });
      const { receipt } = await call(fake, text, { argument: "/maxResults" });
      assert.deepEqual(received, [text]);
      assert.deepEqual([receipt.decision, receipt.reason], ["pass", "not_an_integer"]);
      assert.equal(receipt.effective_args_sha256, hash(text));
    }
  });

  test("firecrawl-mcp-server#376: 0 and 1.5 stay the server's to refuse, 101 is lowered", async () => {
    const policy = await packOf("firecrawl-fastmcp");
    const question = { tool: "firecrawl_search", server: "firecrawl-fastmcp" };
    const of = (limit: string) => picture(ask(`{"query":"q","limit":${limit}}`, policy, question));
    assert.equal(of("0"), "pass within_budget");
    assert.equal(of("-1"), "pass outside_range");
    assert.equal(of("1.5"), "pass not_an_integer");
    assert.equal(of("101"), "clamp requested_items_above_policy_maximum /limit 101→10");
  });

  test("gbrain#953: twenty rows of 4.5 kB become ten; asked for, sent and measured stand in the receipt, and the way on is told", async () => {
    const { fake, received } = server({ count: 40, row: (i) => `${i}`.padEnd(4500, "x") });
    const contract = { continuation: { kind: "offset" as const, argument: "/offset" } };
    const { receipt, shown } = await call(fake, '{"q":"x","limit":20}', contract);
    assert.deepEqual(received, ['{"q":"x","limit":10}']);
    assert.deepEqual(receipt.changes, [{ path: "/limit", from: 20, to: 10, dimension: "items" }]);
    assert.deepEqual([receipt.actual?.items, receipt.actual?.bytes], [10, 45_009]);
    assert.equal(receipt.model_round_trips, 0);
    assert.match(shown, /limit lowered from 20 to 10 by policy.*Continue with offset=10, limit=10\.\]/);
  });

  test("odata_mcp_go#13: a call for 99999 reaches the server as the ceiling", async () => {
    const { fake, received } = server({ ...short, count: 100_000, argument: "max-items" });
    const { receipt } = await call(fake, '{"max-items":99999}', { argument: "/max-items" });
    assert.deepEqual(received, ['{"max-items":10}']);
    assert.equal(receipt.actual?.items, 10);
  });

  test("OpenBitFun#1358: a list of 1200 files that is cut says how many there are, and how to go on", async () => {
    const files = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f/${i}.txt`, ""]));
    const { ports } = await temporaryWorkspace(files);
    const list = createWorkspaceTools(ports, { ripgrepPath: null }).find((t) => t.spec.name === "list_files");
    assert.ok(list);
    const { receipt, shown } = await call(list, '{"glob":"f","limit":1000}', "builtin");
    assert.equal(receipt.actual?.items, 50);
    assert.match(shown, /^\[Files 1–50 of 1200; 1150 more\. Continue with offset=50\.\]/);
    assert.match(
      shown,
      /\[limit lowered from 1000 to 50 by policy; .*Continue with offset=50, limit=50\.\]$/,
    );
  });

  for (const [report, text] of [
    ["jacobian#1102: duplicate names", '{"limit":5,"limit":500}'],
    ["envoy#45202: duplicate names, one of them escaped", String.raw`{"limit":500,"\u006cimit":5}`],
  ] as const) {
    test(`${report}: nothing is lowered, and the other side sees the very bytes`, async () => {
      const { fake, received } = server(short);
      const { receipt } = await call(fake, text, {});
      assert.deepEqual(received, [text]);
      assert.deepEqual([receipt.decision, receipt.reason], ["pass", "ambiguous_argument"]);
      assert.equal(receipt.effective_args_sha256, receipt.original_args_sha256);
    });
  }

  test("getnote-mcp#15: a cursor above 2^53 beside a lowered limit keeps every digit", async () => {
    const { fake, received } = server(short);
    const contract = { continuation: { kind: "cursor" as const, argument: "/cursor" } };
    await call(fake, '{"cursor":1912345678901234567,"limit":500}', contract);
    assert.deepEqual(received, ['{"cursor":1912345678901234567,"limit":10}']);
  });

  test("TeXRA#6231: a receipt of a call with a key among its arguments has digests and numbers only", async () => {
    const { fake } = server(short);
    const { receipt } = await call(fake, '{"api_key":"sk-live-4242","q":"payroll","limit":500}', {});
    const text = JSON.stringify(receipt);
    for (const value of ["sk-live-4242", "payroll", "api_key"]) assert.ok(!text.includes(value), value);
    assert.equal(receipt.changes[0]?.from, 500);
  });

  test("every report in the table names a test that exists", () => {
    const rows = tableRows();
    assert.ok(rows.length >= 13);
    for (const { id, file, title } of rows) {
      const text = readFileSync(path.join(root, file), "utf8");
      assert.ok(text.includes(`"${title}"`), `${id}: ${file} has no test "${title}"`);
    }
  });

  sharedTest(
    "every report whose mechanism is a limit, its arguments or a digest is in the table",
    ["field/reports.tsv"],
    (file) => {
      const reports = readFileSync(file, "utf8").trimEnd().split("\n").slice(1);
      const ours = reports
        .map((line) => line.split("\t"))
        .filter(
          ([, kind, , , , mechanism = ""]) => kind === "clamp" || /Thimble|policy digest/.test(mechanism),
        )
        .map(([id]) => id);
      assert.deepEqual(
        tableRows()
          .map(({ id }) => id)
          .toSorted(),
        ours.toSorted(),
      );
    },
  );
});

/** The table's rows; every line of it has to be one. */
function tableRows(): { id: string; file: string; title: string }[] {
  const lines = readFileSync(path.join(root, TABLE), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("| ") && !/^\| (?:report|---)/.test(line))
    .map((line) => {
      const row = /^\| (?<id>\S+#\d+) \| .+ \| `(?<file>test\/[^`]+)` "(?<title>.+)" \|$/.exec(line)?.groups;
      assert.ok(row, `not "report | what | file and test": ${line}`);
      return { id: row.id ?? "", file: row.file ?? "", title: row.title ?? "" };
    });
}
