// bench: CONFORMANCE §6's hostile lists and cursors, each by name. A case throws where the promise is broken.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { handleOf } from "../../src/claims/handle";
import { parseCursor } from "../../src/coverage/cursor";
import { beginTrail, followPage } from "../../src/coverage/follow";
import { indexList } from "../../src/coverage/indexList";
import { bytesOf, type ReadBytes, readAll, readPage, readRecord } from "../../src/coverage/readList";
import { type Snapshot, snapshotIdOf, snapshotOf } from "../../src/coverage/snapshot";
import type { Digest, Hash } from "../../src/schema/claim";
import { Envelope } from "../../src/schema/coverage";
import { type Decoded, decode, elementsOf } from "./decode";

export const hash: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;
const SALT = "00112233445566778899aabbccddeeff";

export const idOf = (text: string, salt = SALT) => snapshotIdOf(handleOf(salt, hash(text), hash));

/** A list's snapshot. Throws where there is none. */
export function openList(text: string, budgetBytes: number, salt = SALT): Snapshot {
  const index = indexList(text);
  if (index.kind === "text") throw new Error(`no list: ${index.reason}`);
  const snapshot = snapshotOf(text, index, { id: idOf(text, salt), budgetBytes, hash });
  if (snapshot.kind === "refused") throw new Error(`refused: ${snapshot.reason}`);
  return snapshot;
}

/** Everything of a snapshot by the decoder that knows only the contract; `pages` gets the envelopes. */
export function deliver(snapshot: Snapshot, read: ReadBytes, pages: string[] = []): Promise<Decoded> {
  return decode({
    async page(cursor) {
      const parsed = cursor === null ? null : parseCursor(cursor);
      if (parsed?.kind === "refused") return null;
      const page = await readPage(snapshot, parsed, read);
      if (page.kind !== "page") return null;
      pages.push(page.text);
      return page.text;
    },
    async record(index) {
      const record = await readRecord(snapshot, index, read, hash);
      return record.kind === "record" ? record.text : null;
    },
    sha256: hash,
  });
}

const thirty = `{"status":"ok","records":[${Array.from({ length: 30 }, (_, id) => `{"id":${id},"text":"${"x".repeat(60)}"}`).join(",")}]}`;
const refusal = (reason: string) => ({ kind: "refused", reason });

async function comesBack(records: readonly string[], budgetBytes = 4096): Promise<Decoded> {
  const text = `[${records.join(",")}]`;
  const decoded = await deliver(openList(text, budgetBytes), bytesOf(text));
  assert.ok(
    decoded.records.length === records.length && decoded.records.every((one, i) => one === records[i]),
  );
  assert.ok(decoded.largestPageBytes <= budgetBytes);
  return decoded;
}

