/** ARCHITECTURE, Storage: sessions on a real disk: who may open what, what is repaired, what a name may hold. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { runSession } from "../../../src/agent/runSession";
import { parseTicket } from "../../../src/claims/ticket";
import type { Handle } from "../../../src/schema/claim";
import type { Logged, SessionEvent } from "../../../src/schema/event";
import { lineOf, readChain } from "../../../src/store/chain";
import { sha256 } from "../../../src/store/digest";
import { takeLock } from "../../../src/store/lock";
import type { OpenSession } from "../../../src/store/openSession";
import { Sessions } from "../../../src/store/sessions";
import { openHouse, tool } from "../../support/house";
import { assertSound } from "../../support/sound";
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

const LONG = `${"A clause of a contract. ".repeat(400)}The end.`;

/** Stores `text` as the loop does: blob first, then the log. */
async function keep(session: OpenSession, text: string): Promise<Handle> {
  const { sha256: digest, frames } = await session.put(safe(text));
  const handle = `claim:${digest.slice(0, 32)}` as Handle;
  const claim = {
    handle,
    sha256: digest,
    frames,
    tool: "t",
    class: "read" as const,
    chars: text.length,
    bytes: text.length,
    lines: 1,
  };
  await session.append({ type: "tool_result_stored", call: "t1c0", ...claim });
  return handle;
}

const recovered = (events: readonly Logged[]) =>
  events.flatMap((event) => (event.type === "recovered" ? [`${event.what}: ${event.detail}`] : []));

/** A run of `tool read_file` in a store, closed again. */
async function run(
  store: Sessions,
  session: { kind: "new"; workspace: string } | { kind: "existing"; id: string },
  replies: Parameters<typeof openHouse>[0]["replies"],
) {
  const house = await openHouse({ replies, tools: [tool("read_file", () => LONG, { class: "read" })] });
  const { ports, settings, policy } = house.conversation.context;
  const configuration = { settings, policy, intent: null };
  const request = { store, session, question: "Go on.", configuration, ports, watch: () => undefined };
  return { ...(await runSession(request, new AbortController().signal)), requests: house.requests };
}

test("C22 closed, opened again from the log alone: the handle is served, the requests are the same", async () => {
  await withStore(async (store, root) => {
    const first = await run(store, { kind: "new", workspace: "work" }, [
      { calls: [{ name: "read_file", arguments: {} }] },
      { say: "Read." },
    ]);
    assert.equal(first.end.end, "answered");
    const folder = await folderOf(root, first.session);
    await rm(path.join(folder, "claims.json"));
    for (const name of await readdir(folder))
      if (!["log.jsonl", "blobs"].includes(name)) await rm(path.join(folder, name), { recursive: true });
    const ticket = first.requests[1]?.messages.at(-1)?.text ?? "";
    const handle = parseTicket(ticket)?.handle ?? assert.fail();
    const again = await Sessions.open(root, "file:///work", clock);
    const second = await run(again, { kind: "existing", id: first.session }, [
      { calls: [{ name: "fetch_result", arguments: { handle } }] },
      { say: "Again." },
    ]);
    assert.equal(second.end.end, "answered");
    const sent = second.requests.at(-1)?.messages ?? [];
    assert.ok(sent.at(-1)?.text.startsWith(LONG.slice(0, 4096)));
    assert.deepEqual(sent.slice(0, 3), first.requests[1]?.messages);
    const events = await again.events(first.session);
    assertSound(events);
    assert.deepEqual(recovered(events), [
      "claim_index: it was missing; 1 stored results were found in the log",
    ]);
  });
});

test("C9 C8 another workspace does not see a session, nor another session a handle", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    const handle = await keep(session, LONG);
    await session.close();
    const other = await create(store);
    assert.equal(other.find(handle), undefined);
    await assert.rejects(store.content(other.id, handle), hasCode("blob-missing"));
    await other.close();
    const elsewhere = await Sessions.open(root, "file:///elsewhere", clock);
    assert.deepEqual(await elsewhere.list(), []);
    await assert.rejects(elsewhere.open(session.id), hasCode("session-missing"));
    await assert.rejects(elsewhere.content(session.id, handle), hasCode("session-missing"));
    assert.equal(await store.content(session.id, handle), LONG);
  });
});

