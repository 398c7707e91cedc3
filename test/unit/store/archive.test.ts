/** Issue 3, item 6; CONFORMANCE §7, Archives: there and back, and what a hostile one may not do. */
import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import type { Logged } from "../../../src/schema/event";
import { contentName, Manifest } from "../../../src/store/archive";
import { StoreCare } from "../../../src/store/care";
import { CHAIN_START, lineOf, readChain } from "../../../src/store/chain";
import { sha256, sha256OfBytes } from "../../../src/store/digest";
import { limitsOf } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import {
  assertClean,
  importOne,
  keep,
  LONG,
  problems,
  sessionWith,
  typesOf,
  verified,
} from "../../support/lifetime";
import {
  clock,
  create,
  filesBelow,
  folderOf,
  hasCode,
  safe,
  withFolder,
  withStore,
} from "../../support/storeFolder";
import { bundleWriter, startWriter } from "../../support/writerProcess";

const HERE = "file:///work";
const WIDE = `a byte order mark \ufeff, 😀, NUL \0, CRLF\r\n and the rest. ${"x".repeat(5000)}`;

type Files = Record<string, string | Buffer>;

/** The archive's files by name. */
async function unzipped(file: string): Promise<Record<string, Buffer>> {
  const zip = await openPromise(file, { lazyEntries: true });
  const files: Record<string, Buffer> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files[entry.fileName] = Buffer.concat(chunks);
  }
  return files;
}

async function zipped(file: string, files: Files, twice?: string): Promise<void> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  if (twice) zip.addBuffer(Buffer.from(files[twice] ?? ""), twice);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

/** A log of these events, and its manifest. */
function written(events: readonly Logged[], manifest: Manifest): Files {
  let sum = CHAIN_START;
  let log = "";
  for (const event of events) {
    const next = lineOf(event, sum);
    sum = next.sum;
    log += `${next.line}\n`;
  }
  const bytes = Buffer.byteLength(log);
  return {
    "log.jsonl": log,
    "manifest.json": JSON.stringify({ ...manifest, log: { events: events.length, bytes, sum } }),
  };
}

const careOf = (root: string, limits = limitsOf(2048, 64)) =>
  StoreCare.open(root, HERE, clock, { keepSessionsDays: 30, limits });

test("out and in again, on another machine: the conversation, every content byte for byte, the same handles", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG, WIDE, ""], "A title");
    const file = path.join(path.dirname(root), "session.zip");
    const exported = await (await careOf(root)).export(id, file);
    assert.deepEqual([exported.events, exported.contents, exported.missing], [7, 3, []]);
    if (process.platform !== "win32") assert.equal(((await stat(file)).mode & 0o777).toString(8), "600");
    const files = await unzipped(file);
    assert.deepEqual(files["log.jsonl"], await readFile(path.join(await folderOf(root, id), "log.jsonl")));
    assert.equal(String(files[contentName(sha256(WIDE))]), WIDE);
    Manifest.parse(JSON.parse(String(files["manifest.json"])));

    const there = `${root}-there`;
    const care = await careOf(there);
    const { session, ...imported } = await importOne(care, file);
    assert.deepEqual(imported, { title: "A title", results: 3, missing: 0 });
    const other = await Sessions.open(there, HERE, clock);
    assert.deepEqual(
      (await other.list()).map(({ title }) => title),
      ["A title (imported)"],
    );
    for (const [at, text] of [LONG, WIDE, ""].entries())
      assert.equal(await other.content(session, handles[at] as never), text);
    const before = await store.events(id);
    const after = await other.events(session);
    assert.deepEqual(typesOf(after), ["session_started", "adopted", ...typesOf(before).slice(1)]);
    assert.deepEqual(new Set(after.slice(2).map(({ origin }) => origin)), new Set(["import"]));
    assert.deepEqual((await assertClean(there)).findings, []);
  });
});

test("an imported session is only read: going on with it forks it, and the handles are adopted with another salt", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG]);
    const file = path.join(path.dirname(root), "session.zip");
    const care = await careOf(root);
    await care.export(id, file);
    const { session } = await importOne(care, file);
    const log = path.join(await folderOf(root, session), "log.jsonl");
    const bytes = await readFile(log);
    const opened = await store.open(session);
    assert.notEqual(opened.id, session);
    assert.equal(opened.find(handles[0] as never)?.sha256, sha256(LONG));
    const [started] = opened.events;
    assert.ok(started?.type === "session_started" && started.from?.session === session);
    const salts = new Set(
      [await store.events(id), await store.events(session), opened.events].map(([first]) =>
        first?.type === "session_started" ? first.salt : "",
      ),
    );
    assert.equal(salts.size, 3);
    await keep(opened, `${LONG} more`, "t2c0");
    await opened.close();
    assert.deepEqual(await readFile(log), bytes);
    await care.forgetSession(id);
    await care.forgetSession(session);
    assert.equal(await store.content(opened.id, handles[0] as never), LONG);
    await assertClean(root);
  });
});

