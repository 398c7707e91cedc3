/** C10 and CONFORMANCE §1, Erasure: intents before, completions after; all or nothing; finished at the next start. */
import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { erase, finishErasures } from "../../../src/store/erase";
import { erasureLine, type Scope } from "../../../src/store/erasureJournal";
import { listTenants, tenantOf } from "../../../src/store/layout";
import { Sessions } from "../../../src/store/sessions";
import { plainRoot } from "../../../src/store/vault";
import { assertClean, LONG, sessionWith } from "../../support/lifetime";
import { clock, filesBelow, folderOf, hasCode, withFolder, withStore } from "../../support/storeFolder";
import { bundleWriter, startWriter } from "../../support/writerProcess";

const HERE = "file:///work";
const ELSEWHERE = "file:///elsewhere";
const tenant = tenantOf(HERE);
const ofSession = (session: string): Scope => ({ kind: "session", tenant, session });

/** The files that hold `text`, whatever their form. */
async function filesWith(root: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await filesBelow(root)) if ((await readFile(file)).includes(text)) found.push(file);
  return found;
}

const journal = async (root: string): Promise<{ type: string; wasInterrupted?: boolean }[]> =>
  (await readFile(path.join(root, "erasures.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const secret = (n: number) => `the secret of session ${n} ${"is long. ".repeat(800)}`;

test("C10 forget a session: counts, its bytes are gone from disk, others read on, the journal says both", async () => {
  await withStore(async (store, root) => {
    const first = await sessionWith(store, [secret(1), LONG]);
    const second = await sessionWith(store, [LONG]);
    assert.ok((await filesWith(root, "secret of session 1")).length > 0);
    const { bytes, ...erased } = await erase(plainRoot(root), ofSession(first.id), { clock });
    assert.deepEqual(erased, { sessions: 1, results: 2, copies: [] });
    assert.ok(bytes > secret(1).length + LONG.length);
    assert.deepEqual(await filesWith(root, "secret of session 1"), []);
    assert.deepEqual(await filesWith(root, first.handles[0] ?? ""), []);
    assert.deepEqual(
      (await store.list()).map(({ session }) => session),
      [second.id],
    );
    assert.equal(await store.content(second.id, second.handles[0] as never), LONG);
    await assert.rejects(store.open(first.id), hasCode("session-missing"));
    assert.deepEqual(
      (await journal(root)).map(({ type }) => type),
      ["intended", "completed"],
    );
    await assertClean(root);
    await assert.rejects(erase(plainRoot(root), ofSession(first.id), { clock }), hasCode("session-missing"));
    await assert.rejects(
      erase(plainRoot(root), ofSession("../../.."), { clock }),
      hasCode("session-missing"),
    );
  });
});

test("C10 forget a workspace, forget everything: only what was meant", async () => {
  await withStore(async (store, root) => {
    const other = await Sessions.open(root, ELSEWHERE, clock);
    await sessionWith(store, [secret(1)]);
    await sessionWith(store, [secret(2)]);
    const kept = await sessionWith(other, [secret(3)]);
    const erased = await erase(plainRoot(root), { kind: "workspace", tenant }, { clock });
    assert.deepEqual([erased.sessions, erased.results], [2, 2]);
    assert.deepEqual(await store.list(), []);
    assert.equal(await other.content(kept.id, kept.handles[0] as never), secret(3));
    assert.deepEqual(await filesWith(root, "secret of session 2"), []);

    const sessions = path.dirname(await folderOf(root, "x"));
    await mkdir(path.join(sessions, "Copy of a session"));
    await writeFile(path.join(sessions, "Copy of a session", "log.jsonl"), "secret of session 4");
    const all = await erase(plainRoot(root), { kind: "everything" }, { clock });
    assert.deepEqual([all.sessions, all.results], [1, 1]);
    assert.deepEqual(await filesWith(root, "secret of session"), []);
    assert.deepEqual((await readdir(root)).sort(), ["erasures.jsonl", "format.json", "tenants"]);
    await sessionWith(store, [LONG]); // and life goes on
    await assertClean(root);
  });
});

test("nothing at all is deleted where one log cannot be read, or one session is in use", async () => {
  await withStore(async (store, root) => {
    const first = await sessionWith(store, [secret(1)]);
    const second = await sessionWith(store, [secret(2)]);
    const before = async () => (await filesBelow(root)).sort();
    const log = path.join(await folderOf(root, second.id), "log.jsonl");
    const whole = await readFile(log);
    const everyScope: Scope[] = [{ kind: "workspace", tenant }, { kind: "everything" }, ofSession(second.id)];
    const damages: [string, () => Promise<unknown>][] = [
      ["an altered line", () => writeFile(log, String(whole).replace("read_file", "reed_file"))],
      ["a log that is gone", () => rm(log)],
      [
        "a log that the disk refuses",
        async () => {
          await rm(log, { force: true });
          await mkdir(log);
        },
      ],
    ];
    for (const [name, damage] of damages) {
      await damage();
      const files = await before();
      for (const scope of everyScope) {
        await assert.rejects(
          erase(plainRoot(root), scope, { clock }),
          (cause) => hasCode("erase-refused")(cause) && String(cause).includes(second.id),
          name,
        );
      }
      assert.deepEqual(await before(), files, name);
    }
    await rm(log, { recursive: true });
    await writeFile(log, whole);
    const open = await store.open(first.id);
    const files = await before();
    for (const scope of [everyScope[0], everyScope[1], ofSession(first.id)] as Scope[])
      await assert.rejects(erase(plainRoot(root), scope, { clock }), hasCode("session-in-use"));
    assert.deepEqual(await before(), files);
    await open.close();
    await (await store.open(second.id)).close(); // whoever was locked meanwhile is free again
    assert.equal((await erase(plainRoot(root), { kind: "everything" }, { clock })).sessions, 2);
  });
});

test("a torn last line is no reason to refuse: a crash leaves one", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [secret(1)]);
    await appendFile(path.join(await folderOf(root, id), "log.jsonl"), '{"n":');
    assert.equal((await erase(plainRoot(root), ofSession(id), { clock })).results, 1);
  });
});

