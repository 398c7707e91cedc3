// test/e2e: the inspector's main states in three themes of VS Code: nothing serious for axe-core, and a picture of each.
import assert from "node:assert/strict";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { seriousProblems, THEMES, useTheme } from "../support/accessibility";
import { rowInTree, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import { beginSession, choose } from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

suite("the inspector in every theme", () => {
  const sample = sampleCopy();
  const opened = sharedWorkbench("themes", () => ({
    workspace: sample.folder,
    settings: { "cloakroom.model": "scripted" },
    viewport: { width: 1280, height: 860 },
  }));
  suiteTeardown(() => sample.remove());

  const look = async (
    harness: Harness,
    frame: Frame,
    name: string,
    background = "--vscode-sideBar-background",
  ) => {
    await harness.screenshot(path.join(root, "out", "e2e", `inspector-${name}.png`));
    assert.deepEqual(await seriousProblems(frame, background), [], name);
  };

  test("without a session", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector");
    const frame = await harness.webview("#empty");
    for (const theme of THEMES) {
      await useTheme(harness, theme);
      await frame.locator(`body.${theme.body}`).waitFor();
      await look(harness, frame, `empty-${theme.name}`);
    }
  });

  test("a session in the side bar, with the details of a stored result", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Set Result Limits…");
    await choose(harness, "Enforce");
    const session = await beginSession(harness, SAMPLE_FACT.question);
    await session.ended();
    const frame = await harness.webview("#tree");
    await rowInTree(frame, /^Run ended/);
    await showRow(frame, /^Turn 1/);
    await showRow(frame, /^read_file/);
    await frame
      .getByRole("treeitem", { name: /^Stored result/ })
      .first()
      .click();
    await frame.getByText("Its beginning and a handle are shown").waitFor();
    for (const theme of THEMES) {
      await useTheme(harness, theme);
      await frame.locator(`body.${theme.body}`).waitFor();
      await look(harness, frame, `side-${theme.name}`);
    }
  });

  test("a tab with the request, What If and a content", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector in Editor");
    await harness.run("View: Close Primary Side Bar");
    const frame = await harness.webview("#tree");
    await showRow(frame, /^Turn 3/);
    for (const theme of THEMES) {
      await useTheme(harness, theme);
      await frame.locator(`body.${theme.body}`).waitFor();
      for (const panel of ["request", "whatif"]) {
        await frame.locator(`[data-panel="${panel}"]`).click();
        await frame
          .locator(panel === "request" ? ".request-item" : ".what-if-plot")
          .first()
          .waitFor();
        await look(harness, frame, `${panel}-${theme.name}`, "--vscode-editor-background");
        await frame.locator(`[data-panel="${panel}"]`).click();
      }
    }
  });
});
