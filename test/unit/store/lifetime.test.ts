/** Issue 3, items 5 and 6, together: whatever is done to a store in whatever order, what is left resolves. */
import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import type { Handle } from "../../../src/schema/claim";
import { StoreCare } from "../../../src/store/care";
import { readChain } from "../../../src/store/chain";
import { ClaimIndex } from "../../../src/store/claimIndex";
import { sha256 } from "../../../src/store/digest";
import { Sessions } from "../../../src/store/sessions";
import { assertClean, DAY_MS, importOne, keep, LONG, sessionWith } from "../../support/lifetime";
import { assertSound } from "../../support/sound";
import { clock, folderOf, hasCode, withFolder, withStore } from "../../support/storeFolder";

const WORKSPACES = ["file:///one", "file:///two"];
const TEXTS = [LONG, `${LONG} and more`, "short", ""];

/** One thing done to the store. `at` picks among the sessions there are; `days` pass before it. */
type Act = {
  readonly kind: "start" | "go on" | "fork" | "export" | "import" | "forget" | "workspace" | "sweep";
  readonly workspace: number;
  readonly at: number;
  readonly text: number;
  readonly days: number;
};
const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(
    "start",
    "start",
    "go on",
    "go on",
    "fork",
    "export",
    "import",
    "import",
    "forget",
    "workspace",
    "sweep",
  ),
  workspace: fc.nat(1),
  at: fc.nat(5),
  text: fc.nat(3),
  days: fc.constantFrom(0, 0, 1, 20, -20),
});

/** What was stored under each handle, of each session that should be there, by workspace. */
type Model = Map<string, Map<string, Map<Handle, string>>>;

async function perform(root: string, acts: readonly Act[]): Promise<void> {
  let now = Date.now();
  const ticking = { now: () => now };
  const file = path.join(root, "..", "session.zip");
  const model: Model = new Map(WORKSPACES.map((name) => [name, new Map()]));
  let archived: Map<Handle, string> | null = null;
  let turn = 1;
  for (const { kind, workspace, at, text, days } of acts) {
    now += days * DAY_MS;
    const name = WORKSPACES[workspace] ?? "";
    const store = await Sessions.open(root, name, ticking);
    const care = await StoreCare.open(root, name, ticking);
    const mine = model.get(name) ?? assert.fail();
    const [id, kept] = [...mine][at % Math.max(1, mine.size)] ?? [];
    const content = TEXTS[text] ?? "";
    if (kind === "start") {
      const { id: fresh, handles } = await sessionWith(store, [content]);
      mine.set(fresh, new Map(handles.map((handle) => [handle, content])));
    } else if (kind === "sweep") {
      const { expired } = await care.sweep();
      for (const { session } of expired) for (const sessions of model.values()) sessions.delete(session);
      await assertClean(root, ticking.now);
    } else if (kind === "workspace") {
      assert.equal((await care.forgetWorkspace()).sessions, mine.size);
      mine.clear();
    } else if (kind === "import") {
      if (archived) mine.set((await importOne(care, file)).session, new Map(archived));
    } else if (id !== undefined && kept !== undefined) {
      if (kind === "fork") mine.set((await care.fork(id)).session, new Map(kept));
      if (kind === "export") {
        await care.export(id, file);
        archived = new Map(kept);
      }
      if (kind === "forget") {
        await care.forgetSession(id);
        mine.delete(id);
      }
      if (kind === "go on") {
        const session = await store.open(id); // an imported one goes on as a fork
        const more = session.id === id ? kept : new Map(kept);
        mine.set(session.id, more);
        more.set(await keep(session, content, `t${++turn}c0`), content);
        await session.close();
      }
    }
  }
  for (const [name, sessions] of model) {
    const store = await Sessions.open(root, name, ticking);
    assert.deepEqual((await store.list()).map(({ session }) => session).sort(), [...sessions.keys()].sort());
    for (const [id, handles] of sessions)
      for (const [handle, content] of handles) assert.equal(await store.content(id, handle), content);
  }
  await assertClean(root, ticking.now);
}

