// test: the command line, as a process: same core, real tools, a store on disk.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { runCli } from "../support/cliProcess";
import { writeSample } from "../support/sample";

const folder = mkdtempSync(path.join(os.tmpdir(), "clk-cli-"));
const workspace = path.join(folder, "harbour log");
const store = path.join(folder, "store");
const demo = path.join(root, "media", "demo-script.json");

const cloakroom = (...words: string[]) => runCli(words, { cwd: folder });

const script = (name: string, replies: unknown): string => {
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ name, conversations: [replies] }));
  return file;
};

suiteSetup(() => writeSample(workspace));
suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));

test("cli: a program that did not start is no program that ended well", async () => {
  await assert.rejects(runCli(["list"], { cwd: path.join(folder, "nowhere") }), { code: "ENOENT" });
});

test("cli: run stores, reads back and lowers with real tools; show prints the same session again", async () => {
  const ran = await cloakroom(
    "run",
    "--script",
    demo,
    "--workspace",
    workspace,
    "--store",
    store,
    "--limits",
    "enforce",
  );
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.out, /stored: claim:[0-9a-f]{32}, \d{5} characters/);
  assert.match(ran.out, /read back: characters 64000–68095 of \d{5}/);
  assert.match(ran.out, /\/limit lowered from 500 to 10; .*10 items/);
  const shown = await cloakroom("show", "--workspace", workspace, "--store", store);
  assert.equal(shown.out, ran.out);

  const session = /^(\S+):/.exec(ran.out)?.[1] ?? "";
  const again = await cloakroom(
    "run",
    "--script",
    demo,
    "--workspace",
    workspace,
    "--store",
    store,
    "--session",
    session,
  );
  assert.equal(again.code, 0, again.err);
  assert.match(again.out, /Opened again after turn 4/);
  assert.match(again.out, /2 read back/);
});

test("cli: nobody can be asked, so edits and commands need --allow", async () => {
  const change = script("change", [
    { calls: [{ name: "edit_file", arguments: { path: "made.txt", oldText: "", newText: "made" } }] },
    { say: "Done." },
  ]);
  const made = path.join(workspace, "made.txt");
  const refused = await cloakroom("run", "--script", change, "--workspace", workspace, "--store", store);
  assert.match(refused.out, /edit_file .*\(refused\)/);
  assert.ok(!existsSync(made));
  const allowed = await cloakroom(
    "run",
    "--script",
    change,
    "--workspace",
    workspace,
    "--store",
    store,
    "--allow",
  );
  assert.equal(allowed.code, 0, allowed.err);
  assert.equal(readFileSync(made, "utf8"), "made");
});

test("cli: a model that fails is exit 1 with the reason; wrong words are exit 2 with the next step", async () => {
  const fails = script("fails", [{ say: "Let me", fail: "The line is down. Try again later." }]);
  const failed = await cloakroom("run", "--script", fails, "--workspace", workspace, "--store", store);
  assert.equal(failed.code, 1);
  assert.match(failed.err, /The line is down\. Try again later\./);

  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/cloakroom run --script/],
    [/^There is no command "dance"\. Use cloakroom --help\.$/m, "dance"],
    [/^"extra" is one name too many for show\./, "show", "session", "extra", "--workspace", workspace],
    [/^--workspace takes a folder: .+ is a file\.$/m, "show", "--workspace", demo],
    [/--workspace DIR/, "run", "--script", demo],
    [/--script FILE/, "run", "--workspace", workspace],
    [/off, observe or enforce/, "run", "--script", demo, "--workspace", workspace, "--limits", "loud"],
    [/^There is no option --loud\. Use cloakroom --help\.$/m, "run", "--loud"],
    [/^--turn is not used as it is meant\./, "fork", "session", "--turn", "-1"],
    [/^--script is not used as it is meant\./, "run", "--script"],
  ];
  for (const [expected, ...words] of cases) {
    const { code, err } = await cloakroom(...words);
    assert.equal(code, 2, words.join(" "));
    assert.match(err, expected);
  }
  const absent = await cloakroom(
    "run",
    "--script",
    demo,
    "--workspace",
    path.join(folder, "absent"),
    "--store",
    store,
  );
  assert.deepEqual([absent.code, /cannot be opened/.test(absent.err)], [1, true]);
  const broken = script("broken", [{ sing: "la" }]);
  const unread = await cloakroom("run", "--script", broken, "--workspace", workspace, "--store", store);
  assert.match(unread.err, /is not a script: .* at conversations\.0\.0/);
});