export const ADVERSARIAL = {
  "an empty list is complete": async () => {
    const text = '{"status":"ok","records":[]}';
    const page = await readPage(openList(text, 512), null, bytesOf(text));
    assert.ok(page.kind === "page");
    const { total, complete, cursor, source } = Envelope.parse(JSON.parse(page.text));
    assert.deepEqual([total, complete, cursor, source], [0, true, null, { status: "ok" }]);
  },
  "an envelope that is too small is refused, and its minimum is not": async () => {
    const index = indexList(thirty);
    assert.ok(index.kind === "list");
    const at = (budgetBytes: number) => snapshotOf(thirty, index, { id: idOf(thirty), budgetBytes, hash });
    const small = at(100);
    assert.ok(small.kind === "refused" && small.reason === "budget_too_small");
    const { minimumBytes = 0 } = small;
    assert.equal(at(minimumBytes - 1).kind, "refused");
    const least = at(minimumBytes);
    assert.ok(least.kind === "snapshot");
    assert.equal((await deliver(least, bytesOf(thirty))).records.length, 30);
  },
  "an unknown cursor is refused": async () => {
    const snapshot = openList(thirty, 1024);
    for (const given of ["@2", "@31", "@999999999999999"]) {
      const cursor = parseCursor(given);
      assert.ok(cursor.kind === "page");
      assert.deepEqual(await readPage(snapshot, cursor, bytesOf(thirty)), refusal("unknown_cursor"));
    }
    assert.deepEqual(await readRecord(snapshot, 31, bytesOf(thirty), hash), refusal("unknown_cursor"));
    assert.deepEqual(parseCursor(""), refusal("empty_cursor"));
    for (const altered of ["@0", "@013", "@1e1", "@-1", "@ 3", "@3 ", "13", "@1234567890123456", "@٣"]) {
      assert.deepEqual(parseCursor(altered), refusal("malformed_cursor"), altered);
    }
  },
  "a corrupt resource is refused": async () => {
    const text = `["a","${"x".repeat(5000)}","b"]`;
    const snapshot = openList(text, 512);
    const altered = bytesOf(text.replace("xxx", "xyx"));
    assert.deepEqual(await readRecord(snapshot, 2, altered, hash), refusal("corrupt_record"));
    assert.deepEqual(await readAll(snapshot, altered, hash), refusal("corrupt_record"));
    const cut = bytesOf(text.replace('"a",', '"a" '));
    const read = await readPage(openList('["a","b"]', 512), null, (from, to) => cut(from, to));
    assert.deepEqual(read, refusal("corrupt_page"));
  },
  "a cursor of another snapshot is refused": async () => {
    const facts = { total: 3, returned: 1, references: 0, complete: false as const, source: "{}" };
    const first = followPage(beginTrail(), {
      ...facts,
      snapshot: idOf("[1,2,3]"),
      remaining: 2,
      cursor: "@2",
    });
    assert.ok(first.kind === "trail");
    const other = { ...facts, snapshot: idOf("[1,2,3]", "another session"), remaining: 1, cursor: "@3" };
    assert.deepEqual(followPage(first, other), refusal("foreign_cursor"));
    assert.notEqual(openList(thirty, 1024).snapshot, openList(thirty, 1024, "another session").snapshot);
  },
  "a cursor that leads back is refused": async () => {
    const page = (remaining: number, cursor: string) => ({
      snapshot: idOf("[1,2,3]"),
      source: "{}",
      total: 3,
      returned: 1,
      references: 0,
      remaining,
      complete: false as const,
      cursor,
    });
    const first = followPage(beginTrail(), page(2, "@2"));
    assert.ok(first.kind === "trail");
    assert.deepEqual(followPage(first, page(2, "@2")), refusal("cycling_cursor"));
    assert.deepEqual(followPage(first, page(1, "@2")), refusal("cycling_cursor"));
    assert.deepEqual(followPage(beginTrail(), page(2, "@1")), refusal("cycling_cursor"));
  },
  "ids of 19 digits keep their digits": async () => {
    await comesBack(["9223372036854775807", '{"id":9223372036854775808}', "1e400", "-0", "1.0"]);
  },
  "lone surrogate escapes stay as they are": async () => {
    await comesBack(['"\\ud800"', '{"\\uDC00":"\\ud83d"}', '"\\u0000"', '"😀\u2028\ufeff"']);
  },
  "duplicate keys stay as they are": async () => {
    await comesBack(['{"a":1,"a":2}', '{"status":"x","status":"y"}']);
    assert.deepEqual(indexList('{"status":"a","records":[],"status":"b"}'), {
      kind: "text",
      reason: "ambiguous",
    });
  },
  "10 000 records come back in order": async () => {
    const decoded = await comesBack(Array.from({ length: 10_000 }, (_, id) => `{"id":${id}}`));
    assert.equal(decoded.reads, 0);
  },
  "a record of 5 MB is a reference, read back whole": async () => {
    const decoded = await comesBack(["1", `"${"é".repeat(2_500_000)}"`, "3"]);
    assert.deepEqual([decoded.pages, decoded.reads], [1, 1]);
    assert.equal(elementsOf("[1]").length, 1);
  },
} satisfies Readonly<Record<string, () => Promise<void>>>;