test("an intent that cannot be written down deletes nothing", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [secret(1)]);
    await mkdir(path.join(root, "erasures.jsonl"));
    await assert.rejects(erase(plainRoot(root), ofSession(id), { clock }), hasCode("store-unwritable"));
    assert.equal(await store.content(id, handles[0] as never), secret(1));
  });
});

test("content that a fork cites is kept and told: it has copies of its own", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [secret(1)]);
    const fork = await store.fork(id);
    const erased = await erase(plainRoot(root), ofSession(id), { clock });
    assert.deepEqual(erased.copies, [fork]);
    assert.equal(await store.content(fork, handles[0] as never), secret(1));
    await assertClean(root);
    const both = await erase(plainRoot(root), { kind: "workspace", tenant }, { clock });
    assert.deepEqual([both.sessions, both.copies], [1, []]);
    assert.deepEqual(await filesWith(root, "secret of session 1"), []);
  });
});

test("killed before any step: nothing is gone, or the next start finishes it; what was not meant is untouched", async function () {
  this.timeout(30_000);
  await withFolder(async (folder) => {
    const file = await bundleWriter(folder, "test/support/carer.ts");
    const steps: [string, "kept" | "gone"][] = [
      ["plan", "kept"],
      ["lock", "kept"],
      ["check", "kept"],
      ["intend", "kept"],
      ["delete", "gone"],
      ["rename", "gone"],
      ["unlink", "gone"],
      ["rename#2", "gone"],
      ["unlink#2", "gone"],
      ["complete", "gone"],
    ];
    await Promise.all(
      steps.map(async ([step, fate]) => {
        const root = path.join(folder, step);
        const store = await Sessions.open(root, HERE, clock);
        const other = await sessionWith(await Sessions.open(root, ELSEWHERE, clock), [LONG]);
        const ids = [await sessionWith(store, [secret(1)]), await sessionWith(store, [secret(2)])];
        const carer = startWriter(file, [root, HERE, "forgetWorkspace", step]);
        await carer.line("at");
        carer.child.kill("SIGKILL");
        await carer.ended;
        const found = await finishErasures(plainRoot(root), { clock });
        assert.equal(found.finished, fate === "gone" ? 1 : 0, step);
        assert.equal((await store.list()).length, fate === "gone" ? 0 : 2, step);
        if (fate === "gone") assert.deepEqual(await filesWith(root, "secret of session"), [], step);
        else for (const { id } of ids) await (await store.open(id)).close(); // its lock died with it
        assert.equal(
          await (await Sessions.open(root, ELSEWHERE, clock)).content(other.id, other.handles[0] as never),
          LONG,
        );
        assert.equal((await finishErasures(plainRoot(root), { clock })).finished, 0, `${step}: once`);
        await assertClean(root);
      }),
    );
  });
});

test("finishing: a session in use again waits, a torn or foreign line is skipped, names never leave the store", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [secret(1)]);
    const outside = path.join(path.dirname(root), "outside");
    await mkdir(outside);
    const intent = (session: string, n: number) =>
      erasureLine({
        type: "intended",
        id: `00000000-0000-4000-8000-00000000000${n}`,
        at: 1,
        scope: ofSession(session),
        targets: [{ tenant, session }],
      });
    const meant = await sessionWith(store, [secret(2)]);
    const altered = intent(id, 3).replaceAll(id, meant.id); // a session that nobody meant
    const lines = [intent("../../../../outside", 1), altered, intent(id, 2), '{"type":"inten'];
    await writeFile(path.join(root, "erasures.jsonl"), lines.join("\n"));
    const open = await store.open(id);
    assert.deepEqual(await finishErasures(plainRoot(root), { clock }), {
      finished: 0,
      sessions: 0,
      pending: 1,
      lines: 3,
    });
    await open.close();
    assert.deepEqual(await finishErasures(plainRoot(root), { clock }), {
      finished: 1,
      sessions: 1,
      pending: 0,
      lines: 3,
    });
    assert.deepEqual(
      (await store.list()).map(({ session }) => session),
      [meant.id],
    );
    assert.equal((await readFile(path.join(root, "erasures.jsonl"), "utf8")).split("\n").length, 6); // on a line of its own
    assert.deepEqual(await readdir(outside), []);
  });
});

test("a folder that another window deletes at the same time is no fault", async () => {
  await withStore(async (store, root) => {
    const ids = await Promise.all([1, 2, 3].map((n) => sessionWith(store, [secret(n)])));
    const results = await Promise.allSettled([
      erase(plainRoot(root), { kind: "workspace", tenant }, { clock }),
      erase(plainRoot(root), { kind: "everything" }, { clock }),
      ...ids.map(({ id }) => erase(plainRoot(root), ofSession(id), { clock })),
    ]);
    for (const result of results)
      if (result.status === "rejected")
        assert.ok(
          hasCode("session-in-use")(result.reason) || hasCode("session-missing")(result.reason),
          String(result.reason.stack),
        );
    await erase(plainRoot(root), { kind: "everything" }, { clock });
    assert.deepEqual(await filesWith(root, "secret of session"), []);
    assert.equal((await listTenants(plainRoot(root))).length, 1);
    await rename(root, `${root}-moved`).then(() => rename(`${root}-moved`, root));
  });
});
