// test/e2e: Restricted Mode. The workspace may be read; what it says about Cloakroom does not count, and no command runs.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { beginSession, choose, eventsOf, pickerRows } from "../support/session";
import { sharedWorkbench } from "../support/workbench";

suite("an untrusted workspace", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const mark = path.join(sample.folder, "mark.txt");
  const replies = [
    calling("read_file", { path: SAMPLE_FACT.file }),
    calling("run_command", { command: "echo ran > mark.txt" }),
    { say: "Done." },
  ];
  const opened = sharedWorkbench("restricted", () => {
    const settings = path.join(sample.folder, ".vscode", "settings.json");
    mkdirSync(path.dirname(settings));
    writeFileSync(settings, '{ "cloakroom.claimCheck.enabled": false }');
    script.write(replies);
    return { workspace: sample.folder, settings: script.settings, restricted: true };
  });
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });

  test("is read; its settings are ignored, and a command is refused without asking", async () => {
    const harness = opened();
    await harness.page.locator(".statusbar").getByText("Restricted Mode").waitFor();
    const events = await (await beginSession(harness, "Read and run")).ended();
    assert.equal(eventsOf(events, "configured")[0]?.settings.claimCheck.enabled, true);
    assert.equal(eventsOf(events, "tool_result_stored")[0]?.tool, "read_file");
    const refused = eventsOf(events, "authorised").at(-1);
    assert.deepEqual(
      [refused?.granted, refused?.by, refused?.reason],
      [false, "check", "untrusted_workspace"],
    );
    assert.match(
      eventsOf(events, "remembered").at(-1)?.text ?? "",
      /^untrusted_workspace: .*Manage Workspace Trust/,
    );
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "answered");
    assert.equal(existsSync(mark), false);
    await harness.page.locator(".view-line").getByText("Done.").waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "restricted.png"));
  });

  test("once trusted, its settings count and the command is asked for", async () => {
    const harness = opened();
    await harness.run("Workspaces: Manage Workspace Trust");
    await harness.page
      .locator(".workspace-trust-editor")
      .getByRole("button", { name: "Trust", exact: true })
      .click();
    await harness.page.locator(".statusbar").getByText("Restricted Mode").waitFor({ state: "hidden" });
    const session = await beginSession(harness, "Read and run again");
    await pickerRows(harness, "Cloakroom: Allow this command?");
    await choose(harness, "Deny");
    const events = await session.ended();
    assert.equal(eventsOf(events, "configured")[0]?.settings.claimCheck.enabled, false);
    assert.equal(eventsOf(events, "tool_result_stored").length, 0);
  });
});
