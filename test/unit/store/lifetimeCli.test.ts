/** The command line's acts on what is stored, as a process: what they print, and how they end. */
import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sha256 } from "../../../src/store/digest";
import { Sessions } from "../../../src/store/sessions";
import { runCli } from "../../support/cliProcess";
import { tool } from "../../support/house";
import { LONG, sessionWith, typesOf } from "../../support/lifetime";
import { ofType, runIn } from "../../support/runs";
import { clock, folderOf, hasCode } from "../../support/storeFolder";

let folder = "";
let root = "";
let workspace = "";

suiteSetup(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "clk-acts-"));
  root = path.join(folder, "store");
  workspace = path.join(folder, "harbour log");
});
suiteTeardown(() => rm(folder, { recursive: true, force: true }));

const cloakroom = (...words: string[]) =>
  runCli([...words, "--workspace", workspace, "--store", root], { cwd: folder });

test("verify, export, import, fork, forget and sweep: one sentence each, problems on standard error, the exit code tells", async function () {
  this.timeout(30_000);
  const store = await Sessions.open(root, workspace, clock);
  const { id, handles } = await sessionWith(store, [LONG]);
  const clean = await cloakroom("verify");
  assert.deepEqual(
    [clean.code, clean.err, clean.out],
    [0, "", "Everything stored is in order: 1 session, 3 events, 1 stored result (0.0 MB), 1 ticket.\n"],
  );
  const file = path.join(folder, "session.zip");
  const exported = await cloakroom("export", id, file);
  assert.deepEqual(
    [exported.code, exported.out],
    [0, "Exported the session with its 1 stored result.\n"],
    exported.err,
  );
  const embedded = `"text":${JSON.stringify(LONG)}`;
  for (const [name, words, summary, has] of [
    ["a.json", [], "as JSON. 1 stored result is named, not in it.", false],
    ["b.JSON", ["--contents"], "as JSON with its 1 stored result.", true],
    ["c.otlp.json", [], "as OpenTelemetry traces without messages.", false],
    ["d.html", [], "as an HTML report. 1 stored result is named, not in it.", false],
    ["e.txt", ["--format", "json", "--contents"], "as JSON with its 1 stored result.", true],
  ] as const) {
    const made = await cloakroom("export", id, path.join(folder, name), ...words);
    assert.deepEqual([made.code, made.out], [0, `Exported the session ${summary}\n`], made.err);
    assert.equal((await readFile(path.join(folder, name), "utf8")).includes(embedded), has, name);
  }
  for (const words of [["--format", "pdf"], ["--format", "html", "--contents"], ["--contents"]]) {
    const refused = await cloakroom("export", id, path.join(folder, "refused"), ...words);
    assert.deepEqual([refused.code, refused.out], [2, ""]);
    assert.match(refused.err, /--format takes|leave --contents out/);
  }
  const imported = await cloakroom("import", file);
  assert.match(
    imported.out,
    /^Imported “A session” with its 1 stored result\. Going on with it forks it\.\n/,
  );
  const copy = imported.out.trim().split("\n").at(-1) ?? "";
  assert.equal(await store.content(copy, handles[0] as never), LONG);
  const forked = await cloakroom("fork", copy);
  assert.equal(forked.code, 0, forked.err);

  await appendFile(path.join(await folderOf(root, id), "blobs", sha256(LONG)), "x");
  const broken = await cloakroom("verify", "--all");
  assert.deepEqual(
    [broken.code, /^problem: \S+: stored result claim:\w+ of read_file is corrupt\n$/.test(broken.err)],
    [1, true],
    broken.err,
  );
  assert.match(broken.out, /^1 problem found in what is stored: 3 sessions/);
  assert.equal((await cloakroom("verify", copy)).code, 0);

  const unsure = await cloakroom("forget", copy);
  assert.deepEqual([unsure.code, /Say --yes/.test(unsure.err)], [2, true]);
  const gone = await cloakroom("forget", copy, "--yes");
  assert.match(
    gone.out,
    /^Deleted 1 session with 1 stored result \(0\.0 MB\)\. 1 session copied from what was deleted keep/,
  );
  assert.equal((await cloakroom("verify", copy)).code, 1);
  assert.match((await cloakroom("sweep", "--keep-days", "1")).out, /^Nothing to remove\.\n$/);
  assert.match((await cloakroom("forget", "--everything", "--yes")).out, /^Deleted 2 sessions/);
  assert.deepEqual(await store.list(), []);
  assert.deepEqual((await readdir(root)).sort(), ["erasures.jsonl", "format.json", "tenants"]);

  const wrong: [RegExp, ...string[]][] = [
    [/Name the session: fork/, "fork"],
    [/Name the session: forget/, "forget", "--yes"],
    [/Name the file/, "export", id],
    [/Name the archive/, "import"],
    [/not both/, "forget", id, "--everything", "--yes"],
    [/--keep-days takes/, "sweep", "--keep-days", "soon"],
    [/^--redis takes an address without a password/, "verify", "--redis", "redis://:hunter2@localhost"],
    [/^--redis takes an address/, "verify", "--redis", "localhost"],
  ];
  await Promise.all(
    wrong.map(async ([expected, ...words]) => {
      const { code, err } = await cloakroom(...words);
      assert.deepEqual([code, expected.test(err)], [2, true], err);
    }),
  );
  assert.match(
    (await cloakroom("import", path.join(folder, "absent.zip"))).err,
    /there is no such file\. Nothing was added/,
  );
});

