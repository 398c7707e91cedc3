/** CONFORMANCE §0.6, Lifetime: what expires, what is collected, and what doubt keeps. Real folders, real second processes. */
import assert from "node:assert/strict";
import { cp, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { Sessions } from "../../../src/store/sessions";
import { sweep } from "../../../src/store/sweep";
import { plainRoot } from "../../../src/store/vault";
import { assertClean, DAY_MS, HOUR_MS, keep, LONG, sessionWith } from "../../support/lifetime";
import {
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
const KEEP = 30 * DAY_MS;
const after = (ms: number) => ({ now: () => Date.now() + ms });
const titles = async (store: Sessions) => (await store.list()).map(({ title }) => title).sort();

test("sessions unused for longer than they are kept go, with all their bytes, and are told by name", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [LONG], "old");
    const report = await sweep(plainRoot(root), { clock: after(KEEP - HOUR_MS), keepMs: KEEP });
    assert.deepEqual(report.expired, []);
    const gone = await sweep(plainRoot(root), { clock: after(KEEP + HOUR_MS), keepMs: KEEP });
    assert.deepEqual(
      gone.expired.map(({ title }) => title),
      ["old"],
    );
    assert.equal(gone.storedBytes, 0);
    assert.deepEqual(await store.list(), []);
    assert.deepEqual((await filesBelow(root)).map((file) => path.basename(file)).sort(), [
      "format.json",
      "usage.log",
    ]);
    await sessionWith(store, [LONG], "kept for ever");
    assert.deepEqual(
      (await sweep(plainRoot(root), { clock: after(9999 * DAY_MS), keepMs: null })).expired,
      [],
    );
  });
});

test("use counts, not age: an old session that went on yesterday stays", async () => {
  await withStore(async (_, root) => {
    let now = 1_700_000_000_000;
    const store = await Sessions.open(root, HERE, { now: () => now });
    const { id } = await sessionWith(store, [LONG], "used");
    now += 29 * DAY_MS;
    const session = await store.open(id);
    await session.append({ type: "asked", turn: 1, text: "go on" });
    await session.close();
    const log = path.join(await folderOf(root, id), "log.jsonl");
    await utimes(log, 1, 1); // a copy that lost its times: the events still know
    now += 29 * DAY_MS;
    assert.deepEqual((await sweep(plainRoot(root), { clock: { now: () => now }, keepMs: KEEP })).expired, []);
    now += 2 * DAY_MS;
    assert.equal(
      (await sweep(plainRoot(root), { clock: { now: () => now }, keepMs: KEEP })).expired.length,
      1,
    );
  });
});

test("a clock that went back expires nothing: neither now, nor what was used while it was wrong", async () => {
  await withStore(async (_, root) => {
    const wrong = await Sessions.open(root, HERE, { now: () => 1000 }); // 1970
    await sessionWith(wrong, [LONG], "begun in 1970");
    const right = await Sessions.open(root, HERE, { now: () => Date.now() });
    await sessionWith(right, [LONG], "begun today");
    for (const { session } of await right.list())
      await rm(path.join(await folderOf(root, session), "claims.json")); // look closer
    assert.deepEqual(
      (await sweep(plainRoot(root), { clock: { now: () => 1000 }, keepMs: KEEP })).expired,
      [],
    );
    assert.deepEqual((await sweep(plainRoot(root), { clock: after(0), keepMs: KEEP })).expired, []); // its file is of today
    const names = await titles(right);
    assert.deepEqual(names, ["begun in 1970", "begun today"]);
    const orphan = await create(right);
    await orphan.put(safe("no event names this"));
    await orphan.close();
    assert.equal((await sweep(plainRoot(root), { clock: { now: () => 1000 }, keepMs: null })).orphans, 0);
  });
});

test("never a session in use, here or in another process; once it is let go, it goes", async function () {
  this.timeout(20_000);
  await withFolder(async (folder) => {
    const root = path.join(folder, "store");
    const store = await Sessions.open(root, HERE, { now: () => Date.now() });
    const mine = await create(store);
    await mine.put(safe(LONG));
    const { id } = await sessionWith(store, [LONG], "theirs");
    const writer = startWriter(await bundleWriter(folder), [root, id, "hold"]);
    await writer.line("open");
    const ports = { clock: after(KEEP * 2), keepMs: KEEP };
    const report = await sweep(plainRoot(root), ports);
    assert.deepEqual([report.expired, report.orphans, report.pinned], [[], 0, []]);
    assert.equal((await store.list()).length, 2);
    await keep(mine, LONG); // content that was put before its event is still there
    await mine.close();
    writer.child.kill("SIGKILL");
    await writer.ended;
    assert.equal((await sweep(plainRoot(root), ports)).expired.length, 2);
    await assertClean(root);
  });
});

