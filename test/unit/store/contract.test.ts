/** One contract for every place where stored results may lie: memory, disk, sealed disk, Redis, sealed Redis. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { windowOf } from "../../../src/claims/window";
import type { Digest } from "../../../src/schema/claim";
import { charLength } from "../../../src/schema/text";
import { type BlobFiles, folderFiles, memoryFiles } from "../../../src/store/blobFiles";
import { Blobs } from "../../../src/store/blobs";
import { connect } from "../../../src/store/redisClient";
import { RedisContents } from "../../../src/store/redisFiles";
import { Seal, sealedFiles } from "../../../src/store/seal";
import { type RedisServer, startRedis } from "../../support/redisServer";
import { filesBelow, hasCode, safe } from "../../support/storeFolder";

const PASSWORD = "only for this test";
const LONG = safe(
  Array.from({ length: 9000 }, (_, i) => `line ${i} 漢字 é 😀${i % 3 ? "\n" : "\r\n"}`).join(""),
);
const CONTENTS = ["", "short", "\0\r\n\u200d😀", LONG, safe("x".repeat(50_000))].map(safe);

let root: string;
let redis: RedisServer | null;
let contents: RedisContents | null = null;

suiteSetup(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "clk-contract-"));
  redis = await startRedis(PASSWORD);
  if (redis) contents = new RedisContents(redis.url, async () => PASSWORD);
});
suiteTeardown(async () => {
  await contents?.close();
  await redis?.stop();
  await rm(root, { recursive: true, force: true });
});

/** One session's contents. `alter` changes a byte where they lie; `again` is another process's view of them. */
type Kept = {
  readonly files: BlobFiles;
  readonly blobs: Blobs;
  again(): Blobs;
  alter(name: Digest, at: number): Promise<void>;
};

const plain = (files: BlobFiles) => new Blobs(files);
const sealed = (seal: Seal) => (files: BlobFiles) => new Blobs(sealedFiles(files, seal), seal.digestOf);
const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};

function onDisk(name: string, blobsOf: (files: BlobFiles) => Blobs): Kept {
  const folder = path.join(root, name);
  const files = folderFiles(folder);
  const alter = async (digest: Digest, at: number) => {
    const file = path.join(folder, digest);
    await writeFile(file, flipped(await readFile(file), at));
  };
  return { files, blobs: blobsOf(files), again: () => blobsOf(folderFiles(folder)), alter };
}

function inRedis(session: string, blobsOf: (files: BlobFiles) => Blobs): Kept {
  const open = () => (contents as RedisContents).filesOf({ tenant: "t", session });
  const alter = async (digest: Digest, at: number) => {
    const client = await connect((redis as RedisServer).url, PASSWORD);
    const key = `cloakroom:{t/${session}}:${digest}`;
    await client.send(["SET", key, flipped((await client.send(["GET", key])) as Buffer, at)]);
    client.close();
  };
  return { files: open(), blobs: blobsOf(open()), again: () => blobsOf(open()), alter };
}

function inMemory(): Kept {
  let now = 0;
  const files = memoryFiles(() => ++now);
  const alter = (digest: Digest, at: number) =>
    files.open(digest, async ({ all }) => {
      const bytes = flipped(await all(), at);
      await files.write(digest, (append) => append(bytes));
    });
  return { files, blobs: plain(files), again: () => plain(files), alter };
}

const STORES: Record<string, (session: string) => Kept> = {
  memory: inMemory,
  disk: (session) => onDisk(session, plain),
  "sealed disk": (session) => onDisk(session, sealed(new Seal(randomBytes(32)))),
  Redis: (session) => inRedis(session, plain),
  "sealed Redis": (session) => inRedis(session, sealed(new Seal(randomBytes(32)))),
};