test("what is missing is listed in the manifest and told, on the way out and on the way in", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG, WIDE, "third"]);
    const blob = async (text: string) => path.join(await folderOf(root, id), "blobs", sha256(text));
    await rm(await blob(LONG));
    await appendFile(await blob(WIDE), "altered");
    const file = path.join(path.dirname(root), "session.zip");
    const care = await careOf(root);
    const { missing } = await care.export(id, file);
    assert.deepEqual(
      missing.map(({ handle, why }) => [handle, why]),
      [
        [handles[0], "missing"],
        [handles[1], "corrupt"],
      ],
    );
    await care.forgetSession(id);
    const imported = await importOne(care, file);
    assert.deepEqual([imported.results, imported.missing], [3, 2]);
    await assert.rejects(store.content(imported.session, handles[0] as never), hasCode("blob-missing"));
    assert.equal(await store.content(imported.session, handles[2] as never), "third");
    assert.deepEqual(problems(await verified(root)), []); // known to be missing: a note
    assert.equal((await verified(root)).findings.length, 2);
    const fork = await care.fork(imported.session);
    assert.equal(fork.missing, 2);
    assert.deepEqual(problems(await verified(root)), []);
  });
});

test("a session is exported while it runs, as far as it has come; a place that cannot be written keeps nothing", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    await keep(session, LONG);
    const care = await careOf(root);
    const folder = path.dirname(root);
    const { events } = await care.export(session.id, path.join(folder, "running.zip"));
    assert.equal(events, 3);
    await keep(session, WIDE);
    await session.close();
    assert.equal((await importOne(care, path.join(folder, "running.zip"))).results, 1);
    await mkdir(path.join(folder, "taken"));
    for (const file of [path.join(folder, "absent", "x.zip"), path.join(folder, "taken")])
      await assert.rejects(care.export(session.id, file), hasCode("export-failed"));
    assert.deepEqual((await readdir(folder)).sort(), ["running.zip", "taken", "with space"]);
    await assert.rejects(care.export("../../etc", path.join(folder, "y.zip")), hasCode("session-missing"));
  });
});

test("what packs too well is stored unpacked: every export can be imported", async () => {
  await withStore(async (store, root) => {
    const big = "x".repeat(9 * 1024 * 1024);
    const head = Array.from({ length: 2000 }, (_, n) => `${n * n} ${"and a clause ".repeat(15)}`).join("\n");
    const late = `${head}${big}${big}`; // it packs so well only later on
    const care = await careOf(root);
    for (const texts of [[big, `${big}y`], [late]]) {
      const { id } = await sessionWith(store, texts);
      const file = path.join(path.dirname(root), "session.zip");
      await care.export(id, file);
      assert.equal((await importOne(care, file)).results, texts.length);
    }
  });
});

