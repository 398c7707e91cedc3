/** Snapshots of folds: a long session opens from them and the tail of its log, and says the same as without them. */
import assert from "node:assert/strict";
import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { fetchResult } from "../../../src/agent/retrieve";
import { runSession } from "../../../src/agent/runSession";
import { foldHistory } from "../../../src/history/fold";
import { estimatedTokens } from "../../../src/history/tokens";
import { type InspectorFold, inspectorFold, projectSession, viewOf } from "../../../src/inspector/project";
import type { Logged } from "../../../src/schema/event";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { sha256, sha256OfBytes } from "../../../src/store/digest";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { loadSnapshots, saveSnapshots } from "../../../src/store/snapshots";
import { Vault } from "../../../src/store/vault";
import { builtinPolicy } from "../../../src/thimble/builtin";
import { tool } from "../../support/house";
import { problems, verified } from "../../support/lifetime";
import { clock, folderOf, withFolder } from "../../support/storeFolder";

const TURNS = 130;
const text = (n: number) =>
  `${n} ${"a result that stays in the conversation whole. ".repeat(80)}`.slice(0, 4000);
const LONG = "stored and read back. ".repeat(900);

/** Runs a session of many turns, as the editor does; `watched` folds what the inspector would show. */
async function run(store: Sessions, id: string | null, turns = TURNS) {
  let n = 0;
  let fold: InspectorFold = inspectorFold.begin();
  let seen: { events: number; before: boolean } | null = null;
  const result = await runSession(
    {
      store,
      session: id === null ? { kind: "new", workspace: "work" } : { kind: "existing", id },
      question: "Go on.",
      configuration: {
        settings: {
          ...DEFAULT_SETTINGS,
          maxTurns: turns,
          ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" },
        },
        policy: builtinPolicy(sha256),
        intent: null,
      },
      ports: {
        model: {
          info: {
            id: "m",
            name: "m",
            maxInputTokens: null,
            abilities: { rawArguments: true, usage: false, cacheControl: false },
          },
          async *reply() {
            for (let call = 0; call < 3; call++)
              yield { kind: "call", id: "", name: "look", arguments: `{"n":${n++}}` };
          },
        },
        tools: [tool("look", () => (n % 60 === 0 ? LONG : text(n)), { class: "read" }), fetchResult],
        approver: { isTrusted: () => true, ask: async () => ({ granted: false, by: "user", reason: "no" }) },
        clock: { ...clock, sleep: async () => undefined },
        hash: sha256,
        tokens: estimatedTokens,
        watcher: { replyText: () => undefined, toolProgress: () => undefined },
      },
      watch: (_id, events, before) => {
        seen ??= { events: events.length, before: before !== undefined };
        if (before !== undefined) fold = before as InspectorFold;
        fold = events.reduce(inspectorFold.reduce, fold);
      },
      watched: () => fold,
    },
    new AbortController().signal,
  );
  return { ...result, fold, opened: seen ?? { events: 0, before: false } };
}

/** What is shown, sent and stored must not depend on how the session was opened. */
async function assertSame(store: Sessions, id: string, fold: InspectorFold): Promise<void> {
  const events = await store.events(id);
  assert.deepEqual(viewOf(fold), projectSession(events));
  assert.deepEqual(fold.receipts, events.reduce(inspectorFold.reduce, inspectorFold.begin()).receipts);
  const at = events.findLastIndex(({ type }) => type === "requested");
  const asked = events[at];
  assert.ok(asked?.type === "requested");
  assert.equal(asked.messages, foldHistory(events.slice(0, at)).messages.length);
  const stored = events.findLast((event) => event.type === "tool_result_stored");
  assert.ok(stored);
  assert.equal(await store.content(id, stored.handle), LONG);
  const { restored, events: rest } = await store.read(id, "watched");
  assert.deepEqual(projectSession(rest, restored as InspectorFold | undefined), projectSession(events));
}

const open = (root: string, vault?: Vault) =>
  Sessions.open(root, "file:///work", clock, DEFAULT_LIMITS, vault);
const snapshotsOf = async (root: string, id: string) => path.join(await folderOf(root, id), "snapshots");

test("a long session is taken up from its snapshot and what was added since, and says the same", async () => {
  await withFolder(async (root) => {
    const store = await open(root);
    const first = await run(store, null);
    const { session } = first;
    assert.deepEqual(await readdir(await snapshotsOf(root, session)), [
      "claims.snapshot",
      "conversation.snapshot",
      "watched.snapshot",
    ]);
    await assertSame(store, session, first.fold);
    const short = await run(store, session, 2); // adds little: the snapshot stays
    assert.deepEqual(short.opened, { events: 0, before: true });
    await assertSame(store, session, short.fold);
    const third = await run(store, session, 2);
    assert.equal(third.opened.before, true);
    assert.ok(third.opened.events > 0 && third.opened.events < 60, `${third.opened.events}`);
    await assertSame(store, session, third.fold);
    assert.deepEqual(problems(await verified(root)), []);
  });
});

