/** Issue 3, item 9: what verify finds, and what it leaves alone. Real folders; the damage is done by hand. */
import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Handle } from "../../../src/schema/claim";
import { lineOf, readChain } from "../../../src/store/chain";
import { sha256 } from "../../../src/store/digest";
import { assertClean, HOUR_MS, keep, LONG, problems, sessionWith, verified } from "../../support/lifetime";
import { create, folderOf, safe, withStore } from "../../support/storeFolder";

const OLD = new Date(Date.now() - 2 * HOUR_MS);

test("a store in order: everything named is proved and counted, and nothing is told", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [LONG, `${LONG} more`]);
    await sessionWith(store, [LONG]);
    const found = await verified(root);
    assert.deepEqual(found, {
      sessions: 2,
      events: 8,
      contents: 3,
      bytes: 3 * LONG.length + 5,
      tickets: 3,
      findings: [],
    });
  });
});

test("verify tells exactly what is wrong, and changes nothing", async () => {
  type Damage = (folder: string, handle: Handle) => Promise<unknown>;
  const blob = (folder: string) => path.join(folder, "blobs", sha256(LONG));
  const log = (folder: string) => path.join(folder, "log.jsonl");
  const index = (folder: string) => path.join(folder, "claims.json");
  const appended = async (folder: string, event: object) => {
    const { sum, events } = readChain(await readFile(log(folder)));
    const logged = { n: events.length, at: 1, origin: "loop", ...event } as never;
    await appendFile(log(folder), `${lineOf(logged, sum).line}\n`);
  };
  const old = async (file: string) => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, "left behind");
    await utimes(file, OLD, OLD);
  };
  const cases: [string, Damage, RegExp[]][] = [
    ["content altered", (f) => appendFile(blob(f), "x"), [/claim:\w+ of read_file is corrupt/]],
    ["content gone", (f) => rm(blob(f)), [/claim:\w+ of read_file is missing/]],
    [
      "content that cannot be read",
      async (f) => {
        await rm(blob(f));
        await mkdir(blob(f));
      },
      [/claim:\w+ of read_file is unreadable/],
    ],
    [
      "a ticket that nothing was stored under",
      (f) =>
        appended(f, {
          type: "redeemed",
          call: "t1c1",
          handle: `claim:${"0".repeat(32)}`,
          selector: "offset",
          offset: 0,
          chars: 0,
          totalChars: 0,
          matches: null,
        }),
      [/ticket claim:0{32} was shown, but nothing was stored/],
    ],
    ["an orphan", (f) => old(path.join(f, "blobs", `ab${"0".repeat(62)}`)), [/no event names: /]],
    ["half-written content", (f) => old(path.join(f, "blobs", ".x.tmp")), [/half-written content: /]],
    ["a half-written index", (f) => old(path.join(f, ".x.tmp")), [/a half-written file was left: /]],
    ["an index that is no index", (f) => writeFile(index(f), "{"), [/index of stored results is damaged/]],
    [
      "an index that says otherwise",
      async (f) => writeFile(index(f), (await readFile(index(f), "utf8")).replace('"read_file"', '"other"')),
      [/index of stored results says other than the log/],
    ],
    [
      "a line in the middle of the log",
      async (f) => writeFile(log(f), String(await readFile(log(f))).replace("read_file", "reed_file")),
      [/cannot be read: log\.jsonl: line 2 does not follow/],
    ],
    ["no log", (f) => rm(log(f)), [/cannot be read: log\.jsonl is missing/]],
    [
      "a later version's event",
      (f) => appended(f, { type: "dreamt" }),
      [/cannot be read: .*Update Cloakroom/],
    ],
  ];
  for (const [name, damage, expected] of cases) {
    await withStore(async (store, root) => {
      const { id, handles } = await sessionWith(store, [LONG]);
      const folder = await folderOf(root, id);
      await damage(folder, handles[0] as Handle);
      const before = await readdir(root, { recursive: true });
      const found = await verified(root);
      assert.deepEqual(await readdir(root, { recursive: true }), before, name);
      const told = problems(found);
      assert.equal(told.length, expected.length, `${name}: ${told.join("; ")}`);
      for (const [at, pattern] of expected.entries()) assert.match(told[at] ?? "", pattern, name);
      assert.ok(found.findings.every(({ session }) => session === id));
    });
  }
});

test("what a crash leaves is a note, not a problem: a torn line, an index behind, content that no event names yet", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const folder = await folderOf(root, id);
    await rm(path.join(folder, "claims.json"));
    await appendFile(path.join(folder, "log.jsonl"), '{"n":3,"at"');
    const session = await create(store); // and one that is running, with content that is not named yet
    await session.put(safe("no event names this"));
    const notes = (await assertClean(root)).findings.map(({ what }) => what).join("\n");
    assert.match(notes, /last line was cut short/);
    assert.match(notes, /has 0 of 1; opening the session mends it/);
    assert.doesNotMatch(notes, /no event/);
    const later = () => Date.now() + 2 * HOUR_MS;
    assert.deepEqual(problems(await verified(root, later)), [], "a running session is not judged by age");
    await session.close();
    assert.match(problems(await verified(root, later)).join(), /no event names/);
  });
});

test("a session that never began and one half deleted are told only after the grace; strays never are problems", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const sessions = path.dirname(await folderOf(root, id));
    await mkdir(path.join(sessions, "20200101-000000-deadbeef"));
    await rename(path.join(sessions, id), path.join(sessions, `.gone-${id}`));
    await writeFile(path.join(sessions, "a-file"), "");
    assert.deepEqual(problems(await verified(root)), []);
    assert.deepEqual(problems(await verified(root, () => Date.now() + 2 * HOUR_MS)).sort(), [
      "is a session half built or half deleted",
      "never began",
    ]);
  });
});

test("verify beside a session that writes: nothing it adds meanwhile is told as lost", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) await keep(session, `${n} ${LONG}`, `t1c${n}`);
    })();
    for (let round = 0; round < 5; round++) await assertClean(root);
    isOver = true;
    await writing;
    await session.close();
    assert.deepEqual((await assertClean(root)).findings, []);
  });
});

test("a log that lost whole lines at its end is told: the index has seen more", async () => {
  await withStore(async (store, root) => {
    const { id } = await sessionWith(store, [LONG]);
    const log = path.join(await folderOf(root, id), "log.jsonl");
    const lines = (await readFile(log, "utf8")).split("\n");
    await writeFile(log, `${lines.slice(0, -2).join("\n")}\n`);
    assert.match(problems(await verified(root)).join(), /has seen 3 events, the log has 2/);
  });
});
