/** Sessions whose stored results lie in Redis: the same promises, and a server that may be away. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { cp, readdir, rm, stat } from "node:fs/promises";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import path from "node:path";
import { inspect } from "node:util";
import { StoreCare } from "../../../src/store/care";
import { connect } from "../../../src/store/redisClient";
import { RedisContents } from "../../../src/store/redisFiles";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { importOne, keep, LONG, problems } from "../../support/lifetime";
import { type RedisServer, startRedis } from "../../support/redisServer";
import { clock, folderOf, hasCode, safe, withFolder } from "../../support/storeFolder";

const WORK = "file:///work";
const LIMITS = { maximumBytes: 100_000, maximumEntryBytes: 50_000_000 };
const MONTHS_MS = 90 * 86_400_000;

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

const away = new Vault({ remote: new RedisContents("redis://127.0.0.1:1", async () => null) });
const here = () => new Vault({ remote });
const storeWith = (root: string, vault: Vault) => Sessions.open(root, WORK, clock, LIMITS, vault);
const careWith = (root: string, vault: Vault, now = clock.now) =>
  StoreCare.open(root, WORK, { now }, { keepSessionsDays: 30, limits: LIMITS }, { vault });

async function keysThere(): Promise<number> {
  const client = await connect((redis as RedisServer).url, null);
  const size = Number(await client.send(["DBSIZE"]));
  client.close();
  return size;
}

async function begun(root: string, texts = [LONG]) {
  const store = await storeWith(root, here());
  const session = await store.create({ workspace: "work", title: "far" });
  const handles = [];
  for (const [at, text] of texts.entries()) handles.push(await keep(session, text, `t1c${at}`));
  await session.close();
  return { store, id: session.id, handles, handle: handles[0] ?? assert.fail() };
}

const withRedis = (title: string, body: (root: string) => Promise<void>) =>
  test(title, async function () {
    if (!redis) return this.skip(); // no redis-server on this machine
    await withFolder(body);
  });

withRedis(
  "C22 stored results lie in Redis, are there after a restart, and take no room here",
  async (root) => {
    const { id, handle } = await begun(root, [LONG, "x".repeat(200_000)]); // more than the store here may have
    assert.ok(!(await readdir(await folderOf(root, id))).includes("blobs"));
    const again = await (await storeWith(root, here())).open(id);
    const claim = again.find(handle) ?? assert.fail();
    assert.equal((await again.window(claim, 0, 24)).text, LONG.slice(0, 24));
    await again.close();
    const found = await (await careWith(root, here())).verify();
    assert.deepEqual([problems(found), found.contents, found.tickets], [[], 2, 2]);
    await assert.rejects(
      (await storeWith(root, here())).create({ workspace: "w", title: "t" }).then(async (session) => {
        try {
          await session.put(safe("x".repeat(LIMITS.maximumEntryBytes + 1)));
        } finally {
          await session.close();
        }
      }),
      hasCode("entry-too-large"),
    );
  },
);

withRedis(
  "a server that is away is told as that; nothing is deleted, and nothing is taken for lost",
  async (root) => {
    const { id, handle } = await begun(root);
    for (const vault of [away, new Vault()]) {
      const store = await storeWith(root, vault);
      await assert.rejects(store.content(id, handle), hasCode("contents-unreachable"));
      const care = await careWith(root, vault, () => Date.now() + MONTHS_MS);
      assert.match(problems(await care.verify()).join(), /unreadable|cannot be (read|listed)/);
      assert.deepEqual((await care.sweep()).expired, []);
      await assert.rejects(care.forgetSession(id), (cause) =>
        ["contents-unreachable", "erase-refused"].some((code) => hasCode(code)(cause)),
      );
      await assert.rejects(care.fork(id));
    }
    assert.equal(await (await storeWith(root, here())).content(id, handle), LONG);
  },
);

withRedis("without its server a session is still listed and shown, and is not gone on with", async (root) => {
  const { id } = await begun(root);
  for (const vault of [away, new Vault()]) {
    const store = await storeWith(root, vault);
    assert.deepEqual(
      (await store.list()).map(({ session, title }) => [session, title]),
      [[id, "far"]],
    );
    assert.equal((await store.events(id))[0]?.type, "session_started");
    await assert.rejects(store.open(id), hasCode("contents-unreachable"));
    assert.equal(await store.opensAs(id), "itself");
  }
  await (await (await storeWith(root, here())).open(id)).close(); // the refusal let it go
});

withRedis(
  "a start is refused while the server is away; going on with a session of this machine is not",
  async (root) => {
    const store = await storeWith(root, away);
    await assert.rejects(store.check({ isNew: true }), hasCode("contents-unreachable"));
    await store.check({ isNew: false });
    await (await storeWith(root, here())).check({ isNew: true });
  },
);

withRedis("what a crash left in Redis goes after an hour", async (root) => {
  const before = await keysThere();
  const session = await (await storeWith(root, here())).create({ workspace: "w", title: "t" });
  await session.put(safe(LONG)); // and no event names it
  await session.close();
  assert.equal(await keysThere(), before + 2);
  const care = await careWith(root, here(), () => Date.now() + 7_200_000);
  assert.equal((await care.sweep()).orphans, 1);
  assert.equal((await care.sweep()).orphans, 0);
  assert.equal(await keysThere(), before);
});

withRedis("C10 what is deleted or expires here is gone there too, a fork keeps its own", async (root) => {
  const before = await keysThere();
  const { id, handle, store } = await begun(root);
  const forked = await store.fork(id);
  assert.equal(await keysThere(), before + 4); // two sessions, each with its list
  await (await careWith(root, here())).forgetSession(id);
  assert.equal(await keysThere(), before + 2);
  assert.equal(await store.content(forked, handle), LONG);
  const swept = await (await careWith(root, here(), () => Date.now() + MONTHS_MS)).sweep();
  assert.deepEqual(
    swept.expired.map(({ session }) => session),
    [forked],
  );
  assert.equal(await keysThere(), before);
});

withRedis(
  "C10 what is deleted here is gone there too where the server has evicted the list of it",
  async (root) => {
    const before = await keysThere();
    const { id } = await begun(root, [LONG, `${LONG} more`]);
    const client = await connect((redis as RedisServer).url, null);
    const keys = (await client.send(["KEYS", `*${id}}`])) as Buffer[];
    assert.equal(keys.length, 1);
    await client.send(["DEL", ...keys]);
    client.close();
    await (await careWith(root, here())).forgetSession(id);
    assert.equal(await keysThere(), before);
  },
);

withRedis(
  "a copy of the folder from before it had its name takes nothing of the session with it",
  async (root) => {
    const { id, handle, store } = await begun(root);
    const folder = await folderOf(root, id);
    await cp(folder, path.join(path.dirname(folder), `.draft-${id}`), { recursive: true }); // a backup brings it back
    const care = await careWith(root, here(), () => Date.now() + 7_200_000);
    assert.equal((await care.sweep()).drafts, 1);
    assert.equal(await store.content(id, handle), LONG);
  },
);

withRedis("an archive of it is imported on this machine, and one from here into Redis", async (root) => {
  const { id, handle } = await begun(root);
  const file = path.join(root, "session.zip");
  await (await careWith(root, here())).export(id, file);
  const plain = new Vault();
  const there = path.join(root, "other");
  const { session } = await importOne(await careWith(there, plain), file);
  assert.equal(await (await storeWith(there, plain)).content(session, handle), LONG);
  assert.ok(await stat(path.join(await folderOf(there, session), "blobs")));
  const back = (await importOne(await careWith(there, here()), file)).session;
  assert.equal(await (await storeWith(there, here())).content(back, handle), LONG);
  assert.ok(!(await readdir(await folderOf(there, back))).includes("blobs"));
});

withRedis(
  "an archive is not made without what is only away; a workspace's lists the session as left out",
  async (root) => {
    const { id } = await begun(root);
    const near = await (await storeWith(root, new Vault())).create({ workspace: "work", title: "near" });
    await keep(near, LONG);
    await near.close();
    const file = path.join(root, "sessions.zip");
    for (const vault of [away, new Vault()]) {
      const care = await careWith(root, vault);
      await assert.rejects(care.export(id, file), hasCode("contents-unreachable"));
      await assert.rejects(stat(file), hasCode("ENOENT"));
      const told = await care.exportWorkspace(file);
      assert.deepEqual([told.sessions, told.contents, told.missing], [1, 1, []]);
      assert.deepEqual(
        told.unreadable.map(({ session }) => session),
        [id],
      );
      await rm(file);
    }
  },
);

test("the password is in no message, though a server says again what it does not understand", async () => {
  const server = createServer((socket) =>
    socket.on("data", () =>
      socket.write("-ERR unknown command 'AUTH', with args beginning with: 'hunter2' \r\n".repeat(9)),
    ),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const contents = new RedisContents(`redis://127.0.0.1:${port}`, async () => "hunter2");
  try {
    await assert.rejects(contents.filesOf({ tenant: "t", session: "s" }).list(), (cause: Error) => {
      assert.ok(hasCode("contents-unreachable")(cause));
      assert.match(cause.message, /unknown command 'AUTH'/);
      assert.ok(!inspect(cause, { depth: null }).includes("hunter2"));
      return true;
    });
  } finally {
    await contents.close();
    server.close();
  }
});

withRedis("many that begin at once share one connection, and none outlives the store", async () => {
  const { port } = new URL((redis as RedisServer).url);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connectTo(Number(port), "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    open.add(socket.once("close", () => open.delete(socket)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const contents = new RedisContents(
    `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async () => null,
  );
  const files = contents.filesOf({ tenant: "t", session: "s" });
  await Promise.all([files.list(), files.list(), files.list()]);
  assert.equal(open.size, 1);
  for (const socket of open) socket.destroy(); // the connection is lost: the next ones share the next
  while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([files.list(), files.list(), files.list()]);
  assert.equal(open.size, 1);
  await contents.close();
  server.close();
  await once(server, "close");
});
