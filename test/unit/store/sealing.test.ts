/** Sealed sessions (CONFORMANCE §1, encryption): nothing readable on disk, nothing lost, and no key ever replaced that is needed. */
import assert from "node:assert/strict";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { StoreCare } from "../../../src/store/care";
import { sha256 } from "../../../src/store/digest";
import type { Keys } from "../../../src/store/keyring";
import type { OpenSession } from "../../../src/store/openSession";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { DAY_MS, importOne, keep, LONG, problems } from "../../support/lifetime";
import { clock, filesBelow, folderOf, hasCode, withFolder } from "../../support/storeFolder";

const WORK = "file:///work";
const SECRET_WORDS = "the merger closes on Friday";
const TEXT = `${SECRET_WORDS}\n${LONG}`;

/** The editor's secret storage, as far as the store sees it. */
function secretStorage(): Keys & { readonly kept: Map<string, string>; sets: number } {
  const kept = new Map<string, string>();
  const keys = {
    kept,
    sets: 0,
    get: async (tenant: string) => kept.get(tenant),
    set: async (tenant: string, key: string) => {
      keys.sets++;
      kept.set(tenant, key);
    },
    delete: async (tenant: string) => void kept.delete(tenant),
  };
  return keys;
}

const storeWith = (root: string, vault?: Vault) => Sessions.open(root, WORK, clock, DEFAULT_LIMITS, vault);
const careWith = (root: string, vault?: Vault, onStep?: (step: string) => void) =>
  StoreCare.open(root, WORK, clock, undefined, { ...(vault && { vault }), ...(onStep && { onStep }) });
const sealing = (keys: Keys) => new Vault({ keys, sealsNew: true });

async function sealedSession(root: string, keys: Keys, title = SECRET_WORDS) {
  const store = await storeWith(root, sealing(keys));
  const session = await store.create({ workspace: "work", title });
  const handle = await keep(session, TEXT);
  await session.close();
  return { store, id: session.id, handle };
}

const isSealedOnDisk = async (root: string, id: string): Promise<boolean> =>
  (await readdir(await folderOf(root, id))).includes("keeping.json");

async function contentOf(session: OpenSession, handle: Parameters<OpenSession["find"]>[0]): Promise<string> {
  const claim = session.find(handle);
  assert.ok(claim);
  return session.read(claim.sha256);
}

test("a sealed session has no word and no digest of its content on disk, and comes back whole", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { store, id, handle } = await sealedSession(root, keys);
    const traces = [
      SECRET_WORDS,
      "session_started",
      sha256(TEXT),
      handle,
      handle.slice(6),
      ...keys.kept.values(),
    ];
    for (const file of await filesBelow(root)) {
      const bytes = (await readFile(file)).toString("latin1");
      for (const trace of traces) assert.ok(!bytes.includes(trace), `${trace} in ${file}`);
      assert.ok(!traces.some((trace) => path.basename(file).includes(trace)), file);
    }
    assert.deepEqual(
      (await store.list()).map(({ title }) => title),
      [SECRET_WORDS],
    );
    const again = await (await storeWith(root, sealing(keys))).open(id);
    assert.equal(await contentOf(again, handle), TEXT);
    assert.equal(await store.content(id, handle), TEXT);
    const claim = again.find(handle);
    assert.ok(claim);
    assert.equal((await again.window(claim, 0, 27)).text, SECRET_WORDS);
    await again.close();
    const found = await (await careWith(root, sealing(keys))).verify();
    assert.deepEqual([problems(found), found.contents, found.tickets], [[], 1, 1]);
  });
});

test("with encryption off again, a sealed session is gone on with as it is, and its fork is sealed", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { id, handle } = await sealedSession(root, keys);
    const store = await storeWith(root, new Vault({ keys }));
    const session = await store.open(id);
    const more = await keep(session, `${TEXT} more`, "t2c0");
    await session.close();
    const forked = await store.fork(id);
    assert.ok(await isSealedOnDisk(root, forked));
    const copy = await store.open(forked);
    assert.deepEqual([await contentOf(copy, handle), await contentOf(copy, more)], [TEXT, `${TEXT} more`]);
    await copy.close();
    const fresh = await store.create({ workspace: "work", title: "plain" });
    await fresh.close();
    assert.ok(!(await isSealedOnDisk(root, fresh.id)));
    assert.deepEqual(problems(await (await careWith(root, new Vault({ keys }))).verify()), []);
  });
});

test("with encryption on, going on with a plain session makes a sealed fork of it", async () => {
  await withFolder(async (root) => {
    const plain = await (await storeWith(root)).create({ workspace: "work", title: "plain" });
    const handle = await keep(plain, TEXT);
    await plain.close();
    const keys = secretStorage();
    const session = await (await storeWith(root, sealing(keys))).open(plain.id);
    assert.notEqual(session.id, plain.id);
    assert.ok(await isSealedOnDisk(root, session.id));
    assert.equal(await contentOf(session, handle), TEXT);
    await session.close();
    const found = await (await careWith(root, sealing(keys))).verify();
    assert.deepEqual([problems(found), found.contents], [[], 2]);
  });
});

