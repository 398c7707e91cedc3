// test/e2e: a workspace that was opened through a link: unsaved text is what the agent reads and edits, not a second copy.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { choose, endedSession, openFile, openInspector, startSession } from "../support/session";
import { withWorkbench } from "../support/workbench";

test("in a workspace opened through a link, the unsaved text of a document is read, and the edit lands in that document", async () => {
  const sample = sampleCopy();
  const link = path.join(path.dirname(sample.folder), "link to it");
  symlinkSync(sample.folder, link);
  const script = scriptFile();
  script.write([
    calling("read_file", { path: "README.md" }),
    calling("edit_file", { path: "README.md", oldText: "UNSAVED", newText: "EDITED" }),
    { say: "Done." },
  ]);
  await withWorkbench("linked", { workspace: link, settings: script.settings }, async (harness) => {
    await openInspector(harness);
    const { page } = harness;
    await openFile(harness, "README.md");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("UNSAVED ");
    await page.locator(".view-line").getByText("UNSAVED # Harbour log").first().waitFor();
    await startSession(harness, "Edit it.");
    await choose(harness, "Allow Once");
    const events = await endedSession(harness);
    const shown = events.flatMap((event) => (event.type === "remembered" ? [event.text] : []));
    assert.ok(shown[0]?.startsWith("UNSAVED # Harbour log"), shown[0]);
    await page.locator(".tab").filter({ hasText: "README.md" }).click();
    await page.locator(".view-line").getByText("EDITED # Harbour log").first().waitFor();
  }).finally(() => {
    script.remove();
    sample.remove();
  });
});