test("hostile archives: refused by name, and nothing is left behind", async function () {
  this.timeout(20_000);
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const folder = path.dirname(root);
    const good = path.join(folder, "good.zip");
    const care = await careOf(root, limitsOf(2048, 1));
    await care.export(id, good);
    const whole = await unzipped(good);
    const manifest = Manifest.parse(JSON.parse(String(whole["manifest.json"])));
    const { events } = readChain(whole["log.jsonl"] ?? Buffer.alloc(0));
    const content = contentName(sha256(LONG));
    const said = (change: object) => JSON.stringify({ ...manifest, ...change });
    const logOf = (changed: readonly Logged[]) => ({ ...whole, ...written(changed, manifest) });
    const without = (name: string) =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
    const zeros = Buffer.alloc(1024 * 1024);
    const many = Object.fromEntries(
      Array.from({ length: 80 }, (_, n) => [contentName(sha256(String(n))), zeros]),
    );

    const noText = (more: object) => {
      const bytes = Buffer.from([0xff, 0xfe, 0xff]);
      const claim = { sha256: sha256OfBytes(bytes), bytes: bytes.length, ...more };
      const { [content]: _, ...rest } = logOf(
        events.map((event) => (event.type === "tool_result_stored" ? { ...event, ...claim } : event)),
      );
      return { ...rest, [contentName(claim.sha256)]: bytes };
    };
    const cases: [string, RegExp, Files, string?][] = [
      ["a path out of the store", /none of a session's/, { ...whole, "a/../../../x": "x" }],
      ["a file that is no digest", /none of a session's/, { ...whole, "contents/readme.txt": "x" }],
      ["a digest in capitals", /none of a session's/, { ...whole, [content.toUpperCase()]: LONG }],
      ["a device's name", /none of a session's/, { ...whole, CON: "x" }],
      ["a folder", /none of a session's/, { ...whole, contents: "" }],
      ["a file twice", /same file twice/, whole, content],
      ["no manifest", /no manifest\.json/, without("manifest.json")],
      ["no log", /no log\.jsonl/, without("log.jsonl")],
      ["no content", /1 stored results are missing/, without(content)],
      ["content of another digest", /was altered/, { ...whole, [content]: `${LONG}x` }],
      ["other bytes", /was altered/, { ...whole, [content]: Buffer.from([0xff, 0xfe, 0xff]) }],
      ["content that is no text and called text", /damaged one/, noText({})],
      ["content that is no text, with characters", /another size/, noText({ mediaType: "image/png" })],
      ["content that the log does not name", /does not name/, { ...whole, [contentName(sha256("x"))]: "x" }],
      ["one content too large", /too large/, { ...whole, [content]: Buffer.alloc(1024 * 1024 + 1) }],
      ["a bomb", /far more than it is/, { ...whole, ...many }],
      ["a manifest that is none", /damaged one/, { ...whole, "manifest.json": "{" }],
      ["a manifest of null", /manifest is none/, { ...whole, "manifest.json": "null" }],
      ["another kind", /manifest is none/, { ...whole, "manifest.json": said({ kind: "x" }) }],
      ["a later format", /later version/, { ...whole, "manifest.json": said({ format: 2 }) }],
      [
        "missing content that is there",
        /does not name/,
        {
          ...whole,
          "manifest.json": said({
            missing: [{ sha256: sha256(LONG), handle: `claim:${"0".repeat(32)}`, tool: "t", why: "missing" }],
          }),
        },
      ],
      [
        "a shortened log",
        /not the one/,
        { ...whole, "log.jsonl": `${String(whole["log.jsonl"]).split("\n")[0]}\n` },
      ],
      ["a torn log", /log is damaged/, { ...whole, "log.jsonl": String(whole["log.jsonl"]).slice(0, -5) }],
      [
        "an edited log",
        /log is damaged/,
        { ...whole, "log.jsonl": String(whole["log.jsonl"]).replace("read_file", "rm_file") },
      ],
      ["an empty log", /not the one/, { ...whole, "log.jsonl": "" }],
      ["a log without a beginning", /no beginning/, logOf(events.slice(1))],
      [
        "a session with a name too long for the first line of a log", // nobody could tell then that it is only read
        /no beginning/,
        logOf(
          events.map((event) =>
            event.type === "session_started" ? { ...event, session: "x".repeat(20_000) } : event,
          ),
        ),
      ],
      ["a log with two", /two beginnings/, logOf([...events, ...events])],
      [
        "a content of another size than its claim says",
        /another size/,
        logOf(events.map((event) => (event.type === "tool_result_stored" ? { ...event, chars: 5 } : event))),
      ],
      [
        "frames that are not the content's",
        /other frames than it has/,
        logOf(
          events.map((event) =>
            event.type === "tool_result_stored" ? { ...event, frames: sha256("other") } : event,
          ),
        ),
      ],
      [
        "text with half a surrogate pair",
        /text that is none/,
        logOf([...events, { n: 3, at: 1, origin: "loop", type: "asked", turn: 1, text: "\ud800" }]),
      ],
    ];
    const before = (await filesBelow(root)).sort();
    const check = async (name: string, file: string, why: RegExp) => {
      await assert.rejects(
        importOne(care, file),
        (cause: unknown) => {
          assert.ok(hasCode("import-unreadable")(cause), `${name}: ${String(cause)}`);
          assert.match((cause as Error).message, why, name);
          return true;
        },
        name,
      );
      assert.deepEqual((await filesBelow(root)).sort(), before, name);
      assert.deepEqual(await readdir(path.dirname(await folderOf(root, id))), [id], name);
    };
    const file = path.join(folder, "hostile.zip");
    for (const [name, why, files, twice] of cases) {
      // yazl refuses names that climb: such a name is put in afterwards, byte for byte
      const climbs = Object.fromEntries(
        Object.entries(files).map(([key, value]) => [key.replaceAll("..", "__"), value]),
      );
      await zipped(file, climbs, twice);
      if (name.startsWith("a path")) {
        const bytes = (await readFile(file)).toString("latin1").replaceAll("a/__/__/__/x", "a/../../../x");
        await writeFile(file, bytes, "latin1");
        await check(name, file, /no archive of a session/); // the reader itself refuses it
        continue;
      }
      await check(name, file, why);
    }
    await check("no such file", path.join(folder, "absent.zip"), /no such file/);
    await check("a folder", folder, /no archive/);
    const bytes = await readFile(good);
    for (const [name, part] of [
      ["nothing", bytes.subarray(0, 0)],
      ["no archive", Buffer.from("no archive")],
      ["half an archive", bytes.subarray(0, bytes.length / 2)],
      ["only its end", bytes.subarray(bytes.length / 2)],
    ] as const) {
      await writeFile(file, part);
      await check(name, file, /no archive/);
    }
    const lies = Buffer.from(bytes); // the sizes in the table of contents say less than what unpacks
    const at = lies.indexOf(content, lies.lastIndexOf("log.jsonl"), "latin1") - 46;
    lies.writeUInt32LE(10, at + 24);
    await writeFile(file, lies);
    await check("a file larger than it says", file, /no archive/);
    await importOne(care, good); // and the good one is taken
  });
});

test("an archive's times are not believed: an event of the year 9999 does not keep its session for ever", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const file = path.join(path.dirname(root), "session.zip");
    const care = await careOf(root);
    await care.export(id, file);
    const whole = await unzipped(file);
    const { events } = readChain(whole["log.jsonl"] ?? Buffer.alloc(0));
    const manifest = Manifest.parse(JSON.parse(String(whole["manifest.json"])));
    const late = events.map((event) => ({ ...event, at: 253_402_300_799_000 }));
    await zipped(file, { ...whole, ...written(late, manifest) });
    const { session } = await importOne(care, file);
    assert.ok((await store.events(session)).every(({ at }) => at <= Date.now()));
    const later = { now: () => Date.now() + 31 * 86_400_000 };
    await (await StoreCare.open(root, HERE, later)).sweep();
    assert.deepEqual(await store.list(), []);
  });
});

