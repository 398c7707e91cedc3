// test/unit: a test on shared data is never silently left out.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { planFor, sharedFolder } from "../support/sharedData";

suite("shared data", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-data-"));
  writeFileSync(path.join(folder, "here.txt"), "here");
  suiteTeardown(() => rmSync(folder, { recursive: true }));

  test("the folder is the named one, else the one beside the repository", () => {
    assert.equal(sharedFolder({ CLOAKROOM_DATA: folder }, "/repository"), folder);
    assert.equal(sharedFolder({}, "/some/repository"), path.resolve("/some/shared"));
  });

  test("a test whose files are there runs, and gets their paths", () => {
    assert.deepEqual(planFor(["here.txt"], {}, folder), {
      kind: "run",
      paths: [path.join(folder, "here.txt")],
    });
  });

  test("a test whose files are absent is skipped with the reason", () => {
    const plan = planFor(["here.txt", "gone.txt"], {}, folder);
    assert.equal(plan.kind, "skip");
    assert.match(plan.kind === "skip" ? plan.reason : "", /gone\.txt absent; --data DIR/);
  });

  test("a test whose files are absent fails where CI promises them", () => {
    assert.equal(planFor(["gone.txt"], { CI: "true" }, folder).kind, "fail");
  });
});
