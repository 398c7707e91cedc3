/** What stands on the disk where something of ours should: a fault there costs no more than it has to. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Digest, Handle } from "../../../src/schema/claim";
import { Failure } from "../../../src/schema/failure";
import type { SafeText } from "../../../src/schema/text";
import type { OpenSession } from "../../../src/store/openSession";
import { Sessions } from "../../../src/store/sessions";

const clock = { now: () => Date.now() };

suite("attack/disk", () => {
  let root = "";
  let store: Sessions;
  let session: OpenSession;
  let folder = "";

  setup(async () => {
    root = await mkdtemp(join(tmpdir(), "clk-disk-"));
    store = await Sessions.open(root, "/w", clock);
    session = await store.create({ workspace: "w", title: "One" });
    const [name] = await readdir(join(root, "tenants"));
    folder = join(root, "tenants", name as string, "sessions", session.id);
  });
  teardown(() => rm(root, { recursive: true, force: true }));

  test("what is no session beside the sessions does not hide them from the list", async () => {
    await session.close();
    const beside = dirname(folder);
    await writeFile(join(beside, "notes"), "a file");
    await mkdir(join(beside, "deep", "log.jsonl"), { recursive: true });
    await mkdir(join(beside, "circle"));
    await symlink("log.jsonl", join(beside, "circle", "log.jsonl"));
    assert.deepEqual(
      (await store.list()).map(({ title }) => title),
      ["One"],
    );
  });

  test("a claim index that cannot be read closes no session: the log has it all", async () => {
    const { sha256, frames } = await session.put("content" as SafeText);
    const handle = `claim:${"0".repeat(32)}` as Handle;
    await session.append(storedEvent(handle, sha256, frames));
    await session.close();
    await rm(join(folder, "claims.json"));
    await mkdir(join(folder, "claims.json"));
    const again = await store.open(session.id);
    assert.equal(again.find(handle)?.sha256, sha256);
    assert.equal(again.events.at(-1)?.type, "recovered");
    await again.close();
  });

  test("a log that was deleted or replaced while its session runs is told before anything else is done", async function () {
    if (process.platform === "win32") this.skip(); // an open file cannot be taken away there
    const log = join(folder, "log.jsonl");
    const isTold = (cause: unknown) => cause instanceof Failure && cause.code === "log-unwritable";
    await session.sync();
    await rename(log, `${log}.old`);
    await writeFile(log, "");
    await assert.rejects(session.sync(), isTold);
    await assert.rejects(session.append({ type: "resumed", turn: 1 }), isTold);
    await session.close();

    const other = await store.create({ workspace: "w", title: "Two" });
    await rm(root, { recursive: true });
    await assert.rejects(other.sync(), isTold);
    await other.close();
  });
});

function storedEvent(handle: Handle, sha256: Digest, frames: Digest) {
  return {
    type: "tool_result_stored" as const,
    call: "t1c0",
    handle,
    sha256,
    frames,
    tool: "read_file",
    class: "read" as const,
    chars: 7,
    bytes: 7,
    lines: 1,
  };
}