test("after any sequence of starting, going on, forking, exporting, importing, deleting and sweeping, every ticket that was shown in a session that is left resolves, and no other session is left", async function () {
  this.timeout(30_000);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), (acts) =>
      withFolder((folder) => perform(path.join(folder, "store"), acts)),
    ),
    { numRuns: 25 },
  );
});

test("a fork: the same conversation, its own salt, copies that are no links; either goes on and goes away alone", async () => {
  await withStore(async (store, root) => {
    const { id, handles } = await sessionWith(store, [LONG], "A title");
    const before = await store.events(id);
    const fork = await store.fork(id);
    const events = await store.events(fork);
    assert.deepEqual(
      events.slice(2).map(({ n: _n, ...event }) => event),
      before.slice(1).map(({ n: _n, ...event }) => event),
    );
    assert.deepEqual(
      events.map(({ n }) => n),
      events.map((_, n) => n),
    );
    const [mine, theirs] = [events[0], before[0]];
    assert.ok(mine?.type === "session_started" && theirs?.type === "session_started");
    assert.notEqual(mine.salt, theirs.salt);
    assert.deepEqual([mine.title, mine.from], ["A title (fork)", { kind: "fork", session: id }]);
    const log = readChain(await readFile(path.join(await folderOf(root, fork), "log.jsonl")));
    assert.equal(log.problem, null);
    assertSound(log.events);
    const blob = (session: string) =>
      folderOf(root, session).then((folder) => stat(path.join(folder, "blobs", sha256(LONG))));
    assert.notEqual((await blob(fork)).ino, (await blob(id)).ino);
    assert.equal((await blob(fork)).nlink, 1);

    const open = await store.open(fork);
    assert.equal(open.find(handles[0] as Handle)?.sha256, sha256(LONG));
    const again = await keep(open, LONG, "t2c0"); // stored once, under a handle of this session's own
    assert.notEqual(again, handles[0]);
    await open.close();
    assert.equal((await store.events(id)).length, before.length);
    const first = await store.open(id);
    assert.equal(first.find(again), undefined);
    await first.close();
    await assert.rejects(store.content(id, again), hasCode("blob-missing"));
    const second = await store.fork(fork); // a fork of a fork takes over both names
    for (const handle of [handles[0] as Handle, again])
      assert.equal(await store.content(second, handle), LONG);
    assert.deepEqual((await assertClean(root)).findings, []);
  });
});

test("the claim index takes adopted handles", async () => {
  await withFolder(async (folder) => {
    const claim = {
      handle: `claim:${"a".repeat(32)}` as Handle,
      sha256: sha256(LONG),
      frames: sha256("frames"),
      tool: "read_file",
      class: "read" as const,
      chars: LONG.length,
      bytes: LONG.length,
      lines: 1,
    };
    const adopted = {
      n: 0,
      at: 1,
      origin: "loop" as const,
      type: "adopted" as const,
      from: "x",
      missing: [],
    };
    const events = [{ ...adopted, claims: [claim] }];
    const { index } = await ClaimIndex.open(path.join(folder, "claims.json"), events);
    assert.deepEqual(index.find(claim.handle), claim);
    await index.checkpoint();
    assert.equal((await ClaimIndex.open(path.join(folder, "claims.json"), events)).repair, null);
  });
});

test("a session that runs is forked as far as it has come; one that cannot be read is not", async () => {
  await withStore(async (store, root) => {
    const session = await store.create({ workspace: "work", title: "running" });
    const handle = await keep(session, LONG);
    const fork = await store.fork(session.id);
    await keep(session, `${LONG} more`, "t1c1");
    await session.close();
    assert.equal((await store.events(fork)).length, 4);
    assert.equal(await store.content(fork, handle), LONG);
    await assert.rejects(store.fork("20200101-000000-deadbeef"), hasCode("session-missing"));
    const bad = await sessionWith(store, [LONG]);
    const log = path.join(await folderOf(root, bad.id), "log.jsonl");
    await writeFile(log, String(await readFile(log)).replace("read_file", "reed_file"));
    const care = await StoreCare.open(root, "file:///work", clock);
    await assert.rejects(care.fork(bad.id), hasCode("log-damaged"));
  });
});
