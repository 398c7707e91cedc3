// test/support: the inspector's panels in a real Chromium, under the webview's content security policy, without the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import type { Browser, Page } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { launchBrowser } from "../vscode/workbench";
import { DARK, type Theme } from "./themes";

export type PanelOptions = {
  readonly theme?: Theme;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly forcedColors?: "active" | "none";
};
export type Panel = "controls" | "overview" | "request" | "content" | "whatIf" | "analysis";

/** The bundle of the panels, in memory. */
export async function panelsBundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { panels: "test/support/panelsEntry.ts", codicon: "@vscode/codicons/dist/codicon.css" },
    outdir: "out/panels",
    bundle: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    loader: { ".ttf": "file" },
    assetNames: "[name]",
    minify: true,
    write: false,
  });
  return new Map(outputFiles.map((file) => [path.basename(file.path), file.contents]));
}

const PLACE = "http://panels.test/";
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".ttf": "font/ttf",
};

const DOCUMENT = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${PLACE}; font-src ${PLACE}; script-src 'nonce-n0'">
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="${PLACE}codicon.css">
<link rel="stylesheet" href="${PLACE}panels.css"><link rel="stylesheet" href="${PLACE}theme.css">
<title>Panels</title></head><body><div id="inspector"></div>
<script type="module" nonce="n0" src="${PLACE}panels.js"></script></body></html>`;

const themeSheet = (theme: Theme): string => {
  const variables = Object.entries(theme).map(([name, value]) => `${name}: ${value};`);
  return `:root { ${variables.join(" ")} } body { background: var(--vscode-sideBar-background); }
    main { display: flex; flex: 1; flex-direction: column; min-height: 0; overflow: auto; }`;
};

/** An open page; `problems` collects violations of the policy, warnings and uncaught errors: none may appear. */
export async function openPanels(
  browser: Browser,
  bundle: ReadonlyMap<string, Uint8Array>,
  { theme = DARK, viewport = { width: 320, height: 700 }, forcedColors = "none" }: PanelOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({
    viewport,
    locale: "en-US",
    reducedMotion: "reduce",
    forcedColors,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.route("**/*", (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === "") return route.fulfill({ contentType: "text/html", body: DOCUMENT });
    const body = name === "theme.css" ? Buffer.from(themeSheet(theme)) : bundle.get(name);
    if (body === undefined) return route.fulfill({ status: 404, body: "" });
    return route.fulfill({
      contentType: TYPES[path.extname(name)] ?? "application/octet-stream",
      body: Buffer.from(body),
      headers: { "access-control-allow-origin": "*" },
    });
  });
  await page.goto(PLACE);
  await page.waitForFunction(() => "show" in window);
  return { page, problems };
}

type Shown = { show: (panel: string, given: unknown) => number; told: unknown[][] };

/** Shows a panel and waits for the frame that has it; answers how long the render took, in milliseconds. */
export const showPanel = (
  page: Page,
  panel: Panel,
  given: Readonly<Record<string, unknown>>,
): Promise<number> =>
  page.evaluate(
    async ([name, props]) => {
      const elapsedMs = (window as unknown as Shown).show(name, props);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return elapsedMs;
    },
    [panel, given] as const,
  );

/** What the panel told, oldest first: name and values. */
export const toldBy = (page: Page): Promise<unknown[][]> =>
  page.evaluate(() => (window as unknown as Shown).told);

const AXE = readFileSync(path.join(root, "node_modules/axe-core/axe.min.js"), "utf8");

/** Serious and critical violations of the accessibility rules, as "rule: where". `without`: rules that are not looked at. */
export async function violationsIn(page: Page, without: readonly string[] = []): Promise<string[]> {
  await page.evaluate(AXE); // evaluated by the debugger, which the page's policy does not bind
  return page.evaluate(async (disabled) => {
    type Result = { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] };
    const { axe } = window as unknown as {
      axe: { run: (options: unknown) => Promise<{ violations: Result[] }> };
    };
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      rules: Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }])),
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${JSON.stringify(node.target)} ${node.failureSummary}`),
      );
  }, without);
}

/** Panels in one browser, for a suite. */
export class PanelsBench {
  readonly #browser: Browser;
  readonly #bundle: ReadonlyMap<string, Uint8Array>;

  private constructor(browser: Browser, bundle: ReadonlyMap<string, Uint8Array>) {
    this.#browser = browser;
    this.#bundle = bundle;
  }

  static async open(): Promise<PanelsBench> {
    const [browser, bundle] = await Promise.all([launchBrowser(), panelsBundle()]);
    return new PanelsBench(browser, bundle);
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  /** Shows a panel, and after `use` looks whether anything was said on the console. */
  async on(
    panel: Panel,
    given: Readonly<Record<string, unknown>>,
    use: (page: Page) => Promise<void>,
    options: PanelOptions = {},
  ): Promise<void> {
    const { page, problems } = await openPanels(this.#browser, this.#bundle, options);
    try {
      await showPanel(page, panel, given);
      await use(page);
      assert.deepEqual(problems, []);
    } finally {
      await page.context().close();
    }
  }

  /** Violations of the accessibility rules in each panel given, under one theme. */
  async violations(
    panels: readonly (readonly [Panel, Readonly<Record<string, unknown>>])[],
    theme: Theme,
    forcedColors: "active" | "none" = "none",
  ) {
    const { page } = await openPanels(this.#browser, this.#bundle, { theme, forcedColors });
    const unseen = forcedColors === "active" ? ["color-contrast"] : []; // the author's colours, not the system's
    const found: string[] = [];
    for (const [panel, given] of panels) {
      await showPanel(page, panel, given);
      found.push(...(await violationsIn(page, unseen)).map((violation) => `${panel}: ${violation}`));
    }
    await page.context().close();
    return found;
  }
}