test("C12 a session id that is none never becomes a path", async () => {
  await withStore(async (store, root) => {
    await writeFile(path.join(root, "log.jsonl"), "");
    for (const id of [
      "",
      ".",
      "..",
      "../x",
      "../../..",
      "a/b",
      "a\\b",
      "\0",
      "a\0",
      "A",
      "x".repeat(65),
      "nul:",
      " ",
    ]) {
      await assert.rejects(store.open(id), hasCode("session-missing"), JSON.stringify(id));
      await assert.rejects(store.events(id), hasCode("session-missing"));
      await assert.rejects(
        store.content(id, `claim:${"0".repeat(32)}` as Handle),
        hasCode("session-missing"),
      );
    }
  });
});

test("the list: newest first, what cannot be read left out and never touched", async () => {
  await withFolder(async (folder) => {
    let now = 1_700_000_000_000;
    const store = await Sessions.open(folder, "w", { now: () => now });
    const ids: string[] = [];
    for (const title of ["first", "second", `${"x".repeat(50_000)}`]) {
      now += 5000;
      const session = await store.create({ workspace: "work", title });
      ids.push(session.id);
      await session.close();
    }
    const sessions = path.dirname(await folderOf(folder, "x"));
    await mkdir(path.join(sessions, "20200101-000000-deadbeef")); // a crash before the first event
    await mkdir(path.join(sessions, "NotOurs"));
    await writeFile(path.join(sessions, "a-file"), "");
    await mkdir(path.join(sessions, "damaged"));
    await writeFile(path.join(sessions, "damaged", "log.jsonl"), "{}\n");
    const list = await store.list();
    assert.deepEqual(
      list.map(({ session }) => session),
      ids.toReversed(),
    );
    assert.deepEqual(
      list.map(({ title }) => title.length),
      [200, 6, 5],
    );
    assert.equal(await readFile(path.join(sessions, "damaged", "log.jsonl"), "utf8"), "{}\n");
    await assert.rejects(store.open("20200101-000000-deadbeef"), hasCode("session-missing"));
    assert.deepEqual(await readdir(path.join(sessions, "20200101-000000-deadbeef", "owner.lock")), []);
  });
});

test("C23 names and modes: nothing of a session's content in a file's name; only the user may read what is there", async function () {
  await withStore(async (_, root) => {
    const old = process.umask(0);
    try {
      const fresh = await Sessions.open(path.join(root, "deep", "er"), "file:///secret-project", clock);
      const session = await fresh.create({ workspace: "secret-project", title: "secret title" });
      await keep(session, "secret content ".repeat(10));
      await session.checkpoint();
      const names = (await readdir(root, { recursive: true })).join("\n");
      for (const word of ["secret", "read_file", "t1c0", "claim"])
        assert.ok(!names.replace("claims.json", "").includes(word), word);
      if (process.platform === "win32") return this.skip();
      for (const entry of await readdir(path.join(root, "deep"), { recursive: true, withFileTypes: true })) {
        const { mode } = await stat(path.join(entry.parentPath, entry.name));
        assert.equal((mode & 0o777).toString(8), entry.isDirectory() ? "700" : "600", entry.name);
      }
      assert.ok((await filesBelow(root)).some((file) => file.endsWith("claims.json")));
      await session.close();
    } finally {
      process.umask(old);
    }
  });
});

test("one writer: a second open in this process is refused, reading is not; closing lets go", async () => {
  await withStore(async (store) => {
    const session = await create(store);
    await assert.rejects(store.open(session.id), hasCode("session-in-use"));
    assert.equal((await store.events(session.id)).length, 1);
    await session.close();
    const both = await Promise.allSettled([
      store.open(session.id),
      store.open(session.id),
      store.open(session.id),
    ]);
    const opened = both.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.ok(opened.length <= 1);
    for (const result of both)
      if (result.status === "rejected") assert.ok(hasCode("session-in-use")(result.reason));
    await opened[0]?.close();
    await (await store.open(session.id)).close();
  });
});