test("an unreadable log pins its folder and is reported; the others are swept all the same", async () => {
  await withStore(async (store, root) => {
    const bad: string[] = [];
    for (const [title, damage] of [
      [
        "altered",
        async (log: string) => writeFile(log, (await readFile(log, "utf8")).replace("file", "fyle")),
      ],
      ["gone", (log: string) => rm(log)],
      ["refused", (log: string) => rename(log, `${log}.x`).then(() => mkdir(log))],
      ["later", (log: string) => writeFile(log, '{"type":"x","sum":"0000000000000000"}\n')],
    ] as [string, (log: string) => Promise<unknown>][]) {
      const { id } = await sessionWith(store, [LONG], title);
      bad.push(await folderOf(root, id));
      await damage(path.join(await folderOf(root, id), "log.jsonl"));
    }
    await sessionWith(store, [LONG], "whole");
    const before = (await filesBelow(root)).filter((file) => bad.some((folder) => file.startsWith(folder)));
    const report = await sweep(plainRoot(root), { clock: after(KEEP * 2), keepMs: KEEP });
    assert.deepEqual(report.pinned.map(({ folder }) => folder).sort(), bad.sort());
    assert.deepEqual(
      report.expired.map(({ title }) => title),
      ["whole"],
    );
    const left = (await filesBelow(root)).filter((file) => bad.some((folder) => file.startsWith(folder)));
    assert.deepEqual(left.sort(), before.sort());
  });
});

test("orphans, half-written files and sessions that never began go after an hour, and nothing else", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG]);
    const folder = await folderOf(root, id);
    const sessions = path.dirname(folder);
    const open = await store.open(id);
    await open.put(safe("no event names this"));
    await open.close();
    await writeFile(path.join(folder, ".half.tmp"), "");
    await writeFile(path.join(folder, "blobs", "0123.txt"), "not one of ours");
    await mkdir(path.join(sessions, "20200101-000000-deadbeef"));
    await mkdir(path.join(sessions, "20200101-000000-somebody"));
    await writeFile(path.join(sessions, "20200101-000000-somebody", "notes.txt"), "theirs");
    await mkdir(path.join(sessions, ".draft-x"));
    await cp(folder, path.join(sessions, ".gone-x"), { recursive: true });
    const soon = await sweep(plainRoot(root), { clock: after(HOUR_MS / 2), keepMs: KEEP });
    assert.deepEqual([soon.orphans, soon.drafts], [0, 1]); // what is being deleted goes at once
    const later = await sweep(plainRoot(root), { clock: after(HOUR_MS * 2), keepMs: KEEP });
    assert.deepEqual([later.orphans, later.drafts], [1, 3]);
    assert.equal(await store.content(id, handles[0] as never), LONG);
    const names = (await filesBelow(root)).map((file) => path.basename(file));
    assert.ok(names.includes("notes.txt") && names.includes("0123.txt"));
    await rm(path.join(folder, "blobs", "0123.txt"));
    await rm(path.join(sessions, "20200101-000000-somebody"), { recursive: true });
    await assertClean(root, () => Date.now() + HOUR_MS * 2);
  });
});

test("where a log lost lines, content that it does not name is kept: the lost lines may have", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG, `${LONG} more`]);
    const log = path.join(await folderOf(root, id), "log.jsonl");
    const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
    await writeFile(log, `${lines.slice(0, 3).join("\n")}\n${lines[4]}\n`); // the fourth is lost
    await (await store.open(id)).close(); // moved aside
    const report = await sweep(plainRoot(root), { clock: after(HOUR_MS * 2), keepMs: KEEP });
    assert.deepEqual([report.orphans, report.pinned], [0, []]);
    await assertClean(root, () => Date.now() + HOUR_MS * 2);
  });
});

test("a folder copied from another machine: its sessions are read, its lock is in doubt, so it is never removed", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG]);
    const copy = `${root}-copied`;
    const lock = path.join(await folderOf(root, id), "owner.lock");
    await writeFile(
      path.join(lock, "other.json"),
      JSON.stringify({ pid: 1, host: "another-machine", bootedAt: 0, process: null }),
    );
    await cp(root, copy, { recursive: true });
    const there = await Sessions.open(copy, HERE, { now: () => Date.now() });
    assert.equal(await there.content(id, handles[0] as never), LONG);
    await assertClean(copy);
    assert.deepEqual((await sweep(plainRoot(copy), { clock: after(KEEP * 2), keepMs: KEEP })).expired, []);
    const fork = await there.open(await there.fork(id)); // it can be gone on with all the same
    assert.ok(fork.find(handles[0] as never));
    await fork.close();
  });
});

