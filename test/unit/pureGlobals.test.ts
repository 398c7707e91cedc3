// test/unit: the linter keeps clocks, hashing, I/O and Node's globals out of the pure rooms.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { ROOMS } from "../../scripts/importTable";

const GLOBALS = ["Buffer", "process", "Date", "performance", "crypto", "fetch"];

test("the linter refuses every forbidden global in every pure room, and none at the edges", () => {
  const copy = mkdtempSync(path.join(os.tmpdir(), "clk-globals-"));
  try {
    cpSync(path.join(root, "biome.json"), path.join(copy, "biome.json"));
    writeFileSync(path.join(copy, ".gitignore"), "node_modules\n");
    symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), "junction");
    for (const room of Object.keys(ROOMS)) {
      mkdirSync(path.join(copy, "src", room), { recursive: true });
      writeFileSync(
        path.join(copy, "src", room, "planted.ts"),
        `export const found = [${GLOBALS.join(", ")}];\n`,
      );
    }
    const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");
    const lint = [biome, "lint", "--colors=off", "--max-diagnostics=none", "src"];
    const { stdout, stderr } = spawnSync(process.execPath, lint, { cwd: copy, encoding: "utf8" });
    const found = Object.keys(ROOMS).map((room) => {
      const line = new RegExp(`src/${room}/planted\\.ts:\\d+:\\d+ lint/style/noRestrictedGlobals`, "g");
      return [room, (`${stdout}${stderr}`.match(line) ?? []).length];
    });
    const expected = Object.entries(ROOMS).map(([name, room]) => [name, room.pure ? GLOBALS.length : 0]);
    assert.deepEqual(found, expected, stderr);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
