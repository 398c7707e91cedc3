// test/support: drives the real workbench as a person would: the palette, typing, clicking.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Frame, Page } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { ensureHost } from "../vscode/install";
import { type Server, serverFolders, startServer } from "../vscode/server";
import { launchBrowser, openWorkbench, type WorkbenchOptions, workbenchUrl } from "../vscode/workbench";

export type HarnessOptions = Pick<WorkbenchOptions, "workspace" | "secretStorage" | "viewport"> & {
  /** Extensions loaded from source. Ours by default. */
  readonly extensions?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The workspace opens in Restricted Mode. */
  readonly restricted?: boolean;
  /** Fills the extensions folder before VS Code starts, for example with an installed .vsix. */
  readonly install?: (folders: ReturnType<typeof serverFolders>) => Promise<void>;
  readonly environment?: NodeJS.ProcessEnv;
};

export type Harness = {
  readonly page: Page;
  readonly server: Server;
  /** VS Code's user data: globalStorage and settings are below it. */
  readonly userData: string;
  /** Runs a command by its full title, for example "Cloakroom: Open Context Inspector". */
  run(title: string): Promise<void>;
  /** Answers the quick pick or input box that has this title. */
  answer(title: string, text: string): Promise<void>;
  /** The document of the webview that has this element. */
  webview(contains: string): Promise<Frame>;
  notifications(): Promise<string[]>;
  /** Reloads the window; the extension host starts anew. */
  reload(): Promise<void>;
  /** Opens that folder in the same window, or none; the extension host starts anew. */
  open(workspace?: string): Promise<void>;
  screenshot(file: string): Promise<void>;
  /** What the server and the workbench logged. */
  log(): string;
  close(): Promise<void>;
};

const TIMEOUT_MS = 30_000;
/** VS Code's own chat looks for an account every few moments. */
const NOISE = /\[AgentHost\]|status of 404|additional builtin extensions|allow-scripts and allow-same-origin/;
const STATUS_BAR = ".monaco-workbench .part.statusbar";

