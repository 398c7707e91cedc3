/** One session whose contents cannot be listed is that session's fault: it is told, and the others are cared for all the same. */
import assert from "node:assert/strict";
import { rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { StoreCare } from "../../../src/store/care";
import { Sessions } from "../../../src/store/sessions";
import { DAY_MS, HOUR_MS, keep, LONG, problems, sessionWith, verified } from "../../support/lifetime";
import { clock, create, folderOf, withStore } from "../../support/storeFolder";

/** A store with two sessions, of which the first has a file where its contents were. */
async function withUnlisted(
  body: (store: {
    root: string;
    bad: string;
    good: string;
    mend: () => Promise<void>;
    care: (laterMs?: number) => Promise<StoreCare>;
    sessions: Sessions;
  }) => Promise<void>,
): Promise<void> {
  await withStore(async (sessions, root) => {
    const unlisted = await create(sessions);
    await keep(unlisted, LONG, "t1c0", { reclaimable: true });
    await unlisted.close();
    const good = await sessionWith(sessions, [LONG]);
    const blobs = path.join(await folderOf(root, unlisted.id), "blobs");
    await rename(blobs, `${blobs}-away`);
    await writeFile(blobs, "");
    await rm(path.join(root, "usage.log"), { force: true });
    const mend = async () => {
      await rm(blobs);
      await rename(`${blobs}-away`, blobs);
    };
    const care = (laterMs = 0) => StoreCare.open(root, "file:///work", { now: () => Date.now() + laterMs });
    await body({ root, bad: unlisted.id, good: good.id, mend, care, sessions });
  });
}

test("verify tells which session's contents cannot be listed, and proves the others", async () => {
  await withUnlisted(async ({ root, bad, mend }) => {
    const found = await verified(root);
    assert.deepEqual(
      found.findings.map(({ session, weight }) => [session, weight]),
      [[bad, "problem"]],
    );
    assert.match(problems(found)[0] ?? "", /cannot be read: the disk answers ENOTDIR/);
    assert.equal(found.contents, 1);
    await mend();
    assert.deepEqual(problems(await verified(root)), []);
  });
});

test("a put in another session is stored: what cannot be counted does not fill the store", async () => {
  await withUnlisted(async ({ root, good }) => {
    const fresh = await Sessions.open(root, "file:///work", clock); // it has counted nothing yet
    const session = await fresh.open(good);
    const handle = await keep(session, `${LONG} more`, "t1c1");
    await session.close();
    assert.equal(await fresh.content(good, handle), `${LONG} more`);
  });
});

test("a sweep pins it and goes on: the others expire, and it is whole when it can be read again", async () => {
  await withUnlisted(async ({ bad, good, care, mend, sessions }) => {
    const swept = await (await care(2 * HOUR_MS)).sweep();
    assert.deepEqual(
      swept.pinned.map(({ folder, why }) => [path.basename(folder), why]),
      [[bad, "ENOTDIR"]],
    );
    await mend();
    const later = await (await care(40 * DAY_MS)).sweep();
    assert.deepEqual(later.expired.map(({ session }) => session).sort(), [bad, good].sort());
    assert.deepEqual(await sessions.list(), []);
  });
});
