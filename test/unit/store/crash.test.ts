/** ARCHITECTURE, Storage: a crash between any two writes leaves nothing dangling. Real processes, really ended. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Handle } from "../../../src/schema/claim";
import { StoreCare } from "../../../src/store/care";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { vaultOf } from "../../support/fileKeys";
import { startRedis } from "../../support/redisServer";
import { assertSound } from "../../support/sound";
import { clock, create, folderOf, hasCode, withFolder } from "../../support/storeFolder";
import { bundleWriter, startWriter } from "../../support/writerProcess";

/** Opens what a dead writer left: everything that was shown resolves, and the log goes on. */
async function assertWhole(store: Sessions, id: string, lines: readonly string[]): Promise<number> {
  const session = await store.open(id);
  try {
    assertSound(session.events);
    const handles = session.events.flatMap((event) =>
      event.type === "remembered" && event.handle ? [event.handle] : [],
    );
    for (const line of lines)
      if (line.startsWith("shown ")) assert.ok(handles.includes(line.slice(6) as Handle), line);
    for (const handle of new Set(handles)) {
      const claim = session.find(handle) ?? assert.fail(`${handle} is not in the index`);
      assert.equal((await session.read(claim.sha256)).length, claim.chars);
    }
    return handles.length;
  } finally {
    await session.close();
  }
}

test("C22 a writer killed at any moment: the session opens, and every ticket that was shown resolves", async function () {
  this.timeout(30_000);
  await withFolder((folder) => killAtAnyMoment(folder, "", ""));
});

test("C22 a writer of a sealed session, or of one in Redis, killed at any moment: the same", async function () {
  this.timeout(60_000);
  const redis = await startRedis();
  try {
    await withFolder((folder) => killAtAnyMoment(folder, path.join(folder, "keys"), ""));
    if (redis) await withFolder((folder) => killAtAnyMoment(folder, "", redis.url));
    if (redis) await withFolder((folder) => killAtAnyMoment(folder, path.join(folder, "keys"), redis.url));
  } finally {
    await redis?.stop();
  }
});

async function killAtAnyMoment(folder: string, keys: string, redis: string): Promise<void> {
  const file = await bundleWriter(folder);
  const root = path.join(folder, "store");
  const vault = vaultOf(keys, redis);
  const store = await Sessions.open(root, "file:///work", clock, DEFAULT_LIMITS, vault);
  let id = "new";
  let handles = 0;
  for (let round = 0; round < 12; round++) {
    const writer = startWriter(file, [root, id], undefined, { KEYS: keys, REDIS: redis });
    id = await writer.line("open");
    if (round % 3 > 0) await writer.line("shown");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    writer.child.kill("SIGKILL");
    await writer.ended;
    const now = await assertWhole(store, id, writer.lines);
    assert.ok(now >= handles, "nothing that was shown is forgotten");
    handles = now;
  }
  assert.ok(handles > 0);
  const found = await (await StoreCare.open(root, "file:///work", clock, undefined, { vault })).verify();
  assert.deepEqual(
    found.findings.filter(({ weight }) => weight === "problem"),
    [],
  );
}

test("C21 a disk that gives out in the middle of a line: the run ends with the next step, the log is mended", async function () {
  this.timeout(20_000);
  if (process.platform === "win32") return this.skip(); // there is no ulimit
  await withFolder(async (folder) => {
    const file = await bundleWriter(folder);
    const root = path.join(folder, "store");
    const store = await Sessions.open(root, "file:///work", clock);
    const writer = startWriter(file, [root, "new"], 40);
    const id = await writer.line("open");
    assert.match(await writer.line("end"), /session log could not be written \(EFBIG\)\. Free some space/);
    await writer.ended;
    assert.ok((await assertWhole(store, id, writer.lines)) > 0);
    const recovered = (await store.events(id)).find(
      (event) => event.type === "recovered" && event.what === "log_tail",
    );
    assert.match(
      recovered?.type === "recovered" ? recovered.detail : "",
      /line \d+ is torn; \d+ bytes were moved to log\.jsonl\.damaged/,
    );
    assert.equal(
      (await readdir(await folderOf(root, id))).filter((name) => name.includes("damaged")).length,
      1,
    );
  });
});

test("one writer: another process that has the session keeps it, until it is gone", async function () {
  this.timeout(20_000);
  await withFolder(async (folder) => {
    const file = await bundleWriter(folder);
    const root = path.join(folder, "store");
    const store = await Sessions.open(root, "file:///work", clock);
    const session = await create(store);
    await session.close();
    const holder = startWriter(file, [root, session.id, "hold"]);
    await holder.line("open");
    await assert.rejects(
      store.open(session.id),
      (cause: unknown) =>
        hasCode("session-in-use")(cause) &&
        (cause as { facts: { pid: number } }).facts.pid === holder.child.pid,
    );
    holder.child.kill("SIGKILL");
    await holder.ended;
    await (await store.open(session.id)).close();

    // Everyone at once: never two, whoever it is.
    const rivals = Array.from({ length: 5 }, () => startWriter(file, [root, session.id, "hold"]));
    const opened = await Promise.allSettled(
      rivals.map((rival) =>
        Promise.race([rival.line("open"), rival.ended.then(() => Promise.reject(new Error("gone")))]),
      ),
    );
    assert.ok(opened.filter(({ status }) => status === "fulfilled").length <= 1);
    for (const rival of rivals) rival.child.kill("SIGKILL");
    await Promise.all(rivals.map(({ ended }) => ended));
    await (await store.open(session.id)).close();
  });
});