test("without its key nothing sealed is read, nothing is deleted for it, and no key takes its place", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { id, handle } = await sealedSession(root, keys);
    const before = await filesBelow(root);
    const [tenant = ""] = keys.kept.keys();
    const another = secretStorage();
    another.kept.set(tenant, "ab".repeat(32));
    for (const lost of [secretStorage(), another]) {
      const store = await storeWith(root, sealing(lost));
      assert.deepEqual(
        (await store.list()).map(({ title }) => title),
        ["Sealed session, key missing"],
      );
      await assert.rejects(store.open(id), hasCode("key-missing"));
      await assert.rejects(store.content(id, handle), hasCode("key-missing"));
      await assert.rejects(store.fork(id), hasCode("key-missing"));
      await assert.rejects(store.create({ workspace: "work", title: "new" }), hasCode("key-missing"));
      await assert.rejects(store.check({ isNew: true }), hasCode("key-missing"));
      const care = await careWith(root, sealing(lost));
      const found = await care.verify();
      assert.match(problems(found).join(), /cannot be read: .*key/);
      const swept = await care.sweep();
      assert.equal(swept.pinned.length, 1);
      assert.equal(lost.sets, 0);
    }
    for (const file of before) assert.ok(await stat(file));
    const back = await (await storeWith(root, sealing(keys))).open(id);
    assert.equal(await contentOf(back, handle), TEXT);
    await back.close();
  });
});

test("sealed sessions whose key is gone can be deleted, and then a new key is made", async () => {
  await withFolder(async (root) => {
    await sealedSession(root, secretStorage());
    const keys = secretStorage();
    const { sessions, results } = await (await careWith(root, sealing(keys))).forgetWorkspace();
    assert.deepEqual([sessions, results], [1, 1]);
    const { id, handle, store } = await sealedSession(root, keys);
    assert.equal(await store.content(id, handle), TEXT);
    assert.equal(keys.sets, 1);
  });
});

test("a proof of the key that is damaged or gone keeps nobody from a new session", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    await sealedSession(root, keys);
    const proof = (await filesBelow(root)).find((file) => file.endsWith("key.proof")) ?? "";
    await writeFile(proof, "damaged");
    await sealedSession(root, keys);
    await rm(proof);
    await sealedSession(root, keys);
    assert.equal(keys.sets, 1);
    assert.deepEqual(problems(await (await careWith(root, sealing(keys))).verify()), []);
  });
});

test("C10 deleting the last sealed session forgets the workspace's key, deleting another does not", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const one = await sealedSession(root, keys);
    const two = await sealedSession(root, keys);
    const care = await careWith(root, sealing(keys));
    await care.forgetSession(one.id);
    assert.equal(keys.kept.size, 1);
    assert.equal(await two.store.content(two.id, two.handle), TEXT);
    await care.forgetSession(two.id);
    assert.equal(keys.kept.size, 0);
  });
});

test("a key is not replaced while it may open what was moved away: the sessions come back with their folder", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { id, handle, store } = await sealedSession(root, keys);
    const tenants = path.join(root, "tenants");
    const [tenant = ""] = await readdir(tenants);
    await rename(tenants, path.join(root, "away")); // by a person, or a drive that is not there
    await sealedSession(root, keys);
    assert.equal(keys.sets, 1);
    const sessions = path.join("sessions", id);
    await rename(path.join(root, "away", tenant, sessions), path.join(tenants, tenant, sessions));
    assert.equal(await store.content(id, handle), TEXT);
    const another = secretStorage(); // and it is known again for what it is
    another.kept.set(tenant, "ab".repeat(32));
    await assert.rejects(sealedSession(root, another), hasCode("key-missing"));
  });
});

test("C10 the key is forgotten after the last sealed session, whether it was deleted or expired", async () => {
  for (const end of ["sweep", "workspace", "everything"] as const)
    await withFolder(async (root) => {
      const keys = secretStorage();
      const { id } = await sealedSession(root, keys);
      if (end === "sweep") {
        const later = { now: () => Date.now() + 400 * DAY_MS };
        const care = await StoreCare.open(root, WORK, later, undefined, { vault: sealing(keys) });
        assert.equal((await care.sweep()).expired.length, 1);
      } else {
        await rm(await folderOf(root, id), { recursive: true }); // by hand
        const care = await careWith(root, sealing(keys));
        await (end === "workspace" ? care.forgetWorkspace() : care.forgetEverything());
      }
      assert.equal(keys.kept.size, 0, end);
      assert.deepEqual(
        (await filesBelow(root)).filter((file) => file.endsWith("key.proof")),
        [],
      );
    });
});

