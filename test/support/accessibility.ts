// test/support: what axe-core finds in a page that is open, as sentences; and VS Code's colour themes, chosen as a person does.
import axe from "axe-core";
import type { Frame, Page } from "playwright-core";
import type { Harness } from "./workbench";

/**
 * Only what keeps people from using the page: "color-contrast: .row-description, …". A webview has no background of its
 * own: `background` is the theme's name of what VS Code puts behind it.
 */
export async function seriousProblems(frame: Frame | Page, background: string): Promise<string[]> {
  await frame.evaluate(axe.source);
  return frame.evaluate(async (name) => {
    document.body.style.backgroundColor = getComputedStyle(document.documentElement).getPropertyValue(name);
    const { axe: injected } = globalThis as unknown as { axe: typeof import("axe-core") };
    const { violations } = await injected.run(document, { resultTypes: ["violations"] });
    document.body.style.backgroundColor = "";
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  }, background);
}

export const THEMES = [
  { theme: "Dark Modern", kind: "vs-dark", body: "vscode-dark", name: "dark" },
  { theme: "Light Modern", kind: "vs", body: "vscode-light", name: "light" },
  { theme: "Dark High Contrast", kind: "hc-black", body: "vscode-high-contrast", name: "contrast" },
] as const;

export async function useTheme(
  { run, page }: Harness,
  { theme, kind }: (typeof THEMES)[number],
): Promise<void> {
  await run("Preferences: Color Theme");
  const input = page.locator(".quick-input-widget .quick-input-box input").first();
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await input.fill(theme);
  await page.locator(".quick-input-list .monaco-list-row.focused").filter({ hasText: theme }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(`.monaco-workbench.${kind}`).waitFor();
}
