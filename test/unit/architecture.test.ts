// test: docs/architecture.md names a test for each invariant; the test must be there under that name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";

const ROW = /^\| (?<invariant>.+?) +\| `(?<file>test\/[^`]+)` "(?<name>.+)" +\|$/;

test("every invariant in docs/architecture.md names a test that exists", () => {
  const text = readFileSync(path.join(root, "docs", "architecture.md"), "utf8");
  const table = text
    .slice(text.indexOf("## Invariants"))
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const rows = table.filter((line) => !/^\| (?:invariant|---)/.test(line));
  assert.ok(rows.length >= 10);
  for (const row of rows) {
    const { file, name } = ROW.exec(row)?.groups ?? {};
    assert.ok(file && name, `not "invariant | file and test": ${row}`);
    assert.ok(
      readFileSync(path.join(root, file), "utf8").includes(`"${name}"`),
      `${file} has no test "${name}"`,
    );
  }
});
