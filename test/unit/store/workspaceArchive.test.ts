/** The sessions of a workspace as one archive: there and back, shared contents once, all of them or none. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import { WorkspaceManifest } from "../../../src/store/archive";
import { StoreCare } from "../../../src/store/care";
import { sha256 } from "../../../src/store/digest";
import { limitsOf } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { cliProgram } from "../../support/cliProcess";
import { LONG, problems, sessionWith, verified } from "../../support/lifetime";
import { clock, filesBelow, folderOf, hasCode, withStore } from "../../support/storeFolder";

const HERE = "file:///work";
const BIG = `${"x".repeat(700_000)} the end`;

async function filesIn(file: string): Promise<Map<string, Buffer>> {
  const zip = await openPromise(file, { lazyEntries: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

async function zipped(file: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const zip = new ZipFile();
  for (const [name, content] of files) zip.addBuffer(content, name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

test("a workspace's sessions go out in one file and come in again with every content and handle", async () => {
  await withStore(async (store, root) => {
    const one = await sessionWith(store, [LONG, "only here"], "One");
    const two = await sessionWith(store, [LONG], "Two");
    const lost = await sessionWith(store, ["will be gone", LONG], "Three");
    await rm(path.join(await folderOf(root, lost.id), "blobs", sha256("will be gone")));
    const damaged = await sessionWith(store, [LONG], "Four");
    const log = path.join(await folderOf(root, damaged.id), "log.jsonl");
    await appendFile(log, "not a line of it\n");
    const care = await StoreCare.open(root, HERE, clock);
    const file = path.join(path.dirname(root), "all.zip");
    const told = await care.exportWorkspace(file);
    assert.deepEqual([told.sessions, told.contents, told.missing.length], [3, 4, 1]);
    assert.deepEqual(
      told.unreadable.map(({ session }) => session),
      [damaged.id],
    );

    const files = await filesIn(file);
    const names = [...files.keys()];
    assert.equal(names.filter((name) => name === `contents/${sha256(LONG)}`).length, 1, "shared");
    const manifest = WorkspaceManifest.parse(JSON.parse(String(files.get("workspace.json"))));
    assert.deepEqual([...manifest.sessions].sort(), [one.id, two.id, lost.id].sort());

    const there = path.join(path.dirname(root), "other machine");
    const other = await Sessions.open(there, HERE, clock);
    const made = await (await StoreCare.open(there, HERE, clock)).import(file);
    assert.equal(made.length, 3);
    const titles = new Map(made.map(({ title, session }) => [title, session]));
    for (const [title, { handles }] of [
      ["One", one],
      ["Two", two],
    ] as const) {
      const session = titles.get(title) ?? assert.fail(title);
      assert.equal(await other.content(session, handles[0] ?? assert.fail()), LONG);
    }
    const third = titles.get("Three") ?? assert.fail();
    await assert.rejects(other.content(third, lost.handles[0] ?? assert.fail()), hasCode("blob-missing"));
    assert.deepEqual(problems(await verified(there)), []);
  });
});

test("a workspace without sessions gives an archive without any, and it is taken as that", async () => {
  await withStore(async (store, root) => {
    const care = await StoreCare.open(root, HERE, clock);
    const file = path.join(path.dirname(root), "none.zip");
    assert.equal((await care.exportWorkspace(file)).sessions, 0);
    assert.deepEqual(await care.import(file), []);
    assert.deepEqual(await store.list(), []);
  });
});

test("an archive of a workspace that is not what it says is refused whole, and nothing is left of it", async () => {
  await withStore(async (store, root) => {
    const one = await sessionWith(store, [LONG], "One");
    const two = await sessionWith(store, ["two's own"], "Two");
    const care = await StoreCare.open(root, HERE, clock);
    const file = path.join(path.dirname(root), "all.zip");
    await care.exportWorkspace(file);
    const good = await filesIn(file);
    const before = await filesBelow(root);
    const hostile: Record<string, (files: Map<string, Buffer>) => void> = {
      "a session that is not listed": (files) => {
        const manifest = JSON.parse(String(files.get("workspace.json")));
        files.set("workspace.json", Buffer.from(JSON.stringify({ ...manifest, sessions: [one.id] })));
      },
      "a listed session that is not there": (files) => void files.delete(`sessions/${two.id}/log.jsonl`),
      "a session at the top too": (files) => {
        files.set("log.jsonl", files.get(`sessions/${two.id}/log.jsonl`) ?? Buffer.alloc(0));
      },
      "no list": (files) => void files.delete("workspace.json"),
      "content that nobody names": (files) => void files.set(`contents/${sha256("x")}`, Buffer.from("x")),
      "content that is gone": (files) => void files.delete(`contents/${sha256("two's own")}`),
      "content that was altered": (files) =>
        void files.set(`contents/${sha256("two's own")}`, Buffer.from("two's oww")),
      "a file of nobody": (files) => void files.set("sessions/a/b/log.jsonl", Buffer.from("x")),
      "a log that was cut": (files) => {
        const log = files.get(`sessions/${one.id}/log.jsonl`) ?? Buffer.alloc(0);
        files.set(`sessions/${one.id}/log.jsonl`, log.subarray(0, log.length >> 1));
      },
      "a later format": (files) => {
        const manifest = JSON.parse(String(files.get("workspace.json")));
        files.set("workspace.json", Buffer.from(JSON.stringify({ ...manifest, format: 2 })));
      },
    };
    for (const [what, alter] of Object.entries(hostile)) {
      const files = new Map(good);
      alter(files);
      const bad = path.join(path.dirname(root), "bad.zip");
      await zipped(bad, files);
      await assert.rejects(care.import(bad), hasCode("import-unreadable"), what);
      assert.deepEqual(await filesBelow(root), before, what);
    }
    assert.equal((await care.import(file)).length, 2);
  });
});

test("where the last of its sessions finds no room, none of them stays", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [BIG, `${BIG} again`], "One");
    await sessionWith(store, [`${BIG} other`], "Two");
    const file = path.join(path.dirname(root), "all.zip");
    await (await StoreCare.open(root, HERE, clock)).exportWorkspace(file);
    const there = path.join(path.dirname(root), "small");
    const other = await Sessions.open(there, HERE, clock);
    const small = { keepSessionsDays: 30, limits: limitsOf(2, 1) };
    const care = await StoreCare.open(there, HERE, clock, small);
    await assert.rejects(care.import(file), hasCode("store-full"));
    assert.deepEqual(await other.list(), []);
    assert.deepEqual(
      (await filesBelow(there)).filter((name) => name.includes("blobs")),
      [],
    );
  });
});

test("an archive of many sessions is taken in with one of them in memory at a time", async function () {
  this.timeout(60_000);
  await withStore(async (store, root) => {
    const folder = path.dirname(root);
    for (let n = 0; n < 14; n++) {
      const session = await store.create({ workspace: "work", title: `${n}` });
      for (let turn = 1; turn <= 6; turn++)
        await session.append({ type: "asked", turn, text: `${n} ${turn} a long question `.repeat(45_000) });
      await session.close();
    }
    const file = path.join(folder, "all.zip");
    await (await StoreCare.open(root, HERE, clock)).exportWorkspace(file);
    const words = ["import", file, "--workspace", HERE, "--store", path.join(folder, "there")];
    const program = await cliProgram();
    const { status, stdout } = spawnSync(process.execPath, ["--max-old-space-size=64", program, ...words]);
    assert.equal(status, 0); // all of them are 84 MB
    assert.match(String(stdout), /^Imported 14 sessions/);
  });
});