test("locks: a dead owner, a later process with its number, an earlier boot and half a file of one are taken over; doubt is not", async () => {
  await withFolder(async (folder) => {
    const lock = path.join(folder, "owner.lock");
    const held = await takeLock(lock, Date.now(), "mine");
    const [name = ""] = await readdir(lock);
    const mine: Record<string, unknown> = JSON.parse(await readFile(path.join(lock, name), "utf8"));
    await held.release();
    const dead = 2 ** 22 + 4321; // above what this system gives
    const booted = Number(mine.bootedAt);
    delete mine.sum; // of what it said before
    const cases: [string, string | Record<string, unknown>, boolean, number?][] = [
      ["this process", mine, false],
      ["a dead process", { ...mine, pid: dead }, true],
      ["half a file of an earlier boot", JSON.stringify(mine).slice(0, 20), true, booted - 60_000],
      ["an empty file of an earlier boot", "", true, booted - 60_000],
      ["what was a lock since this boot", JSON.stringify(mine).slice(0, 20), false],
      ["a lock that says other than its sum", { ...mine, pid: dead, sum: "0".repeat(16) }, false],
      ["another machine", { ...mine, host: "elsewhere", pid: dead }, false],
      ["no kernel to ask, same boot", { ...mine, process: null }, false],
      ["no kernel to ask, an earlier boot", { ...mine, process: null, bootedAt: 0 }, true],
      ["no kernel to ask, the clock went back", { ...mine, process: null, bootedAt: booted + 1e7 }, false],
    ];
    if (process.platform === "linux") {
      cases.push(["a later process with the same number", { ...mine, process: "another-boot 1" }, true]);
      cases.push(["a clock that jumped", { ...mine, bootedAt: 0 }, false]);
    }
    for (const [what, owner, isTaken, writtenMs = Date.now()] of cases) {
      const other = path.join(lock, "other.json");
      await writeFile(other, typeof owner === "string" ? owner : JSON.stringify(owner));
      await utimes(other, writtenMs / 1000, writtenMs / 1000);
      const taken = await takeLock(lock, Date.now(), "next").catch((cause: unknown) => cause);
      assert.equal(hasCode("session-in-use")(taken), !isTaken, what);
      if (isTaken) await (taken as Awaited<ReturnType<typeof takeLock>>).release();
      assert.deepEqual(await readdir(lock), isTaken ? [] : ["other.json"], what);
      await rm(other, { force: true });
    }
  });
});

test("locks: a draft that a sweep whose clock is ahead took away is written again", async () => {
  await withFolder(async (folder) => {
    const lock = path.join(folder, "owner.lock");
    let taken = 0;
    let isOver = false;
    const sweeping = (async () => {
      for (let isTurn = true; !isOver; await new Promise(setImmediate)) {
        const draft = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
          name.endsWith(".tmp"),
        );
        if (draft === undefined) isTurn = true;
        else if (isTurn) {
          rmSync(path.join(folder, draft), { force: true });
          taken++;
          isTurn = false; // the next attempt is left alone
        }
      }
    })();
    for (let n = 0; n < 40; n++) {
      const held = await takeLock(lock, Date.now(), `attempt-${n}`).catch((cause: unknown) => cause);
      if (held instanceof Error) assert.ok(hasCode("session-in-use")(held), String(held));
      else await (held as Awaited<ReturnType<typeof takeLock>>).release();
    }
    isOver = true;
    await sweeping;
    assert.ok(taken > 0, "some were taken away");
  });
});

test("the claim index: missing, damaged, older and foreign are rebuilt from the log, and the log says so", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    const handle = await keep(session, LONG);
    await session.close();
    const file = path.join(await folderOf(root, session.id), "claims.json");
    const whole = JSON.parse(await readFile(file, "utf8"));
    const reopen = async () => {
      const opened = await store.open(session.id);
      assert.equal(opened.find(handle)?.chars, LONG.length);
      const told = recovered(opened.events);
      await opened.close();
      return told;
    };
    assert.deepEqual(await reopen(), []);
    const cases: [string | null, string][] = [
      [null, "it was missing"],
      ["", "it was damaged"],
      ["{half", "it was damaged"],
      ["[]", "it was damaged"],
      [JSON.stringify({ ...whole, format: 2 }), "it was damaged"],
      [JSON.stringify({ ...whole, claims: [] }), "it had 0 stored results, the log has 1"],
      [
        JSON.stringify({ ...whole, claims: [{ ...whole.claims[0], sha256: sha256("other") }] }),
        "it had 1 stored results, the log has 1",
      ],
    ];
    for (const [content, reason] of cases) {
      if (content === null) await rm(file);
      else await writeFile(file, content);
      const told = (await reopen()).at(-1);
      assert.ok(told?.startsWith(`claim_index: ${reason}`), `${content}: ${told}`);
      assert.deepEqual(JSON.parse(await readFile(file, "utf8")).claims, whole.claims);
    }
    assert.equal((await reopen()).length, cases.length);
  });
});

