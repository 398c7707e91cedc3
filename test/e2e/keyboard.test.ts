// test/e2e: the inspector without a mouse, and in the themes that people use.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { focusedName, keysToRow, rowInTree } from "../support/inspectorRows";
import { sampleCopy } from "../support/sample";
import { beginSession, until } from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

suite("the inspector by keyboard", () => {
  const sample = sampleCopy();
  const opened = sharedWorkbench("keyboard", () => ({
    workspace: sample.folder,
    settings: { "cloakroom.model": "scripted" },
    viewport: { width: 1440, height: 900 },
  }));
  suiteTeardown(() => sample.remove());

  test("the command takes the focus there, Tab goes through it, arrows find a stored result and Enter opens it", async () => {
    const harness = opened();
    const { page } = harness;
    const session = await beginSession(harness, "What does a night cost?");
    await session.ended();
    await byKeyboard(harness, "Cloakroom: Open Context Inspector");
    const frame = await harness.webview("#tree");
    await rowInTree(frame, /^Run ended/);
    await until("the view has the keyboard", () => frame.evaluate(() => document.hasFocus()));

    const order: string[] = [];
    do {
      await page.keyboard.press("Tab");
      order.push((await focusedName(frame)) ?? "");
    } while (!/^What does/.test(order.at(-1) ?? "") && order.length < 20);
    assert.deepEqual(order.slice(0, 3), ["Start Session…", "Continue Session…", "More Actions"]);
    assert.ok(order.includes("Turns") && order.includes("Find in this session"));
    assert.match(order.at(-1) ?? "", /^What does a night cost\?/); // the tree's row

    await keysToRow(harness, frame, /^Turn 1/, /^read_file/, /^In the store/);
    await page.keyboard.press("Enter");
    await page.locator(".tab.active").filter({ hasText: ".txt" }).waitFor();
    await page.locator(".view-line").getByText("between the town of Sandvik").first().waitFor();
  });

  for (const [theme, kind] of [
    ["Dark Modern", "vs-dark"],
    ["Light Modern", "vs"],
    ["Dark High Contrast", "hc-black"],
  ] as const) {
    test(`it is readable in ${theme}`, async () => {
      const harness = opened();
      await harness.run("Preferences: Color Theme");
      const input = harness.page.locator(".quick-input-widget .quick-input-box input").first();
      await harness.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
      await input.fill(theme);
      await harness.page
        .locator(".quick-input-list .monaco-list-row.focused")
        .filter({ hasText: theme })
        .waitFor();
      await harness.page.keyboard.press("Enter");
      await harness.page.locator(`.monaco-workbench.${kind}`).waitFor();
      const frame = await harness.webview("#tree");
      const themeKind = { "vs-dark": "vscode-dark", vs: "vscode-light", "hc-black": "vscode-high-contrast" }[
        kind
      ];
      await frame.locator(`body.${themeKind}`).waitFor();
      await harness.screenshot(path.join(root, "out", "e2e", `theme-${kind}.png`));
      // Text against what it stands on: at least 4.5 to 1, as WCAG asks of text of this size.
      await frame.evaluate("globalThis.__name ??= (value) => value"); // what the test's compiler adds to functions
      const ratios = await frame.evaluate(contrasts);
      assert.deepEqual(
        ratios.filter(({ ratio }) => ratio < 4.5),
        [],
      );
    });
  }
});

/** Runs a command as it is typed: nothing is clicked. */
async function byKeyboard({ page }: Harness, title: string): Promise<void> {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget .quick-input-box input").first();
  await input.fill(`>${title}`);
  const first = page.locator(".quick-input-list .monaco-list-row.focused .label-name");
  await first.getByText(title, { exact: true }).waitFor();
  await page.keyboard.press("Enter");
}

/** In the page: the contrast of every text that is shown. */
function contrasts(): { text: string; ratio: number }[] {
  const parse = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const over = (top: number[], under: number[]) => {
    const alpha = top[3] ?? 1;
    return [0, 1, 2].map((i) => (top[i] ?? 0) * alpha + (under[i] ?? 0) * (1 - alpha));
  };
  const light = (color: number[]) => {
    const [r = 0, g = 0, b = 0] = color.map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const base = parse(
    getComputedStyle(document.documentElement).getPropertyValue("--vscode-sideBar-background"),
  );
  const hex = getComputedStyle(document.documentElement)
    .getPropertyValue("--vscode-sideBar-background")
    .trim();
  const page = hex.startsWith("#") ? [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)) : base;
  const found: { text: string; ratio: number }[] = [];
  for (const element of document.querySelectorAll("#inspector *")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const text = own.map((node) => node.textContent?.trim()).join("");
    if (text === "" || element.getClientRects().length === 0 || element.closest(".unseen")) continue;
    const chain: Element[] = [];
    for (let at: Element | null = element; at; at = at.parentElement) chain.unshift(at);
    let background = page;
    let opacity = 1;
    for (const part of chain) {
      background = over(parse(getComputedStyle(part).backgroundColor), background);
      opacity *= Number(getComputedStyle(part).opacity);
    }
    const color = parse(getComputedStyle(element).color);
    const shown = over([color[0] ?? 0, color[1] ?? 0, color[2] ?? 0, (color[3] ?? 1) * opacity], background);
    const [high, low] = [light(shown), light(background)].sort((a, b) => b - a) as [number, number];
    found.push({ text: text.slice(0, 40), ratio: Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100 });
  }
  return found;
}