/** VS Code nests two frames: its own, and inside it the one with the extension's document. */
async function findWebview(page: Page, contains: string): Promise<Frame> {
  const untilMs = Date.now() + TIMEOUT_MS;
  while (Date.now() < untilMs) {
    for (const frame of page.frames()) {
      const isInner = frame.name() === "active-frame" || frame.url().includes("fake.html");
      if (!isInner || !frame.parentFrame()?.url().includes("/webview/browser/pre/")) continue;
      // A frame that is replaced while we look has no such element: look again.
      const count = await frame
        .locator(contains)
        .count()
        .catch(() => 0);
      if (count > 0) return frame;
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`no webview shows ${contains}: ${page.frames().map((frame) => frame.url().slice(0, 100))}`);
}

async function runFromPalette(page: Page, title: string): Promise<void> {
  const input = page.locator(".quick-input-widget .quick-input-box input").first();
  const untilMs = Date.now() + TIMEOUT_MS;
  for (;;) {
    await page.keyboard.press("F1");
    try {
      await input.fill(`>${title}`, { timeout: 3_000 });
      // The palette is ordered by likeness: choose the row that has this title, not the first one.
      const label = page
        .locator(".quick-input-list .monaco-list-row .label-name")
        .getByText(title, { exact: true });
      await label.first().click({ timeout: 3_000 });
      return;
    } catch (error) {
      // A starting window does not know our commands yet, and a palette that is closing takes the key for itself.
      if (Date.now() > untilMs) throw new Error(`the palette does not offer "${title}"`, { cause: error });
      await page.keyboard.press("Escape");
    }
  }
}

/** By its title: the palette that a command came from has the same input, and may still be closing. */
async function answerQuickInput(page: Page, title: string, text: string): Promise<void> {
  const widget = page.locator(".quick-input-widget").filter({ has: page.getByText(title, { exact: true }) });
  const input = widget.locator(".quick-input-box input").first();
  await input.waitFor({ state: "visible" });
  await input.fill(text);
  await page.keyboard.press("Enter");
  await widget.waitFor({ state: "hidden" });
}

/** Starts a VS Code of its own, with folders of its own, and opens its workbench. `close()` ends and removes it all. */
export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  await ensureHost();
  const base = mkdtempSync(path.join(os.tmpdir(), "clk-"));
  const lines: string[] = [];
  const closing: (() => Promise<unknown>)[] = [
    async () => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  ];
  const close = async () => {
    for (const step of closing.splice(0)) await step();
  };
  const {
    extensions = [root],
    settings = {},
    restricted = false,
    environment = process.env,
    ...shown
  } = options;
  const log = (text: string) => {
    if (!NOISE.test(text)) lines.push(text);
  };
  try {
    const folders = serverFolders(base);
    await options.install?.(folders);
    const server = await startServer({ folders, settings, restricted, environment, log });
    closing.unshift(() => server.stop());
    const browser = await launchBrowser();
    closing.unshift(() => browser.close());
    const page = await openWorkbench(browser, server, { ...shown, extensions, log });
    page.setDefaultTimeout(TIMEOUT_MS);
    return {
      page,
      server,
      userData: folders.userData,
      run: (title) => runFromPalette(page, title),
      answer: (title, text) => answerQuickInput(page, title, text),
      webview: (contains) => findWebview(page, contains),
      notifications: () => page.locator(".notification-list-item-message").allInnerTexts(),
      reload: async () => {
        await page.reload({ waitUntil: "domcontentloaded" });
        await page.waitForSelector(STATUS_BAR);
      },
      open: async (workspace) => {
        await page.goto(workbenchUrl(server, workspace), { waitUntil: "domcontentloaded" });
        await page.waitForSelector(STATUS_BAR);
      },
      screenshot: async (file) => {
        mkdirSync(path.dirname(file), { recursive: true });
        await page.screenshot({ path: file });
      },
      log: () => lines.join(""),
      close,
    };
  } catch (error) {
    await close();
    throw new Error(`VS Code did not open:\n${lines.join("").slice(-4_000)}`, { cause: error });
  }
}

/** Opens a harness for `use` and closes it after. A failure leaves a screenshot and VS Code's log in out/e2e/. */
export async function withWorkbench<T>(
  name: string,
  options: HarnessOptions,
  use: (harness: Harness) => Promise<T>,
): Promise<T> {
  const harness = await openHarness(options);
  try {
    return await use(harness);
  } catch (error) {
    const file = path.join(root, "out", "e2e", name.replace(/[^\w.-]+/g, "-"));
    await harness.screenshot(`${file}.png`).catch((reason) => console.error(`no screenshot: ${reason}`));
    console.error(`${harness.log().slice(-4_000)}\nsee ${file}.png`);
    throw error;
  } finally {
    await harness.close();
  }
}

/** One workbench for a whole suite: every launch costs seconds. Call it inside `suite()`; use what it returns in the tests. */
export function sharedWorkbench(name: string, options: () => HarnessOptions): () => Harness {
  let harness: Harness | undefined;
  const opened = () => {
    if (!harness) throw new Error("the workbench is open while the suite's tests run, and not before");
    return harness;
  };
  suiteSetup(async () => {
    harness = await openHarness(options());
  });
  teardown(async function () {
    if (this.currentTest?.state !== "failed" || !harness) return;
    const file = `${name} ${this.currentTest.title}`.replace(/[^\w.-]+/g, "-").slice(0, 100);
    const image = path.join(root, "out", "e2e", `${file}.png`);
    await harness.screenshot(image).catch((reason) => console.error(`no screenshot: ${reason}`));
    console.error(`${harness.log().slice(-1_000)}\nsee ${image}`);
    await harness.reload(); // the next test finds nothing running and nothing open
  });
  suiteTeardown(() => harness?.close());
  return opened;
}
