// test/support: one state of the inspector in every theme of VS Code: a picture of each, and nothing serious for axe-core.
import assert from "node:assert/strict";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { seriousProblems, THEMES, useTheme } from "./accessibility";
import type { Harness } from "./workbench";

export const SIDE_BAR = "--vscode-sideBar-background";
export const EDITOR = "--vscode-editor-background";

/** `background`: the theme's name of what VS Code puts behind the page. Pictures: out/e2e/inspector-NAME-THEME.png. */
export async function looksWell(
  harness: Harness,
  frame: Frame,
  name: string,
  background: string,
): Promise<void> {
  await harness.screenshot(path.join(root, "out", "e2e", `inspector-${name}.png`));
  assert.deepEqual(await seriousProblems(frame, background), [], name);
}

/** Chooses each theme in turn and calls `look` with its short name, once the page has it. */
export async function inEveryTheme(
  harness: Harness,
  frame: Frame,
  look: (theme: string) => Promise<void>,
): Promise<void> {
  for (const theme of THEMES) {
    await useTheme(harness, theme);
    await frame.locator(`body.${theme.body}`).waitFor();
    await look(theme.name);
  }
}
