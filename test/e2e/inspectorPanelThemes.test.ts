// test/e2e: what the inspector shows at times only, in three themes of VS Code: a question that waits, what was found, a
// content with a hit, one that was altered, another agent's session.
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { anotherAgentsSession } from "../support/anotherAgent";
import { actOf, pressCommand, rowInTree, selectRow, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import {
  beginSession,
  choose,
  chooseFile,
  eventsOf,
  type LoggedSession,
  openInspector,
  pickerRows,
} from "../support/session";
import { EDITOR, inEveryTheme, looksWell, SIDE_BAR } from "../support/themedStates";
import { sharedWorkbench } from "../support/workbench";

const EDIT = { path: "README.md", oldText: "# Harbour log", newText: "# Haven log" };

suite("what the inspector shows at times, in every theme", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const agent = anotherAgentsSession();
  const opened = sharedWorkbench("panel-themes", () => ({
    workspace: sample.folder,
    settings: script.settings,
    environment: { ...process.env, HOME: agent.home },
    viewport: { width: 1280, height: 860 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
    agent.remove();
  });
  let session: LoggedSession;
  let tab: Frame;

  const themed = (frame: Frame, name: string, background: string) =>
    inEveryTheme(opened(), frame, (theme) => looksWell(opened(), frame, `${name}-${theme}`, background));

  test("a call that waits for an answer, with a badge", async () => {
    const harness = opened();
    const { page } = harness;
    const frame = await openInspector(harness);
    script.write([
      calling("read_file", { path: SAMPLE_FACT.file }),
      calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
      calling("edit_file", EDIT),
      { say: "Looked." },
    ]);
    session = await beginSession(harness, SAMPLE_FACT.question);
    await pickerRows(harness, /^Cloakroom: Allow edit_file/);
    await page.keyboard.press("Escape");
    await page.locator(".activitybar .badge-content").filter({ hasText: /[1-9]/ }).first().waitFor();
    await showRow(frame, /^Turn 3\b/);
    await selectRow(frame, /^edit_file/);
    await themed(frame, "waiting", SIDE_BAR);
    await pressCommand(frame, "answerQuestion");
    await pickerRows(harness, /^Cloakroom: Allow edit_file/);
    await choose(harness, "Deny");
    await session.ended();
  });

  test("what was found, with all there is to filter by", async () => {
    const harness = opened();
    const frame = await openInspector(harness);
    await rowInTree(frame, /^Run ended/);
    await frame.locator("#find").fill("service-agreement");
    await frame.locator('[data-action="filter"]').click();
    await frame
      .locator("#matches")
      .getByText(/^\d+ match/)
      .waitFor();
    await frame.locator(".row.match").first().waitFor();
    await themed(frame, "found", SIDE_BAR);
    await frame.locator("#find").press("Escape");
  });

  test("in the side bar, another agent's session and what was found in it", async () => {
    const harness = opened();
    const frame = await openInspector(harness);
    await pressCommand(frame, "analyzeSession");
    await pickerRows(harness, "Analyze Session");
    await choose(harness, "Browse…");
    await chooseFile(harness, "Analyze Session", agent.file);
    await frame.locator("#analysis .analysis-sentence").getByText(/token/).waitFor();
    await themed(frame, "analysis", SIDE_BAR);
    await frame.locator("#sessions").selectOption(path.basename(session.folder));
    await rowInTree(frame, /^Run ended/);
  });

  test("in a tab, a stored content with what was looked for in it", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector in Editor");
    await harness.run("View: Close Primary Side Bar");
    tab = await harness.webview("#tree");
    await showRow(tab, /^Turn 1\b/);
    await selectRow(tab, /^read_file/);
    await actOf(tab, "viewContent").click();
    const find = tab.locator('#content [data-name="find"] input');
    await find.fill("418 crowns");
    await find.press("Enter");
    await tab.locator("mark.content-match").waitFor();
    await themed(tab, "content", EDITOR);
  });

  test("in a tab, a content that was altered on disk", async () => {
    const [stored] = eventsOf(session.events, "tool_result_stored");
    const blobs = path.join(session.folder, "blobs");
    for (const name of readdirSync(blobs, { recursive: true, encoding: "utf8" }))
      if (path.basename(name) === stored?.sha256) writeFileSync(path.join(blobs, name), "altered");
    await tab.locator('#content [data-action="close"]').click();
    await actOf(tab, "viewContent").click();
    await tab
      .locator("#content .problem-line")
      .filter({ hasText: /altered/ })
      .waitFor();
    await themed(tab, "altered", EDITOR);
  });
});
