/** A stored result that the person deleted: gone wherever it lay, whatever was interrupted; in the same words everywhere. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Handle } from "../../../src/schema/claim";
import type { Listed } from "../../../src/store/blobFiles";
import { StoreCare } from "../../../src/store/care";
import type { Keys } from "../../../src/store/keyring";
import { INDEX, placeOf, tenantOf } from "../../../src/store/layout";
import type { OpenSession } from "../../../src/store/openSession";
import { RedisContents } from "../../../src/store/redisFiles";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { listContents } from "../../../src/store/sessionFolder";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { forgetIn, HOUR_MS, keep, LONG } from "../../support/lifetime";
import { type RedisServer, startRedis } from "../../support/redisServer";
import { clock, folderOf, hasCode, withFolder } from "../../support/storeFolder";

const WORK = "file:///work";
const OTHER = `${LONG} Another one.`;

let redis: RedisServer | null;
let remote: RedisContents;
suiteSetup(async () => {
  redis = await startRedis();
  remote = new RedisContents(redis?.url ?? "redis://127.0.0.1:1", async () => null);
});
suiteTeardown(async () => {
  await remote.close();
  await redis?.stop();
});

function keys(): Keys {
  const kept = new Map<string, string>();
  return {
    get: async (tenant) => kept.get(tenant),
    set: async (tenant, key) => void kept.set(tenant, key),
    delete: async (tenant) => void kept.delete(tenant),
  };
}

const VAULTS: Readonly<Record<string, () => Vault>> = {
  plain: () => new Vault(),
  sealed: () => new Vault({ keys: keys(), sealsNew: true }),
  Redis: () => new Vault({ remote }),
  "sealed Redis": () => new Vault({ remote, keys: keys(), sealsNew: true }),
};

/** A store of that kind with a session of two results, its first handle, and what lies there of it. */
async function begun(root: string, vault: Vault) {
  const store = await Sessions.open(root, WORK, clock, DEFAULT_LIMITS, vault);
  const session = await store.create({ workspace: "work", title: "A session" });
  const handle = await keep(session, LONG, "t1c0");
  const other = await keep(session, OTHER, "t1c1");
  await session.close();
  const place = placeOf({ path: root, vault }, tenantOf(WORK), session.id);
  const blobs = async (): Promise<readonly Listed[]> =>
    (await listContents(place)).filter(({ kind }) => kind === "blob");
  const careAt = (aheadMs: number) =>
    StoreCare.open(root, WORK, { now: () => Date.now() + aheadMs }, undefined, { vault });
  return { store, id: session.id, handle, other, blobs, careAt };
}

const claimOf = (session: OpenSession, handle: Handle) => session.find(handle) ?? assert.fail();

/** Only the intent: as a crash leaves it. */
async function intend(store: Sessions, id: string, handle: Handle): Promise<void> {
  const session = await store.open(id);
  const { sha256 } = claimOf(session, handle);
  await session.append({ type: "forgotten", call: null, handle, sha256 });
  await session.sync();
  await session.close();
}

for (const [name, vaultOf] of Object.entries(VAULTS)) {
  const withStore = (title: string, body: (begun_: Awaited<ReturnType<typeof begun>>) => Promise<void>) =>
    test(`${name}: ${title}`, async function () {
      if (name.includes("Redis") && !redis) return this.skip(); // no redis-server on this machine
      await withFolder(async (root) => body(await begun(root, vaultOf())));
    });

  withStore("what was forgotten is gone, the rest is there, and it can be stored again", async (one) => {
    const { store, id, handle, other, blobs, careAt } = one;
    const session = await store.open(id);
    await forgetIn(session, claimOf(session, handle));
    assert.equal((await blobs()).length, 1);
    assert.equal(claimOf(session, handle).forgotten, true);
    await session.close();
    await assert.rejects(store.content(id, handle), hasCode("blob-forgotten"));
    assert.equal(await store.content(id, other), OTHER);
    assert.deepEqual((await (await careAt(2 * HOUR_MS)).verify()).findings, []);
    const again = await store.open(id);
    assert.equal(await keep(again, LONG, "t2c0"), handle);
    await again.close();
    await (await store.open(id)).close();
    assert.equal(await store.content(id, handle), LONG);
  });

  withStore("a crash before the content went: the next opening finishes it", async (one) => {
    const { store, id, handle, other, blobs } = one;
    await intend(store, id, handle);
    assert.equal((await blobs()).length, 2);
    await assert.rejects(store.content(id, handle), hasCode("blob-forgotten"));
    await (await store.open(id)).close();
    assert.equal((await blobs()).length, 1);
    assert.equal(await store.content(id, other), OTHER);
  });

  withStore("and so does the sweep, where nobody opens it", async (one) => {
    const { store, id, handle, blobs, careAt } = one;
    await intend(store, id, handle);
    const later = await careAt(2 * HOUR_MS);
    const { findings } = await later.verify();
    assert.match(findings.map(({ what }) => what).join("\n"), /^no event names: [^\n]+$/);
    assert.equal((await later.sweep()).orphans, 1);
    assert.equal((await blobs()).length, 1);
    assert.deepEqual((await later.verify()).findings, []);
  });
}

test("an index from before the deletion is behind, not wrong: the next opening mends it", async () => {
  await withFolder(async (root) => {
    const { store, id, handle, careAt } = await begun(root, new Vault());
    const index = path.join(await folderOf(root, id), INDEX);
    const before = await readFile(index);
    const session = await store.open(id);
    await forgetIn(session, claimOf(session, handle));
    await session.close();
    await writeFile(index, before);
    const { findings, tickets } = await (await careAt(0)).verify();
    const what = "the index of stored results is behind the log; opening the session mends it";
    assert.deepEqual([findings, tickets], [[{ weight: "note", session: id, what }], 1]);
    await (await store.open(id)).close();
    assert.deepEqual((await (await careAt(0)).verify()).findings, []);
  });
});