test("killed before any step: what is listed is whole, and the next sweep ends with the same", async function () {
  this.timeout(30_000);
  await withFolder(async (folder) => {
    const file = await bundleWriter(folder, "test/support/carer.ts");
    const steps = [
      "list",
      "mark",
      "lock",
      "expire",
      "rename",
      "unlink",
      "rename#2",
      "unlink#2",
      "collect",
      "measure",
    ];
    await Promise.all(
      steps.map(async (step) => {
        const root = path.join(folder, step);
        const store = await Sessions.open(root, HERE, { now: () => Date.now() });
        await sessionWith(store, [LONG], "old");
        await sessionWith(store, [`${LONG} 2`], "old too");
        const later = await Sessions.open(root, HERE, after(KEEP * 2));
        const { id } = await sessionWith(later, [LONG], "new");
        const session = await later.open(id);
        await session.put(safe("no event names this"));
        await session.close();
        const carer = startWriter(file, [root, HERE, "sweep", step, String(KEEP * 2)]);
        await carer.line("at");
        carer.child.kill("SIGKILL");
        await carer.ended;
        await assertClean(root);
        for (const { session } of await later.list()) await (await later.open(session)).close();
        await sweep(plainRoot(root), { clock: after(KEEP * 2), keepMs: KEEP });
        assert.deepEqual(await titles(later), ["new"], step);
        const found = await assertClean(root, () => Date.now() + KEEP * 2);
        assert.deepEqual([found.sessions, found.findings], [1, []], step);
      }),
    );
  });
});

test("a quiet session's log is not even read; one look more is taken where something is old", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const log = path.join(await folderOf(root, id), "log.jsonl");
    const whole = await readFile(log);
    const { mtime } = await stat(log);
    await writeFile(log, "not a log any more");
    await utimes(log, mtime, mtime);
    assert.deepEqual((await sweep(plainRoot(root), { clock: after(2 * HOUR_MS), keepMs: KEEP })).pinned, []);
    await rm(path.join(await folderOf(root, id), "claims.json"));
    assert.equal(
      (await sweep(plainRoot(root), { clock: after(2 * HOUR_MS), keepMs: KEEP })).pinned.length,
      1,
    );
    await writeFile(log, whole);
    assert.deepEqual((await sweep(plainRoot(root), { clock: after(2 * HOUR_MS), keepMs: KEEP })).orphans, 0);
  });
});

test("two windows sweep at once: each session goes once, and nobody fails", async () => {
  await withStore(async (store, root) => {
    for (let n = 0; n < 6; n++) await sessionWith(store, [`${n} ${LONG}`]);
    const ports = { clock: after(KEEP * 2), keepMs: KEEP };
    const reports = await Promise.all([
      sweep(plainRoot(root), ports),
      sweep(plainRoot(root), ports),
      sweep(plainRoot(root), ports),
    ]);
    const ids = reports.flatMap(({ expired }) => expired.map(({ session }) => session));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      reports.flatMap(({ pinned }) => pinned),
      [],
    );
    const rest = await sweep(plainRoot(root), ports); // whoever kept each other from one leaves it to the next
    assert.equal(ids.length + rest.expired.length, 6);
    assert.deepEqual(await store.list(), []);
  });
});

test("a session opened between the look and the lock is not removed", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    let done = false;
    const onStep = async (step: string) => {
      if (step !== "expire" || done) return;
      done = true;
      await assert.rejects(store.open(id), hasCode("session-in-use")); // while it is removed, nobody gets it
    };
    assert.equal(
      (await sweep(plainRoot(root), { clock: after(KEEP * 2), keepMs: KEEP, onStep })).expired.length,
      1,
    );
    const other = await sessionWith(store, [LONG]);
    const used = async (step: string) => {
      if (step !== "lock" || done === false) return;
      done = false;
      const later = await Sessions.open(root, HERE, after(KEEP * 2));
      const session = await later.open(other.id);
      await session.append({ type: "asked", turn: 1, text: "still here" });
      await session.close();
    };
    assert.deepEqual(
      (await sweep(plainRoot(root), { clock: after(KEEP * 2), keepMs: KEEP, onStep: used })).expired,
      [],
    );
  });
});
