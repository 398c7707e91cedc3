// test/e2e: what the agent changes, it asks for; what a person stops, stops, and the log says how far it came.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { foldHistory } from "../../src/history/fold";
import { pair } from "../../src/history/pair";
import type { Logged } from "../../src/schema/event";
import { sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import {
  beginSession,
  choose,
  eventsOf,
  isAlive,
  type LoggedSession,
  notification,
  openFile,
  openInspector,
  pickerRows,
  stateSaved,
  until,
} from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

const EDIT = { path: "README.md", oldText: "# Harbour log", newText: "# Haven log" };
const DONE = { say: "Done." };

/** The history that the log gives is what a provider takes: nothing is left to repair. */
function assertValid(events: readonly Logged[]): void {
  const history = foldHistory(events);
  assert.deepEqual(pair(history.messages, (call) => history.pending.get(call)).splices, []);
}

suite("changes that the agent makes", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const opened = sharedWorkbench("changes", () => ({
    workspace: sample.folder,
    settings: { ...script.settings, "files.autoSave": "off" },
    viewport: { width: 1440, height: 900 },
  }));
  const file = (name: string) => path.join(sample.folder, name);
  const text = (name: string) => readFileSync(file(name), "utf8");
  const readme = text("README.md");
  const ask = /^Cloakroom: Allow/;

  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });
  setup(() => writeFileSync(file("README.md"), readme));

  /** Starts a session that runs `command`, which writes its pid to a file, and waits until it does. */
  async function runningCommand(harness: Harness): Promise<{ session: LoggedSession; pid: number }> {
    const mark = file("pid.txt");
    const command = `echo begun; (sleep 300; echo never) & echo $! > ${mark}; wait`;
    script.write([calling("run_command", { command }), DONE]);
    writeFileSync(mark, "");
    const session = await beginSession(harness, "Run it");
    await pickerRows(harness, ask);
    await choose(harness, "Allow Once");
    const pid = await until("the command runs", () => Number(text("pid.txt")));
    assert.ok(isAlive(pid));
    return { session, pid };
  }

  function assertCommandStopped(events: readonly Logged[], pid: number): void {
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "stopped");
    assert.equal(isAlive(pid), false);
    const result = eventsOf(events, "remembered").at(-1);
    assert.match(result?.text ?? "", /^begun\n\[Stopped with all it started after .*partly run\.\]$/);
    assert.equal(eventsOf(events, "executed").at(-1)?.code, "stopped");
    assertValid(events);
  }

  test("an edit is asked for with its diff on screen, goes through the editor, and Ctrl+Z takes it back", async () => {
    const harness = opened();
    const { page } = harness;
    await openInspector(harness);
    script.write([calling("edit_file", EDIT, "I will rename it."), DONE]);
    const session = await beginSession(harness, "Rename the log");
    const rows = await pickerRows(harness, "Cloakroom: Allow edit_file to change README.md?");
    assert.deepEqual(rows, ["Allow Once", "Allow edit_file in This Session", "Deny"]);
    await page.locator(".tab.active").filter({ hasText: "README.md: proposed by the agent" }).waitFor();
    await page.locator(".monaco-diff-editor .view-line").getByText("# Haven log").first().waitFor();
    assert.equal(text("README.md"), readme);
    await harness.screenshot(path.join(root, "out", "e2e", "ask-edit.png"));

    await choose(harness, "Allow Once");
    const events = await session.ended();
    assert.deepEqual(
      eventsOf(events, "authorised").map(({ granted, by, reason }) => [granted, by, reason]),
      [[true, "user", "allowed once"]],
    );
    assert.equal(text("README.md"), readme.replace(EDIT.oldText, EDIT.newText));
    await page.locator(".tab").filter({ hasText: "proposed by the agent" }).waitFor({ state: "detached" });

    await openFile(harness, "README.md");
    await page.locator(".view-line").getByText("# Haven log").waitFor();
    await page.keyboard.press("Control+Z");
    await page.locator(".view-line").getByText("# Harbour log").waitFor();
    await page.keyboard.press("Control+S");
    await until("the file is as it was", () => text("README.md") === readme);
  });

  test("Deny leaves the file, and the model is told so", async () => {
    const harness = opened();
    script.write([calling("edit_file", EDIT), DONE]);
    const session = await beginSession(harness, "Rename it again");
    await pickerRows(harness, ask);
    await choose(harness, "Deny");
    const events = await session.ended();
    assert.match(
      eventsOf(events, "remembered")[0]?.text ?? "",
      /^denied: The user did not allow this call\./,
    );
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "answered");
    assert.equal(text("README.md"), readme);
    await harness.page.locator(".tab").filter({ hasText: "proposed by" }).waitFor({ state: "detached" });
  });

  test("a tool that is allowed in the session asks once; a file that can change what runs later, every time", async () => {
    const harness = opened();
    const settings = { path: ".vscode/settings.json", oldText: "", newText: "{}\n" };
    script.write([
      calling("edit_file", EDIT),
      calling("edit_file", { ...EDIT, oldText: "# Haven log", newText: "# Port log" }),
      calling("edit_file", settings),
      DONE,
    ]);
    const session = await beginSession(harness, "Rename it twice");
    await pickerRows(harness, ask);
    await choose(harness, "Allow edit_file in This Session");
    const rows = await pickerRows(harness, "Cloakroom: Allow edit_file to change .vscode/settings.json?");
    assert.deepEqual(rows, ["Allow Once", "Deny"]);
    await harness.screenshot(path.join(root, "out", "e2e", "ask-sensitive.png"));
    assert.equal(text("README.md"), readme.replace("Harbour", "Port"));
    await choose(harness, "Deny");
    const events = await session.ended();
    assert.deepEqual(
      eventsOf(events, "authorised").map(({ granted, by }) => [granted, by]),
      [
        [true, "user"],
        [true, "session"],
        [false, "user"],
      ],
    );
    assert.equal(existsSync(file(".vscode/settings.json")), false);
  });

  test("the palette puts a question aside; it can be answered later, or the session stopped", async () => {
    const harness = opened();
    const { page } = harness;
    script.write([calling("edit_file", EDIT), DONE]);
    const session = await beginSession(harness, "Rename it, or not");
    await pickerRows(harness, ask);
    await page.keyboard.press("Escape");
    const reminder = page.locator(".statusbar").getByText("Allow edit_file to change README.md?");
    await reminder.waitFor();
    await page.locator(".monaco-diff-editor").waitFor(); // still there to read
    await harness.screenshot(path.join(root, "out", "e2e", "ask-aside.png"));
    await reminder.click();
    await until("what can be answered is there again", async () =>
      (await pickerRows(harness, ask)).includes("Deny"),
    );
    await reminder.waitFor({ state: "hidden" });

    await harness.run("Cloakroom: Stop Session");
    const events = await session.ended();
    await page
      .locator(".quick-input-widget")
      .filter({ hasText: "Allow edit_file" })
      .waitFor({ state: "hidden" });
    await reminder.waitFor({ state: "hidden" });
    await page.locator(".tab").filter({ hasText: "proposed by" }).waitFor({ state: "detached" });
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "stopped");
    assert.match(
      eventsOf(events, "remembered")[0]?.text ?? "",
      /^denied: The session was stopped before the user answered/,
    );
    assert.equal(text("README.md"), readme);
    assertValid(events);
  });

  test("a command is shown as it is before it runs; cancelling the progress ends it with all it started", async () => {
    const harness = opened();
    const { page } = harness;
    const command = "echo $(whoami) $(date) [now](command:workbench.action.quit)";
    script.write([calling("run_command", { command }), DONE]);
    const echo = await beginSession(harness, "Who am I?");
    await pickerRows(harness, "Cloakroom: Allow this command?");
    await page.locator(".quick-input-list").getByText(command, { exact: true }).waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "ask-command.png"));
    await choose(harness, "Deny");
    await echo.ended();

    const { session, pid } = await runningCommand(harness);
    const progress = await notification(harness, "begun");
    await harness.screenshot(path.join(root, "out", "e2e", "progress.png"));
    await progress.press("Cancel");
    assertCommandStopped(await session.ended(), pid);
  });

  test("a command that does not fit a line is shown whole in the editor", async () => {
    const harness = opened();
    const command = `echo one\necho two ${"and more ".repeat(20)}\nrm -rf everything`;
    script.write([calling("run_command", { command }), DONE]);
    const session = await beginSession(harness, "Clean up");
    await pickerRows(harness, ask);
    await harness.page.locator(".view-line").getByText("rm -rf everything").waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "ask-long-command.png"));
    await choose(harness, "Deny");
    await session.ended();
    await harness.page.locator(".tab").filter({ hasText: "Proposed Command" }).waitFor({ state: "detached" });
  });

  test("Stop Session ends a running command with its process tree, and keeps its output", async () => {
    const harness = opened();
    const { session, pid } = await runningCommand(harness);
    await harness.run("Cloakroom: Stop Session");
    assertCommandStopped(await session.ended(), pid);
  });

  test("a stop while the model has not said anything yet ends the run at once", async () => {
    const harness = opened();
    script.write([{ say: "Later.", pauseMs: 60_000 }]);
    const session = await beginSession(harness, "Take your time");
    await session.until("the request has left", (events) => eventsOf(events, "requested").length > 0);
    await harness.run("Cloakroom: Stop Session");
    const events = await session.ended();
    assert.deepEqual(
      eventsOf(events, "replied").map(({ end, text }) => [end, text]),
      [["stopped", ""]],
    );
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "stopped");
    assertValid(events);
  });

  test("what is typed and not saved is what the agent reads and edits", async () => {
    const harness = opened();
    const { page } = harness;
    await openFile(harness, "README.md");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("Unsaved words. ");
    await page.locator(".tab.dirty").filter({ hasText: "README.md" }).waitFor();
    script.write([
      calling("read_file", { path: "README.md" }),
      calling("edit_file", { path: "README.md", oldText: "Unsaved words.", newText: "Kept words." }),
      DONE,
    ]);
    const session = await beginSession(harness, "Keep my words");
    await pickerRows(harness, ask);
    await choose(harness, "Allow Once");
    const events = await session.ended();
    assert.match(eventsOf(events, "remembered")[0]?.text ?? "", /^Unsaved words\. # Harbour log/);
    assert.equal(text("README.md"), `Kept words. ${readme}`);
  });

  test("a session that runs cannot be continued a second time, and is not let go by the attempt", async () => {
    const harness = opened();
    const { session, pid } = await runningCommand(harness);
    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, "Run it");
    await notification(harness, "This session is running. Stop it, or wait until it ends.");
    await harness.run("Cloakroom: Stop Session");
    assertCommandStopped(await session.ended(), pid);
  });

  test("when the window is reloaded, what runs is stopped and its log closed", async () => {
    const harness = opened();
    const { session, pid } = await runningCommand(harness);
    await harness.page.locator(".tab.active").filter({ hasText: "Run it.md" }).waitFor();
    await stateSaved(harness, `${path.basename(session.folder)}/Run it.md`);
    await harness.reload();
    assertCommandStopped(await session.ended(), pid);
    // The transcript's tab is still there, and says how it ended.
    await harness.page.locator(".tab.active").filter({ hasText: "Run it.md" }).waitFor();
    await harness.page.locator(".view-line").getByText("Stopped. Continue the session to go on.").waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "after-reload.png"));
  });
});