let sessions = 0;
for (const [name, begin] of Object.entries(STORES)) {
  const open = () => begin(`session-${++sessions}`);
  const contract = (title: string, body: () => Promise<void>) =>
    test(`${name}: ${title}`, async function () {
      if (name.includes("Redis") && !redis) this.skip(); // no redis-server on this machine
      await body();
    });

  contract("C2 C17 what is put comes back whole, also to whoever opens it next", async () => {
    const { blobs, again } = open();
    for (const content of CONTENTS) {
      const put = await blobs.put(content);
      assert.equal(put.bytes, Buffer.byteLength(content));
      assert.equal(await blobs.read(put.sha256), content);
      assert.equal(await again().read(put.sha256), content);
    }
  });

  contract("C7 the same content is stored once, and putting it again writes nothing", async () => {
    const { blobs, files } = open();
    const [first] = await Promise.all([blobs.put(LONG), blobs.put(LONG)]);
    const before = await files.list();
    assert.deepEqual(await blobs.put(LONG), first);
    assert.deepEqual(await files.list(), before);
    assert.deepEqual(
      before.map(({ kind, name: called }) => [kind, called]),
      [["blob", first.sha256]],
    );
  });

  contract("C11 C20 windows, lines and searches are those of the whole", async () => {
    const { blobs, again } = open();
    const put = await blobs.put(LONG);
    const total = charLength(LONG);
    for (const offset of [0, 1, 4096, 16_380, 70_000, total - 4096, total - 1, total, total + 9]) {
      assert.deepEqual(await blobs.window(put, offset), windowOf(LONG, offset), `at ${offset}`);
      assert.deepEqual(await again().window(put, offset, 5), windowOf(LONG, offset, 5), `5 at ${offset}`);
    }
    const line = LONG.split(/\r?\n/).findIndex((one) => one.startsWith("line 8000 "));
    const start = charLength(LONG.slice(0, LONG.indexOf("line 8000 ")));
    assert.equal(await blobs.charOfLine(put, line + 1), start);
    const { matches, total: count } = await blobs.search(put, "line 8000 ");
    assert.deepEqual([count, matches[0]?.offset, matches[0]?.line], [1, start, line + 1]);
    const empty = await blobs.put(safe(""));
    assert.deepEqual(await blobs.window(empty, 0), windowOf("", 0));
  });

  contract("C27 a byte that was altered anywhere is found; putting the content again heals it", async () => {
    const { blobs, again, alter, files } = open();
    const put = await blobs.put(LONG);
    const [{ bytes = 0 } = {}] = await files.list();
    for (const at of [0, 20_000, bytes - 300, bytes - 40, -1]) {
      await alter(put.sha256, at);
      await assert.rejects(again().read(put.sha256), hasCode("blob-corrupt"), `at ${at}`);
      assert.deepEqual(await blobs.put(LONG), put);
      assert.equal(await again().read(put.sha256), LONG);
    }
    await alter(put.sha256, 10);
    await assert.rejects(again().window(put, 0), hasCode("blob-corrupt"));
    await alter(put.sha256, -1);
    await assert.rejects(again().window(put, 90_000), hasCode("blob-corrupt"));
  });

  contract("what is not there is missing, and a write that fails leaves nothing", async () => {
    const { blobs, files } = open();
    const { sha256, ...rest } = await inMemory().blobs.put(LONG);
    await assert.rejects(blobs.read(sha256), hasCode("blob-missing"));
    await assert.rejects(blobs.window({ sha256, ...rest }, 0), hasCode("blob-missing"));
    const failing = files.write(sha256, async (append) => {
      await append(Buffer.from("half"));
      throw Object.assign(new Error("made by the test"), { code: "ENOSPC" });
    });
    await assert.rejects(failing, hasCode("ENOSPC"));
    assert.deepEqual(await files.list(), []);
  });

  contract(
    "what was written since it was listed is not removed; else it is, and its bytes are told",
    async () => {
      const { blobs, files } = open();
      const { sha256 } = await blobs.put(LONG);
      const [listed] = await files.list();
      assert.ok(listed);
      assert.equal(await files.remove({ ...listed, changedAt: listed.changedAt - 1 }), null);
      assert.equal(await blobs.read(sha256), LONG);
      assert.equal(await files.remove(listed), listed.bytes);
      assert.equal(await files.remove(listed), null);
      assert.deepEqual(await files.list(), []);
      await assert.rejects(blobs.read(sha256), hasCode("blob-missing"));
    },
  );

  contract("C8 C10 a session has only its own, and forgetting it leaves the others theirs", async () => {
    const [one, two] = [open(), open()];
    const { sha256 } = await one.blobs.put(LONG);
    await one.blobs.put(safe("another"));
    await assert.rejects(two.blobs.read(sha256), hasCode("blob-missing"));
    const theirs = await two.blobs.put(LONG);
    const bytes = (await one.files.list()).reduce((sum, row) => sum + row.bytes, 0);
    assert.deepEqual(await one.files.clear(), { contents: 2, bytes });
    assert.deepEqual(await one.files.list(), []);
    await assert.rejects(one.again().read(sha256), hasCode("blob-missing"));
    assert.equal(await two.again().read(theirs.sha256), LONG);
    assert.deepEqual(await one.files.clear(), { contents: 0, bytes: 0 });
  });

  contract("any text comes back, whatever its size is to a piece", async () => {
    const { blobs } = open();
    for (const near of [16_384, 32_768])
      for (let size = near - 90; size <= near + 2; size++) {
        const content = safe("é".repeat(size >> 1) + "x".repeat(size & 1));
        const put = await blobs.put(content);
        assert.equal(await blobs.read(put.sha256), content, `${size}`);
        assert.deepEqual(await blobs.window(put, size >> 2, 9), windowOf(content, size >> 2, 9));
      }
  });
}

