// test/e2e: the package that is handed out installs and works.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { packageExtension } from "../../scripts/package";
import { sampleCopy } from "../support/sample";
import { withWorkbench } from "../support/workbench";
import { installVsix } from "../vscode/commandLine";

suite("package", () => {
  test("installs into VS Code and activates there", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "clk-vsix-"));
    const sample = sampleCopy();
    try {
      const vsix = path.join(folder, "cloakroom.vsix");
      const { bytes } = await packageExtension(vsix);
      assert.ok(bytes <= 3_000_000, `${bytes} bytes`);
      const install = async (folders: Parameters<typeof installVsix>[0]) => {
        await installVsix(folders, vsix);
        const installed = readdirSync(folders.extensions).filter((name) =>
          name.startsWith("cloakroom.cloakroom-"),
        );
        assert.equal(installed.length, 1);
        const folder = path.join(folders.extensions, installed[0] ?? "");
        const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
        const redis = createRequire(import.meta.url)(path.join(folder, "dist", "redisClient.cjs"));
        assert.equal(typeof redis.connect, "function"); // the bundle that is loaded on demand
        const tokenizer = createRequire(import.meta.url)(path.join(folder, "dist", "o200kBase.cjs"));
        assert.equal(tokenizer.o200kBase.count("hello world"), 2);
        const large = files.filter((file) => statSync(path.join(folder, file)).size > 1_000_000);
        assert.deepEqual(large, [path.join("dist", "o200kBase.cjs")]); // its table stands in no bundle that activation loads
        assert.deepEqual(
          files.filter((file) => /\.map$|\.ts$|^(src|test|node_modules|sample)/.test(file)),
          [],
        );
      };
      const options = { workspace: sample.folder, extensions: [], install };
      await withWorkbench("package", options, async ({ run, webview }) => {
        await run("Cloakroom: Open Context Inspector");
        await webview("button:has-text('Start Session')"); // drawn by the browser side, once the host has answered
      });
    } finally {
      sample.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