test("pin, shorten, forget one result, fork at a turn: one sentence each, refused in a sentence", async function () {
  this.timeout(30_000);
  const store = await Sessions.open(root, workspace, clock);
  const calls = [{ name: "read_file", arguments: { path: "a.md" } }];
  const tools = [tool("read_file", () => LONG, { class: "read" })];
  const { session } = await runIn(store, { replies: [{ calls }, { say: "Done." }], tools });
  const [stored] = ofType(await store.events(session), "tool_result_stored");
  const handle = stored?.handle ?? assert.fail();
  const told = async (...words: string[]) => {
    const { code, out, err } = await cloakroom(...words);
    return [code, out, err];
  };
  assert.deepEqual(await told("pin", session, "t1c0"), [0, "Pinned: t1c0 stays as it is.\n", ""]);
  assert.deepEqual(await told("pin", session, "t1c0", "--no"), [0, "t1c0 may be shortened again.\n", ""]);
  assert.deepEqual(await told("shorten", session, "t1c0"), [
    0,
    "Shortened: t1c0. The whole of it is stored.\n",
    "",
  ]);
  assert.deepEqual(await told("shorten", session, "t1c0"), [
    1,
    "",
    "This result is one line already. Read it back where you need it.\n",
  ]);
  const forked = await cloakroom("fork", session, "--turn", "1");
  assert.match(forked.out, /^Forked the session through turn 1 with its 1 stored result\.\n/, forked.err);
  assert.match(
    (await cloakroom("fork", session, "--turn", "7")).err,
    /^There is no turn 7 .* turns 1 to 2\./,
  );
  assert.match((await cloakroom("forget", session, handle)).err, /^This deletes from disk/);
  assert.equal(await store.content(session, handle), LONG);
  assert.deepEqual(await told("forget", session, handle, "--yes"), [
    0,
    `Deleted: the content of ${handle}. What was shown of it stays in the session.\n`,
    "",
  ]);
  await assert.rejects(store.content(session, handle), hasCode("blob-forgotten"));
  const types = typesOf(await store.events(session));
  assert.deepEqual(types.slice(types.indexOf("run_ended") + 1), ["pinned", "pinned", "aged", "forgotten"]);
  const wrong: [RegExp, ...string[]][] = [
    [/^Name the session and the result: pin SESSION CALL/, "pin", session],
    [/^no-handle is no handle/, "forget", session, "no-handle", "--yes"],
    [/^--turn takes/, "fork", session, "--turn", "last"],
  ];
  for (const [expected, ...words] of wrong) {
    const { code, err } = await cloakroom(...words);
    assert.deepEqual([code, expected.test(err)], [2, true], err);
  }
  assert.equal((await cloakroom("verify", session)).code, 0);
});

test("what a terminal would obey in a title or a text is shown, never sent to it", async () => {
  const title = "\u001b]0;taken over\u0007 \u009b2J a title\r";
  const store = await Sessions.open(root, workspace, clock);
  const session = await store.create({ workspace: "work", title });
  await session.append({ type: "asked", turn: 1, text: `${title}\r\nand more` });
  await session.close();
  const file = path.join(folder, "obeyed.zip");
  const made = await cloakroom("export", session.id, file);
  const imported = await cloakroom("import", file);
  const shown = await cloakroom("show", session.id);
  for (const { code, out, err } of [made, imported, shown]) {
    assert.equal(code, 0);
    assert.doesNotMatch(out + err, /[^\P{Cc}\n\t]/u);
  }
  assert.match(imported.out, / a title/);
  assert.match(shown.out, /and more/);
});