test("sealed: neither content nor its digest is on disk, not in the name either", async () => {
  const seal = new Seal(randomBytes(32));
  const folder = path.join(root, "words");
  const blobs = sealed(seal)(folderFiles(folder));
  const content = safe("the one word is xyzzy\n".repeat(5000));
  await blobs.put(content);
  const { sha256 } = await inMemory().blobs.put(content);
  const [file = "", ...others] = await filesBelow(folder);
  assert.deepEqual(others, []);
  assert.notEqual(path.basename(file), sha256);
  const bytes = (await readFile(file)).toString("latin1");
  assert.ok(!bytes.includes("xyzzy") && !bytes.includes("CLKFRAM1"));
});

test("sealed: another key opens nothing", async () => {
  const folder = path.join(root, "keys");
  const { sha256 } = await sealed(new Seal(randomBytes(32)))(folderFiles(folder)).put(LONG);
  await assert.rejects(
    sealed(new Seal(randomBytes(32)))(folderFiles(folder)).read(sha256),
    hasCode("blob-corrupt"),
  );
});

test("Redis: a server that is not there, or wants another password, is told as that", async function () {
  const gone = new RedisContents("redis://127.0.0.1:1", async () => null);
  const files = gone.filesOf({ tenant: "t", session: "s" });
  await assert.rejects(plain(files).put(LONG), hasCode("contents-unreachable"));
  await assert.rejects(plain(files).read("0".repeat(64) as Digest), hasCode("contents-unreachable"));
  if (!redis) return this.skip();
  const stranger = new RedisContents(redis.url, async () => "wrong");
  await assert.rejects(
    stranger.filesOf({ tenant: "t", session: "s" }).list(),
    (cause) => hasCode("contents-unreachable")(cause) && !String(cause).includes("wrong"),
  );
});

test("Redis: a password that is set after the server refused is used by the next who asks", async function () {
  if (!redis) return this.skip();
  for (const before of [null, "wrong"] as (string | null)[]) {
    let password = before;
    const asked: RedisContents = new RedisContents(redis.url, async () => password);
    const files: BlobFiles = asked.filesOf({ tenant: "t", session: "later" });
    await assert.rejects(files.list(), /Use the command Cloakroom: Set Redis Password/);
    password = PASSWORD;
    assert.deepEqual(await files.list(), []);
    await asked.close();
  }
});

test("Redis: a connection that broke is made anew for the next who needs it", async function () {
  if (!redis || !contents) return this.skip();
  const { blobs } = inRedis("broken", plain);
  const { sha256 } = await blobs.put(LONG);
  const client = await connect(redis.url, PASSWORD);
  await client.send(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
  client.close();
  let read: string | null = null;
  for (let attempt = 0; attempt < 20 && read === null; attempt++) {
    read = await blobs.read(sha256).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(read, LONG);
});