test("the claim index is written at the end of a turn, not per result, and a disk that refuses it ends nothing", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    const file = path.join(await folderOf(root, session.id), "claims.json");
    const handle = await keep(session, LONG);
    await assert.rejects(stat(file), hasCode("ENOENT"));
    await session.checkpoint();
    await utimes(file, 1, 1);
    await session.checkpoint();
    assert.equal((await stat(file)).mtimeMs, 1000, "nothing new, nothing written");
    await rename(file, `${file}.away`);
    await mkdir(file);
    await keep(session, `${LONG} and more`);
    await session.checkpoint();
    await session.close();
    await rm(file, { recursive: true });
    const again = await store.open(session.id);
    assert.equal(again.find(handle)?.chars, LONG.length);
    await again.close();
  });
});

test("a torn log: told in the log, the good part stays, the session goes on", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    const handle = await keep(session, LONG);
    await session.close();
    const folder = await folderOf(root, session.id);
    await appendFile(path.join(folder, "log.jsonl"), '{"n":2,"at":1,"type":"asked"');
    assert.equal((await store.events(session.id)).length, 2, "whoever only reads does not repair");
    const again = await store.open(session.id);
    assert.match(
      recovered(again.events)[0] ?? "",
      /^log_tail: line 3 is torn; 28 bytes were moved to log\.jsonl\.damaged-/,
    );
    await again.append({ type: "asked", turn: 1, text: "and on" });
    await again.close();
    const events = await store.events(session.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["session_started", "tool_result_stored", "recovered", "asked"],
    );
    assert.equal(await store.content(session.id, handle), LONG);
  });
});

test("a log that a machine's crash left empty is not gone on with, and nothing beside it is written", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    await keep(session, LONG);
    await session.close();
    const folder = await folderOf(root, session.id);
    const index = await readFile(path.join(folder, "claims.json"));
    await writeFile(path.join(folder, "log.jsonl"), "");
    await assert.rejects(store.open(session.id), hasCode("log-damaged"));
    assert.equal((await stat(path.join(folder, "log.jsonl"))).size, 0);
    assert.deepEqual(await readFile(path.join(folder, "claims.json")), index); // what is still known of it
  });
});

test("a store or a session of a later version is refused and never rewritten", async () => {
  await withFolder(async (root) => {
    const file = path.join(root, "format.json");
    for (const content of ['{"format":2}', '{"format":0}', "{}", "", "half a fi"]) {
      await writeFile(file, content);
      await assert.rejects(Sessions.open(root, "w", clock), hasCode("store-too-new"), content);
      assert.equal(await readFile(file, "utf8"), content);
    }
    await writeFile(file, '{"format":1,"more":true}');
    const store = await Sessions.open(root, "w", clock);
    const session = await create(store);
    await session.close();
    const log = path.join(await folderOf(root, session.id), "log.jsonl");
    const { sum } = readChain(await readFile(log));
    const { line } = lineOf({ n: 1, at: 1, origin: "loop", type: "dreamt" } as never, sum);
    await appendFile(log, `${line}\n`);
    const before = await readFile(log);
    await assert.rejects(store.open(session.id), hasCode("store-too-new"));
    await assert.rejects(store.events(session.id), hasCode("store-too-new"));
    assert.deepEqual(await readFile(log), before);
    await rm(log);
    await assert.rejects(store.open(session.id), hasCode("session-missing")); // not in use: the refusal let go of the lock
  });
});

test("a storage folder that cannot be written is told with the next step, whatever stands in the way", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "a-file");
    await writeFile(file, "");
    for (const root of [file, path.join(file, "below")])
      await assert.rejects(
        Sessions.open(root, "w", clock),
        (cause) => hasCode("store-unwritable")(cause) && /Check its permissions/.test(String(cause)),
      );
    const root = path.join(folder, "store");
    const store = await Sessions.open(root, "w", clock);
    const session = await create(store);
    await session.close();
    const sessions = path.dirname(await folderOf(root, session.id));
    const lock = path.join(sessions, session.id, "owner.lock");
    await rm(lock, { recursive: true });
    await writeFile(lock, "");
    await assert.rejects(store.open(session.id), hasCode("store-unwritable"));
    await rename(sessions, `${sessions}-away`);
    await writeFile(sessions, "");
    await assert.rejects(create(store), hasCode("store-unwritable"));
  });
});

test("a session that could not be begun keeps no lock", async () => {
  await withStore(async (store) => {
    await assert.rejects(store.create({ workspace: 5 as never, title: "x" }));
    const session = await create(store);
    await session.append({ type: "asked", turn: 1, text: "x" } satisfies SessionEvent);
    await session.close();
    await assert.rejects(session.append({ type: "asked", turn: 1, text: "y" }), hasCode("log-unwritable"));
  });
});
