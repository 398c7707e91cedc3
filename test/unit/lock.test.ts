// test/unit: two set-ups at once do not collide, and one that died does not hold the next one up.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "../../scripts/lock.mjs";

suite("lock", () => {
  let folder = "";
  let file = "";
  setup(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "clk-lock-"));
    file = path.join(folder, "it.lock");
  });
  teardown(() => rmSync(folder, { recursive: true }));

  test("lets one in at a time", async () => {
    const seen: string[] = [];
    const work = (name: string) => () =>
      withLock(file, async () => {
        seen.push(`${name} in`);
        await sleep(30);
        seen.push(`${name} out`);
      });
    await Promise.all(["a", "b", "c"].map((name) => work(name)()));
    for (let index = 0; index < seen.length; index += 2) {
      assert.equal(seen[index]?.replace("in", "out"), seen[index + 1]);
    }
    assert.equal(seen.length, 6);
    assert.ok(!existsSync(file));
  });

  test("is free again after a failure", async () => {
    await assert.rejects(
      withLock(file, () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await withLock(file, async () => "free"), "free");
  });

  test("is taken over from a process that died", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(file, `${pid}\n`);
    assert.equal(await withLock(file, async () => "free"), "free");
  });

  test("is taken over when its holder is silent, whoever has its process id now", async () => {
    writeFileSync(file, `${process.pid}\n`);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(file, longAgo, longAgo);
    assert.equal(await withLock(file, async () => "free"), "free");
  });

  test("waits for a living holder, and says so once", async () => {
    writeFileSync(file, `${process.pid}\n`);
    let waits = 0;
    const waiting = withLock(
      file,
      async () => "free",
      () => {
        waits += 1;
      },
    );
    await sleep(350);
    assert.equal(waits, 1);
    rmSync(file);
    assert.equal(await waiting, "free");
  });
});