test("a byte flipped anywhere in an archive: refused, or what comes in is whole", async function () {
  this.timeout(20_000);
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG]);
    const file = path.join(path.dirname(root), "session.zip");
    const care = await careOf(root);
    await care.export(id, file);
    const bytes = await readFile(file);
    let refusedCount = 0;
    for (let at = 0; at < bytes.length; at += 29) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      await writeFile(file, altered);
      const result = await importOne(care, file).catch((cause: unknown) => cause);
      if (result instanceof Error) {
        assert.ok(hasCode("import-unreadable")(result), String(result.stack));
        refusedCount++;
        continue;
      }
      const { session } = result as { session: string };
      assert.equal(await store.content(session, handles[0] as never), LONG);
      await care.forgetSession(session);
    }
    assert.ok(refusedCount > 20);
    await assertClean(root);
  });
});

test("a store without room takes no import and no fork, and keeps nothing of them", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [safe("x".repeat(600 * 1024))]);
    const file = path.join(path.dirname(root), "session.zip");
    const care = await careOf(root, limitsOf(1, 1));
    await care.export(id, file);
    const before = (await filesBelow(root)).filter((name) => !name.endsWith("usage.log"));
    await assert.rejects(importOne(care, file), hasCode("store-full"));
    await assert.rejects(care.fork(id), hasCode("store-full"));
    assert.deepEqual(
      (await filesBelow(root)).filter((name) => !name.endsWith("usage.log")),
      before,
    );
  });
});

test("killed before any step of an export, an import or a fork: no half file under a name, no half session in the list", async function () {
  this.timeout(30_000);
  await withFolder(async (folder) => {
    const program = await bundleWriter(folder, "test/support/carer.ts");
    const cases: [string, string][] = [
      ...["read", "prove", "write", "name"].map((step): [string, string] => ["export", step]),
      ...["open", "check", "copy", "log", "name"].map((step): [string, string] => ["import", step]),
      ...["copy", "log", "name"].map((step): [string, string] => ["fork", step]),
    ];
    await Promise.all(
      cases.map(async ([act, step]) => {
        const root = path.join(folder, `${act} ${step}`, "store");
        const store = await Sessions.open(root, HERE, clock);
        const { id } = await sessionWith(store, [LONG, WIDE]);
        const file = path.join(folder, `${act} ${step}`, "session.zip");
        const care = await careOf(root);
        if (act === "import") await care.export(id, file);
        const carer = startWriter(program, [root, HERE, act, step, act === "import" ? file : id, file]);
        await carer.line("at");
        carer.child.kill("SIGKILL");
        await carer.ended;
        assert.deepEqual(
          (await store.list()).map(({ session }) => session),
          [id],
          `${act} ${step}`,
        );
        if (act === "export") await assert.rejects(stat(file), hasCode("ENOENT"));
        await assertClean(root);
        const later = { now: () => Date.now() + 2 * 3_600_000 };
        await (await StoreCare.open(root, HERE, later)).sweep();
        assert.deepEqual((await assertClean(root, later.now)).findings, [], `${act} ${step}`);
        if (act === "export")
          await care.export(id, file); // and again, in peace
        else if (act === "import") await importOne(care, file);
        else await care.fork(id);
        await assertClean(root);
      }),
    );
  });
});
