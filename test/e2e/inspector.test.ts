// test/e2e: the inspector in the real workbench.
import assert from "node:assert/strict";
import { sampleCopy } from "../support/sample";
import { withWorkbench } from "../support/workbench";

suite("inspector", () => {
  test("opens from the palette and shows the extension's state", async () => {
    const sample = sampleCopy();
    const options = { workspace: sample.folder, settings: { "cloakroom.model": "scripted" } };
    await withWorkbench("inspector", options, async ({ run, webview }) => {
      await run("Cloakroom: Open Context Inspector");
      const frame = await webview("#inspector");
      await frame.getByText("scripted").waitFor();
      assert.match((await frame.locator("#inspector").textContent()) ?? "", /"sessions"/);
    }).finally(sample.remove);
  });

  test("a workspace can be opened in Restricted Mode", async () => {
    const sample = sampleCopy();
    await withWorkbench("restricted", { workspace: sample.folder, restricted: true }, async ({ page }) => {
      await page.locator(".statusbar").getByText("Restricted Mode").waitFor();
    }).finally(sample.remove);
  });
});
