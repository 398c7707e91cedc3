/** CONFORMANCE §0.6: limits are refused up front, before anything is written, and shared by every window. */
import assert from "node:assert/strict";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileBytesOf } from "../../../src/store/frames";
import { measure, Room } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { sweep } from "../../../src/store/sweep";
import { plainRoot } from "../../../src/store/vault";
import { assertClean, keep, LONG, sessionWith } from "../../support/lifetime";
import { clock, create, filesBelow, hasCode, safe, withStore } from "../../support/storeFolder";

const HERE = "file:///work";
/** Room for 6000 and 4000 bytes of content, as files, and not for one byte more. */
const FULL = fileBytesOf(6000) + fileBytesOf(4000);
const text = (bytes: number, fill = "x") => safe(fill.repeat(bytes));

test("a result over the limit of one, and a store over the limit of all, refuse before anything is written", async () => {
  await withStore(async (_, root) => {
    const store = await Sessions.open(root, HERE, clock, { maximumBytes: FULL, maximumEntryBytes: 6000 });
    const session = await create(store);
    await assert.rejects(session.put(text(6001)), hasCode("entry-too-large"));
    await session.put(text(6000));
    await assert.rejects(session.put(text(5001, "y")), hasCode("store-full"));
    await session.put(text(4000, "y"));
    await measure(plainRoot(root)); // exactly full
    await assert.rejects(session.put(text(1, "z")), hasCode("store-full"));
    await session.put(text(6000)); // it is there already: needs no room
    assert.equal((await filesBelow(root)).filter((file) => file.includes("blobs")).length, 2);
    await session.close();
    const other = await create(
      await Sessions.open(root, "file:///elsewhere", clock, {
        maximumBytes: FULL,
        maximumEntryBytes: 6000,
      }),
    );
    await assert.rejects(other.put(text(1, "z")), hasCode("store-full")); // one store for all workspaces
    await other.close();
  });
});

test("windows count together; what was deleted makes room again", async () => {
  await withStore(async (_, root) => {
    const limits = { maximumBytes: FULL, maximumEntryBytes: 10_000 };
    const one = await Sessions.open(root, HERE, clock, limits);
    const two = await Sessions.open(root, HERE, clock, limits);
    const [a, b] = [await create(one), await create(two)];
    await a.put(text(4000, "a"));
    await b.put(text(4000, "b"));
    await assert.rejects(a.put(text(4000, "c")), hasCode("store-full"));
    await a.close();
    await b.close();
    const far = { now: () => Date.now() + 60 * 86_400_000 };
    await sweep(plainRoot(root), { clock: far, keepMs: 30 * 86_400_000 });
    const c = await create(one);
    await c.put(text(10_000, "c"));
    await c.close();
  });
});

test("the count is only a count: gone, torn, wrong or ahead, a refusal is always by what is really there", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [LONG]);
    const usage = path.join(root, "usage.log");
    const bytes = await measure(plainRoot(root));
    assert.equal(bytes, fileBytesOf(LONG.length));
    for (const damage of [
      () => rm(usage),
      () => writeFile(usage, "=99999999999\n"),
      () => appendFile(usage, "+99999999999\n+12"),
      () => writeFile(usage, "garbage\n\0\0\0"),
    ]) {
      await damage();
      const room = new Room(plainRoot(root), { maximumBytes: bytes + 100, maximumEntryBytes: 1000 });
      await room.admit(100);
    }
    await rm(usage);
    await assert.rejects(
      new Room(plainRoot(root), { maximumBytes: bytes, maximumEntryBytes: 1000 }).admit(1),
      hasCode("store-full"),
    );
    await new Room(plainRoot(root), { maximumBytes: bytes + 100, maximumEntryBytes: 1000 }).note(100); // so near the limit at once
    assert.equal(await readFile(usage, "utf8"), `=${bytes}\n+100\n`);
  });
});

test("far from the limit a put neither reads nor writes the count; the end of a turn tells the others", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    await session.put(text(1000, "a"));
    const usage = path.join(root, "usage.log");
    await rm(usage);
    await session.put(text(1000, "b"));
    await assert.rejects(readFile(usage), hasCode("ENOENT"));
    await session.checkpoint();
    assert.equal(await readFile(usage, "utf8"), `+${fileBytesOf(1000) * 2}\n`);
    await session.close();
  });
});

test("a full store first drops what may be dropped", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [LONG]);
    await measure(plainRoot(root));
    const asked: number[] = [];
    const limits = { maximumBytes: fileBytesOf(LONG.length) + 50, maximumEntryBytes: 1000 };
    const room = new Room(plainRoot(root), limits, async (bytes) => {
      asked.push(bytes);
      return asked.length === 1 ? bytes : bytes - 1;
    });
    await room.admit(80);
    await assert.rejects(room.admit(80), hasCode("store-full"));
    assert.deepEqual(asked, [30, 30]);
  });
});

test("stored content is counted once, however often it is put, and the store stays clean", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    for (let n = 0; n < 5; n++) await keep(session, LONG, `t1c${n}`);
    await session.close();
    const again = await store.open(session.id);
    await again.put(safe(LONG));
    await again.close();
    const usage = await readFile(path.join(root, "usage.log"), "utf8");
    assert.equal(usage.match(/^\+/gm)?.length ?? 0, 1, usage);
    await assertClean(root);
  });
});

test("§0.6 a full store drops what may be dropped, then asks; the put that met it is refused", async () => {
  await withStore(async (store, root) => {
    await sessionWith(store, [LONG]);
    const bytes = await measure(plainRoot(root));
    let asked = 0;
    const limits = { maximumBytes: bytes + 10, maximumEntryBytes: 1000, onFull: () => void asked++ };
    let dropped = 0;
    const room = (freed: number) =>
      new Room(plainRoot(root), limits, async () => {
        dropped++;
        return freed;
      });
    await room(500).admit(400);
    assert.deepEqual([dropped, asked], [1, 0]);
    await assert.rejects(room(5).admit(400), hasCode("store-full"));
    assert.deepEqual([dropped, asked], [2, 1]);
  });
});
