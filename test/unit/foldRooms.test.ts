// test: a snapshot of a fold is believed only for the code that made it, so every room that folds is part of that code's digest.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";

test("every room with a fold of the log is in the digest that snapshots carry", () => {
  const build = readFileSync(path.join(root, "esbuild.mjs"), "utf8");
  const digested = /for \(const room of \[(?<rooms>[^\]]+)\]/.exec(build)?.groups?.rooms ?? "";
  const source = path.join(root, "src");
  const folding = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name.includes(path.sep))
    .filter((name) => /: Fold</.test(readFileSync(path.join(source, name), "utf8")))
    .map((name) => name.split(path.sep)[0] ?? "");
  assert.ok(folding.length >= 4);
  assert.deepEqual(
    folding.filter((room) => !digested.includes(`"${room}"`)),
    [],
  );
});