test("a snapshot that is altered, of another time, or of a log that is not there any more, is not believed", async () => {
  await withFolder(async (root) => {
    const store = await open(root);
    const { session } = await run(store, null);
    const folder = await snapshotsOf(root, session);
    const log = path.join(await folderOf(root, session), "log.jsonl");
    const names = await readdir(folder);
    const saved = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)),
    );
    const whole = async (what: string) => {
      const { opened, fold } = await run(store, session, 1);
      assert.equal(opened.before, false, what);
      await assertSame(store, session, fold);
      for (const [name, bytes] of saved) await writeFile(path.join(folder, name), bytes);
      assert.equal((await run(store, session, 1)).opened.before, true, `after ${what}`);
    };
    for (const name of names) {
      const bytes = saved.get(name) ?? assert.fail();
      for (const at of [0, 1, 20, 120, bytes.length >> 1, bytes.length - 1]) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ 1;
        await writeFile(path.join(folder, name), altered);
        await whole(`${name} altered at ${at}`);
      }
      await rm(path.join(folder, name));
      await whole(`${name} gone`);
    }
    const lines = (await readFile(log, "utf8")).split("\n");
    await truncate(log, Buffer.byteLength(lines.slice(0, 200).join("\n")) + 1); // the log lost what the snapshot covers
    const { opened, fold } = await run(store, session, 1);
    assert.equal(opened.before, false);
    assert.match(JSON.stringify(await store.events(session)), /the last ones are lost/);
    assert.deepEqual(viewOf(fold), projectSession(await store.events(session)));
    await run(store, session); // longer than it was, and not the same
    for (const [name, bytes] of saved) await writeFile(path.join(folder, name), bytes);
    const last = await run(store, session, 1);
    assert.equal(last.opened.before, false);
    await assertSame(store, session, last.fold);
  });
});

test("a tail that a crash tore behind a snapshot is mended where it was torn", async () => {
  await withFolder(async (root) => {
    const store = await open(root);
    const { session } = await run(store, null);
    await run(store, session, 1);
    const log = path.join(await folderOf(root, session), "log.jsonl");
    const { size } = await stat(log);
    await appendFile(log, '{"n":torn');
    const { fold } = await run(store, session, 1);
    await assertSame(store, session, fold);
    const events: readonly Logged[] = await store.events(session);
    assert.ok(events.some((event) => event.type === "recovered" && event.what === "log_tail"));
    assert.ok((await stat(log)).size > size);
    assert.deepEqual(problems(await verified(root)), []);
  });
});

test("the snapshots of a sealed session are sealed", async () => {
  await withFolder(async (root) => {
    const kept = new Map<string, string>();
    const keys = {
      get: async (tenant: string) => kept.get(tenant),
      set: async (tenant: string, key: string) => void kept.set(tenant, key),
      delete: async (tenant: string) => void kept.delete(tenant),
    };
    const store = await open(root, new Vault({ keys, sealsNew: true }));
    const { session } = await run(store, null);
    const folder = await snapshotsOf(root, session);
    for (const name of await readdir(folder)) {
      const bytes = (await readFile(path.join(folder, name))).toString("latin1");
      assert.ok(!bytes.includes("stays in the conversation") && !bytes.includes("look"), name);
    }
    const again = await run(store, session, 1);
    assert.equal(again.opened.before, true);
    await assertSame(store, session, again.fold);
  });
});

test("a snapshot that a later editor wrote in a form of its own is not believed, and closes no session", async () => {
  await withFolder(async (root) => {
    const point = { events: 1, bytes: 9, lastLineBytes: 9, sum: "0".repeat(16) };
    await saveSnapshots(root, point, { one: { some: "state" } }, null);
    const file = path.join(root, "snapshots", "one.snapshot");
    const bytes = await readFile(file);
    const at = 4 + bytes.readUInt32LE(0);
    const payload = Buffer.from(bytes.subarray(at));
    const before = sha256OfBytes(payload);
    payload[1] = (payload[1] ?? 0) + 1; // the version of V8's serialisation
    const words = bytes.toString("latin1", 0, at).replace(before, sha256OfBytes(payload));
    await writeFile(file, Buffer.concat([Buffer.from(words, "latin1"), payload]));
    assert.equal(await loadSnapshots(root, ["one"], null), null);
  });
});
