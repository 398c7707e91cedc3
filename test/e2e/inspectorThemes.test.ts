// test/e2e: the inspector's main states in three themes of VS Code: nothing serious for axe-core, and a picture of each.
import { rowInTree, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import { beginSession, choose } from "../support/session";
import { EDITOR, inEveryTheme, looksWell, SIDE_BAR } from "../support/themedStates";
import { sharedWorkbench } from "../support/workbench";

suite("the inspector in every theme", () => {
  const sample = sampleCopy();
  const opened = sharedWorkbench("themes", () => ({
    workspace: sample.folder,
    settings: { "cloakroom.model": "scripted" },
    viewport: { width: 1280, height: 860 },
  }));
  suiteTeardown(() => sample.remove());

  test("without a session", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector");
    const frame = await harness.webview("#empty");
    await inEveryTheme(harness, frame, async (theme) => {
      await looksWell(harness, frame, `empty-${theme}`, SIDE_BAR);
    });
  });

  test("a session in the side bar, with the details of a stored result", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Set Result Limits…");
    await choose(harness, "Enforce");
    const session = await beginSession(harness, SAMPLE_FACT.question);
    await session.ended();
    const frame = await harness.webview("#tree");
    await rowInTree(frame, /^Run ended/);
    await frame.locator('[data-action="explained"]').click();
    await showRow(frame, /^Turn 1/);
    await showRow(frame, /^read_file/);
    await frame
      .getByRole("treeitem", { name: /^Stored result/ })
      .first()
      .click();
    await frame.getByText("Its beginning and a handle are shown").waitFor();
    await inEveryTheme(harness, frame, async (theme) => {
      await looksWell(harness, frame, `side-${theme}`, SIDE_BAR);
    });
  });

  test("a tab with the request, What If and a content", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector in Editor");
    await harness.run("View: Close Primary Side Bar");
    const frame = await harness.webview("#tree");
    await showRow(frame, /^Turn 3/);
    await inEveryTheme(harness, frame, async (theme) => {
      for (const panel of ["request", "whatif"]) {
        await frame.locator(`[data-panel="${panel}"]`).click();
        await frame
          .locator(panel === "request" ? ".request-item" : ".what-if-plot")
          .first()
          .waitFor();
        await looksWell(harness, frame, `${panel}-${theme}`, EDITOR);
        await frame.locator(`[data-panel="${panel}"]`).click();
      }
    });
  });
});
