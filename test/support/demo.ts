// test/support: the demo session of `npm start -- --headless`, driven through the palette as a person would.
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { projectSession } from "../../src/inspector/project";
import { reportOf } from "../../src/inspector/report";
import { rowInTree, showRow } from "./inspectorRows";
import { SAMPLE_FACT, sampleCopy } from "./sample";
import { choose, endedSession, openInspector, startSession } from "./session";
import { type Harness, withWorkbench } from "./workbench";

export type DemoOptions = {
  /** Prints one line of the session. */
  readonly say: (text: string) => void;
  /** Where the picture of the inspector goes. */
  readonly screenshot: string;
};

/** The session itself: everything between an open workbench and the picture. */
async function playSession(harness: Harness, { say }: DemoOptions): Promise<void> {
  const frame = await openInspector(harness);
  await harness.run("Cloakroom: Set Result Limits…");
  await choose(harness, "Enforce");
  await harness.page.locator(".statusbar").getByText("Result limits: Enforce").waitFor();
  await startSession(harness, SAMPLE_FACT.question);
  const view = projectSession(await endedSession(harness));
  if (view) for (const line of reportOf(view)) say(line);
  await rowInTree(frame, /^Run ended/);
  await frame.locator('[data-action="explained"]').click();
  await showRow(frame, /^Turn 3/);
  await showRow(frame, /^search_text/);
  await showRow(frame, /^Turn 1/);
  await showRow(frame, /^read_file/);
  await frame
    .getByRole("treeitem", { name: /^In the store/ })
    .first()
    .click();
}

/** Runs the demo in a VS Code of its own. Throws, with a picture in out/e2e/, when a step does not happen. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const sample = sampleCopy();
  const settings = { "cloakroom.model": "scripted" };
  const viewport = { width: 1440, height: 900 };
  try {
    await withWorkbench("demo", { workspace: sample.folder, settings, viewport }, async (harness) => {
      await playSession(harness, options);
      // Two demos may end at once: the picture appears whole.
      mkdirSync(path.dirname(options.screenshot), { recursive: true });
      const unfinished = `${options.screenshot}.${process.pid}.png`;
      await harness.screenshot(unfinished);
      renameSync(unfinished, options.screenshot);
      options.say(`picture: ${path.relative(process.cwd(), options.screenshot)}`);
    });
  } finally {
    sample.remove();
  }
}
