/** CONFORMANCE §0.6: content of reclaimable tools goes after its time or for want of room; nothing else does. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EventOf } from "../../../src/schema/event";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { type BlobFiles, memoryFiles } from "../../../src/store/blobFiles";
import { sha256 } from "../../../src/store/digest";
import { Sessions } from "../../../src/store/sessions";
import { sweep } from "../../../src/store/sweep";
import { plainRoot, Vault } from "../../../src/store/vault";
import { builtinPolicy } from "../../../src/thimble/builtin";
import { assertClean, keep, LONG } from "../../support/lifetime";
import { clock, folderOf, hasCode, safe, withFolder, withStore } from "../../support/storeFolder";

const SECOND = 1000;
const after = (ms: number) => ({ now: () => Date.now() + ms });

const configured = (ttlSeconds: number): EventOf<"configured"> => {
  const { artifact, identity } = builtinPolicy(sha256);
  return {
    type: "configured",
    model: {
      id: "m",
      name: "m",
      maxInputTokens: null,
      abilities: { rawArguments: true, usage: false, cacheControl: false },
    },
    system: "",
    tools: [],
    settings: { ...DEFAULT_SETTINGS, claimCheck: { ...DEFAULT_SETTINGS.claimCheck, ttlSeconds } },
    policy: artifact,
    policyIdentity: identity,
    intent: null,
  };
};

/** A session with one content that may go and one that stays; closed. */
async function session(store: Sessions, texts: { may: string; stays: string }) {
  const open = await store.create({ workspace: "work", title: "A session" });
  await open.append(configured(60));
  const may = await keep(open, texts.may, "t1c0", { reclaimable: true });
  const stays = await keep(open, texts.stays, "t1c1");
  await open.close();
  return { id: open.id, may, stays };
}

test("reclaimable content goes ttlSeconds after its last use, reading it back is a use, and verify knows", async () => {
  await withStore(async (store, root) => {
    const { id, may, stays } = await session(store, { may: LONG, stays: `${LONG} stays` });
    const at = (seconds: number) => sweep(plainRoot(root), { clock: after(seconds * SECOND), keepMs: null });
    assert.equal((await at(50)).reclaimed, 0);
    const later = await Sessions.open(root, "file:///work", after(50 * SECOND));
    const open = await later.open(id);
    await open.append({
      type: "redeemed",
      call: "t2c0",
      handle: may,
      selector: "offset",
      offset: 0,
      chars: 1,
      totalChars: 1,
      matches: null,
    });
    assert.equal((await at(9999)).reclaimed, 0, "never of a session in use");
    await open.close();
    assert.equal((await at(100)).reclaimed, 0);
    assert.equal(
      (await sweep(plainRoot(root), { clock: { now: () => 1000 }, keepMs: null })).reclaimed,
      0,
      "clock back",
    );
    assert.equal((await at(120)).reclaimed, 1);
    await assert.rejects(store.content(id, may), hasCode("blob-missing"));
    assert.equal(await store.content(id, stays), `${LONG} stays`);
    const { findings } = await assertClean(root);
    assert.match(findings.map(({ what }) => what).join(), /is missing: it was allowed to go/);
    const fork = await store.fork(id); // what is gone is told, what is there goes along
    assert.equal(await store.content(fork, stays), `${LONG} stays`);
    await assertClean(root);
  });
});

test("content that another result claims too, without being reclaimable, stays", async () => {
  await withStore(async (store, root) => {
    const { id, may } = await session(store, { may: LONG, stays: LONG });
    assert.equal((await sweep(plainRoot(root), { clock: after(9999 * SECOND), keepMs: null })).reclaimed, 0);
    assert.equal(await store.content(id, may), LONG);
  });
});

test("a full store drops reclaimable content first, longest unused first, and only as much as it needs", async () => {
  await withStore(async (store, root) => {
    const first = await session(store, { may: "a".repeat(4000), stays: "b".repeat(1000) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = await session(store, { may: "c".repeat(4000), stays: "d".repeat(1000) });
    const limits = { maximumBytes: 11_000, maximumEntryBytes: 9000 };
    const tight = await Sessions.open(root, "file:///work", clock, limits);
    const open = await tight.create({ workspace: "work", title: "more" });
    await open.put(safe("e".repeat(3000)));
    await assert.rejects(store.content(first.id, first.may), hasCode("blob-missing"));
    assert.equal(await store.content(second.id, second.may), "c".repeat(4000));
    await assert.rejects(open.put(safe("f".repeat(8900))), hasCode("store-full"));
    assert.equal(await store.content(first.id, first.stays), "b".repeat(1000));
    await open.close();
    await assertClean(root);
  });
});

test("want of room on this machine takes nothing of what lies elsewhere: it would make no room", async () => {
  await withFolder(async (root) => {
    const elsewhere = new Map<string, BlobFiles>();
    const filesOf = ({ session: id }: { session: string }) => {
      const files = elsewhere.get(id) ?? memoryFiles();
      elsewhere.set(id, files);
      return files;
    };
    const limits = { maximumBytes: 5000, maximumEntryBytes: 9000 };
    const storeWith = (vault: Vault) => Sessions.open(root, "file:///work", clock, limits, vault);
    const far = await storeWith(new Vault({ remote: { filesOf } }));
    const { id, may } = await session(far, { may: "a".repeat(4000), stays: "b".repeat(100) });
    const { id: near } = await session(await storeWith(new Vault()), { may: "c", stays: "d".repeat(4000) });
    const open = await far.open(near);
    await assert.rejects(open.put(safe("e".repeat(3000))), hasCode("store-full"));
    await open.close();
    assert.equal(await far.content(id, may), "a".repeat(4000));
  });
});

test("a session that cannot be locked keeps what may go; the others' goes all the same", async () => {
  await withStore(async (store, root) => {
    const bad = await session(store, { may: LONG, stays: "a" });
    const good = await session(store, { may: LONG, stays: "b" });
    const lock = path.join(await folderOf(root, bad.id), "owner.lock");
    await rm(lock, { recursive: true });
    await writeFile(lock, "");
    const swept = await sweep(plainRoot(root), { clock: after(9999 * SECOND), keepMs: null });
    assert.equal(swept.reclaimed, 1);
    await assert.rejects(store.content(good.id, good.may), hasCode("blob-missing"));
  });
});
