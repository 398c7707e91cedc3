/** C12 C23: what people, models and machines call things never becomes a path, a name on disk or a way to another's content. */
import assert from "node:assert/strict";
import { readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { handleOf } from "../../../src/claims/handle";
import type { Handle } from "../../../src/schema/claim";
import { StoreCare } from "../../../src/store/care";
import { sha256 } from "../../../src/store/digest";
import { Sessions } from "../../../src/store/sessions";
import { assertClean, keep, LONG, problems, sessionWith, verified } from "../../support/lifetime";
import { clock, folderOf, hasCode, withStore } from "../../support/storeFolder";

const STRANGE = [
  `call_1__thought__${"A".repeat(1500)}`,
  "..",
  "../..",
  "../../../outside",
  "/etc/passwd",
  "C:\\Windows",
  "TaskOutput:79",
  "log.jsonl:stream",
  "\0",
  "a\0b",
  "CON",
  "con",
  "nul.txt",
  "COM1:",
  "trailing.",
  "trailing...",
  "trailing ",
  "",
  " ",
  "-",
  "~",
  "%2e%2e%2f",
  "a\nb",
  "\u202egnp.exe",
  "é",
  "e\u0301",
  "__proto__",
  "constructor",
];
const OURS =
  /^(format\.json|usage\.log|erasures\.jsonl|tenants|sessions|owner\.lock|log\.jsonl|claims\.json|blobs|[0-9a-f]{32}|[0-9a-f]{64}|\d{8}-\d{6}-[0-9a-f]{8})$/;

/** Every name below the store is one of ours. */
async function assertOurNames(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    assert.match(entry.name, OURS, path.join(entry.parentPath, entry.name));
}

test("C12 a session id of 1.5 kB, with dots, colons, NUL or a device's name is no session, whatever it is asked for, and makes no file", async () => {
  await withStore(async (store, root) => {
    const { handles } = await sessionWith(store, [LONG]);
    const care = await StoreCare.open(root, "file:///work", clock);
    const before = (await readdir(path.dirname(root), { recursive: true })).sort();
    for (const id of STRANGE) {
      const ways: [string, () => Promise<unknown>][] = [
        ["open", () => store.open(id)],
        ["events", () => store.events(id)],
        ["content", () => store.content(id, handles[0] as Handle)],
        ["fork", () => store.fork(id)],
        ["copy", () => care.fork(id)],
        ["export", () => care.export(id, path.join(root, "out.zip"))],
        ["verify", () => care.verify({ session: id })],
        ["forget", () => care.forgetSession(id)],
      ];
      for (const [way, ask] of ways)
        await assert.rejects(ask(), hasCode("session-missing"), `${way} ${JSON.stringify(id.slice(0, 40))}`);
    }
    assert.deepEqual((await readdir(path.dirname(root), { recursive: true })).sort(), before);
    await assertClean(root);
  });
});

test("C12 C9 a handle of any form that was not issued is refused alike, and no other session's is served", async () => {
  await withStore(async (store, root) => {
    const first = await sessionWith(store, [LONG]);
    const second = await sessionWith(store, [LONG, "another"]);
    const [, , ...others] = [...first.handles, ...second.handles];
    const names = [
      ...STRANGE,
      ...STRANGE.map((name) => `claim:${name}`),
      `claim:${"0".repeat(32)}`,
      `${first.handles[0]}@1`,
      `${first.handles[0]?.toUpperCase()}`,
      sha256(LONG),
      ...others,
    ];
    const session = await store.open(first.id);
    for (const name of names) {
      assert.equal(session.find(name as Handle), undefined, name.slice(0, 40));
      await assert.rejects(
        store.content(first.id, name as Handle),
        hasCode("blob-missing"),
        name.slice(0, 40),
      );
    }
    await session.close();
    await assertClean(root);
  });
});

test("C23 call ids, tool names and titles of any form are carried in the log and name nothing on disk", async () => {
  await withStore(async (store, root) => {
    const kept: [string, Handle, string][] = [];
    for (const name of STRANGE) {
      const session = await store.create({ workspace: name, title: name });
      const content = `${name} ${LONG}`.toWellFormed();
      const call = name === "" ? "t1c0" : name;
      kept.push([session.id, await keep(session, content, call), content]);
      await session.close();
      assert.equal((await store.events(session.id)).at(-1)?.type, "remembered");
    }
    await assertOurNames(root);
    for (const [id, handle, content] of kept) assert.equal(await store.content(id, handle), content);
    assert.equal((await store.list()).length, STRANGE.length);
    await assertClean(root);
  });
});

test("C8 C23 workspaces of any identity are each their own: no session, handle or list of one is another's", async () => {
  await withStore(async (_, root) => {
    const made: { identity: string; id: string; handle: Handle }[] = [];
    for (const identity of STRANGE) {
      const store = await Sessions.open(root, identity, clock);
      const { id, handles } = await sessionWith(store, [LONG]);
      made.push({ identity, id, handle: handles[0] as Handle });
    }
    await assertOurNames(root);
    assert.equal(
      new Set(made.map(({ handle }) => handle)).size,
      STRANGE.length,
      "one content, no two handles",
    );
    for (const { identity, id, handle } of made) {
      const store = await Sessions.open(root, identity, clock);
      assert.deepEqual(
        (await store.list()).map(({ session }) => session),
        [id],
        JSON.stringify(identity.slice(0, 40)),
      );
      for (const other of made) {
        if (other.id === id) continue;
        await assert.rejects(store.content(other.id, other.handle), hasCode("session-missing"));
        await assert.rejects(store.content(id, other.handle), hasCode("blob-missing"));
      }
      assert.equal(await store.content(id, handle), LONG);
    }
    const care = await StoreCare.open(root, "..", clock);
    assert.equal((await care.forgetWorkspace()).sessions, 1);
    assert.equal((await assertClean(root)).sessions, STRANGE.length - 1);
  });
});

test("C8 a handle cannot be derived without its session's salt, which no other session has", async () => {
  await withStore(async (store) => {
    const first = await store.create({ workspace: "work", title: "one" });
    const second = await store.create({ workspace: "work", title: "two" });
    const handle = await keep(first, LONG);
    const started = second.events[0];
    assert.ok(started?.type === "session_started");
    assert.notEqual(handleOf(started.salt, sha256(LONG), sha256), handle);
    await first.close();
    await second.close();
  });
});

test("C12 a link in the place of stored content serves nothing of the file it leads to", async function () {
  if (process.platform === "win32") return this.skip(); // links are a privilege there
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG]);
    const outside = path.join(path.dirname(root), "outside.txt");
    await writeFile(outside, `somebody's own file ${LONG}`);
    const blob = path.join(await folderOf(root, id), "blobs", sha256(LONG));
    await rename(blob, `${blob}-away`);
    await symlink(outside, blob);
    await assert.rejects(store.content(id, handles[0] as Handle), hasCode("blob-corrupt"));
    const session = await store.open(id);
    const claim = session.find(handles[0] as Handle) ?? assert.fail();
    await assert.rejects(session.window(claim, 0), hasCode("blob-corrupt"));
    await assert.rejects(session.search(claim, "somebody"), hasCode("blob-corrupt"));
    await session.close();
    assert.match(problems(await verified(root)).join(), /is corrupt/);
    assert.match(await readFile(outside, "utf8"), /^somebody's own file/);
  });
});

test("C12 a link in the place of a session is no session: not listed, not opened, and nothing behind it is written", async function () {
  if (process.platform === "win32") return this.skip(); // links are a privilege there
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const folder = await folderOf(root, id);
    const outside = path.join(path.dirname(root), "outside");
    await rename(folder, outside);
    await symlink(outside, folder);
    const before = await readdir(outside, { recursive: true });
    assert.deepEqual(await store.list(), []);
    await assert.rejects(store.open(id), hasCode("session-missing"));
    await assert.rejects(store.fork(id), hasCode("session-missing"));
    assert.deepEqual(await readdir(outside, { recursive: true }), before);
  });
});