test("deleting a sealed session takes its key first: what a crash leaves then cannot be read", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { id } = await sealedSession(root, keys);
    let left: string[] = [];
    const onStep = async (step: string) => {
      if (step === "unlink") left = (await filesBelow(root)).map((file) => path.basename(file));
    };
    await (await careWith(root, sealing(keys), onStep)).forgetSession(id);
    assert.ok(left.includes("log.jsonl"));
    assert.ok(!left.includes("keeping.json"));
  });
});

test("a sealed session is exported readable, and imported into a plain and into a sealed store", async () => {
  await withFolder(async (folder) => {
    const keys = secretStorage();
    const { id, handle } = await sealedSession(path.join(folder, "from"), keys);
    const file = path.join(folder, "session.zip");
    const told = await (await careWith(path.join(folder, "from"), sealing(keys))).export(id, file);
    assert.deepEqual([told.contents, told.missing], [1, []]);
    for (const [name, vault] of [
      ["plain", undefined],
      ["sealed", sealing(secretStorage())],
    ] as const) {
      const root = path.join(folder, name);
      const { session } = await importOne(await careWith(root, vault), file);
      assert.equal(await isSealedOnDisk(root, session), name === "sealed");
      assert.equal(await (await storeWith(root, vault)).content(session, handle), TEXT);
      assert.deepEqual(problems(await (await careWith(root, vault)).verify()), []);
    }
  });
});

test("encryption that cannot be had is refused before anything is written", async () => {
  await withFolder(async (root) => {
    const deaf = { ...secretStorage(), get: async () => undefined };
    for (const vault of [new Vault({ sealsNew: true }), sealing(deaf)]) {
      const store = await storeWith(root, vault);
      await assert.rejects(store.create({ workspace: "work", title: "new" }), hasCode("seal-unavailable"));
      assert.deepEqual(
        (await filesBelow(root)).filter((file) => file.endsWith(".jsonl")),
        [],
      );
    }
  });
});

test("two windows that begin a workspace's first sealed session at once use one key", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const slow: Keys = {
      ...keys,
      get: async (tenant) => {
        const found = await keys.get(tenant);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return found;
      },
    };
    const made = await Promise.all([1, 2, 3].map(() => sealedSession(root, slow)));
    assert.equal(keys.sets, 1);
    for (const { store, id, handle } of made) assert.equal(await store.content(id, handle), TEXT);
  });
});

test("a byte that was altered in any file of a sealed session is found and told", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const { id, store } = await sealedSession(root, keys);
    const folder = await folderOf(root, id);
    const care = await careWith(root, sealing(keys));
    for (const file of (await filesBelow(folder)).filter((name) => !name.includes("owner.lock"))) {
      const bytes = await readFile(file);
      for (const at of [3, bytes.length >> 1, bytes.length - 8]) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ 4;
        await writeFile(file, altered);
        assert.notDeepEqual(problems(await care.verify()), [], `${path.basename(file)} at ${at}`);
        assert.equal(
          (await store.list()).length,
          1 - Number(path.basename(file) === "log.jsonl" && at === 3),
        );
      }
      await writeFile(file, bytes);
      assert.deepEqual(problems(await care.verify()), []);
    }
    await rm(path.join(folder, "keeping.json")); // then it reads as a plain session with a log that is none
    assert.match(problems(await care.verify()).join(), /cannot be read/);
  });
});

test("the key of one session opens no other, nor itself with its contents elsewhere; a later format is told as that", async () => {
  await withFolder(async (root) => {
    const keys = secretStorage();
    const one = await sealedSession(root, keys);
    const two = await sealedSession(root, keys);
    const [mine, theirs] = [await folderOf(root, one.id), await folderOf(root, two.id)];
    const file = path.join(mine, "keeping.json");
    const kept = await readFile(file, "utf8");
    const care = await careWith(root, sealing(keys));
    await writeFile(file, await readFile(path.join(theirs, "keeping.json")));
    await assert.rejects(one.store.open(one.id), hasCode("key-damaged"));
    await writeFile(file, JSON.stringify({ ...JSON.parse(kept), format: 2 }));
    await assert.rejects(one.store.open(one.id), hasCode("store-too-new"));
    const told = async () => new Set((await care.verify()).findings.map(({ session }) => session));
    assert.deepEqual(await told(), new Set([one.id]));
    await writeFile(file, kept);
    const aside = `${mine}-aside`;
    await rename(mine, aside); // whole folders of two sessions, exchanged
    await rename(theirs, mine);
    await rename(aside, theirs);
    for (const { id } of [one, two]) await assert.rejects(one.store.open(id), hasCode("key-damaged"));
    assert.deepEqual(await told(), new Set([one.id, two.id]));
  });
});