test("cli: sessions lists them, the newest first; --version is the package's", async () => {
  const there = ["--workspace", workspace, "--store", path.join(folder, "listed")];
  const none = await cloakroom("sessions", ...there);
  assert.deepEqual([none.code, none.out], [1, ""]);
  assert.match(none.err, /^There are no sessions in this workspace yet\. Use cloakroom run first\.$/m);
  const says = script("says", [{ say: "Done." }]);
  for (const question of ["First\u001b[2J", "Second"])
    assert.equal((await cloakroom("run", "--script", says, "--question", question, ...there)).code, 0);
  const listed = await cloakroom("sessions", ...there);
  const lines = listed.out.trimEnd().split("\n");
  assert.match(lines[0] ?? "", /^\d{8}-\d{6}-[0-9a-f]{8} {2}.+ {2}Second$/);
  assert.match(lines[1] ?? "", / {2}First/);
  assert.doesNotMatch(listed.out, /\u001b/);
  const [newest] = JSON.parse((await cloakroom("sessions", "--json", ...there)).out);
  assert.ok(lines[0]?.startsWith(newest.session));
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  assert.equal((await cloakroom("--version")).out, `${version}\n`);
});

test("cli: --mcp gives a run the tools of servers; one that does not start is named, and the run goes on", async () => {
  const server = path.join(root, "test", "support", "mcp", "fakeServer.mjs");
  const file = path.join(folder, "servers.json");
  const fake = (mode: string) => ({ command: process.execPath, args: [server, mode] });
  writeFileSync(file, JSON.stringify({ servers: { good: fake("good"), bad: fake("exits at once") } }));
  const calls = [{ name: "good__say", arguments: { greeting: "ahoy" } }];
  const says = script("mcp", [{ calls }, { say: "Done." }]);
  const words = ["run", "--script", says, "--workspace", workspace, "--store", store, "--mcp", file];
  const ran = await cloakroom(...words, "--allow");
  assert.equal(ran.code, 0, ran.err);
  assert.match(
    ran.err,
    /The MCP server bad ended by itself \(exit code 5\)\. Its tools are not available in this run\./,
  );
  assert.match(ran.out, /good__say/);
  const unasked = await cloakroom(...words);
  assert.match(unasked.out, /Nobody can be asked here; start again with --allow/);

  for (const [text, expected] of [
    ['{"servers":{"x":{"args":[]}}}', /servers\.x\.command: /],
    ['{"servers":{"x":{"command":"y","env":{"KEY":5}}}}', /servers\.x\.env\.KEY: /],
    ['{"mcp":{}}', /is not JSON with "servers"/],
    ["{", /is not JSON with "servers"/],
  ] as const) {
    writeFileSync(file, text);
    const { code, err } = await cloakroom(...words);
    assert.equal(code, 1, text);
    assert.match(err, expected);
  }
});

test("cli: show says where a log is damaged and exits with 1; what stands before is shown", async () => {
  const own = path.join(folder, "damaged");
  const at = ["--workspace", workspace, "--store", own];
  const ran = await cloakroom("run", "--script", demo, ...at);
  assert.equal(ran.code, 0, ran.err);
  const session = /^(\S+):/.exec(ran.out)?.[1] ?? "";
  const [tenant = ""] = readdirSync(path.join(own, "tenants"));
  const log = path.join(own, "tenants", tenant, "sessions", session, "log.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, lines.toSpliced(9, 1, (lines[9] ?? "").replace('"type"', '"typo"')).join("\n"));
  const shown = await cloakroom("show", session, ...at);
  assert.deepEqual(
    [shown.code, shown.err],
    [
      1,
      "The session log is damaged: line 10 does not follow from the one before. What follows is not shown.\n",
    ],
  );
  assert.match(shown.out, /Turn 1/);
});
