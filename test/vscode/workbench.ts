// test/vscode: opens the npm-hosted VS Code's workbench in a headless browser.
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { ensureChromium } from "./chromium";
import type { Server } from "./server";

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureChromium(),
    headless: true,
    // The signals are ours: we close what we opened, in order.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
}

export type WorkbenchOptions = {
  /** A folder or a .code-workspace file. None: an empty window. */
  readonly workspace?: string | undefined;
  /** Extensions loaded from their source folders, any number. */
  readonly extensions?: readonly string[];
  /** A module with `run()` that the extension host loads and runs. */
  readonly testsPath?: string;
  /** SecretStorage survives a reload. Without it the web workbench keeps its secrets in memory. */
  readonly secretStorage?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly log?: (text: string) => void;
  /** Called with the page before it loads the workbench. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** More of the workbench's own start payload, for example `disableExtensions`. */
  readonly payload?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
};

export function workbenchUrl(
  server: Server,
  workspace?: string,
  payload: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(`http://${server.authority}/`);
  if (!workspace) url.searchParams.set("ew", "true");
  else
    url.searchParams.set(
      workspace.endsWith(".code-workspace") ? "workspace" : "folder",
      path.resolve(workspace),
    );
  const pairs = Object.entries({ skipWelcome: "true", skipReleaseNotes: "true", ...payload });
  url.searchParams.set("payload", JSON.stringify(pairs));
  return url.href;
}

/**
 * A built VS Code ignores the payload's extensionDevelopmentPath. The page's own configuration has developmentOptions
 * for the same thing and for any number of extensions: they are added as the workbench reads it.
 */
async function addDevelopmentOptions(page: Page, server: Server, options: WorkbenchOptions): Promise<void> {
  const uri = (file: string) => ({
    $mid: 1,
    scheme: "vscode-remote",
    authority: server.authority,
    path: path.resolve(file),
  });
  const development = {
    extensions: (options.extensions ?? []).map(uri),
    ...(options.testsPath ? { extensionTestsPath: uri(options.testsPath) } : {}),
  };
  await page.addInitScript((added) => {
    const original = Element.prototype.getAttribute;
    Element.prototype.getAttribute = function (name) {
      const value = original.call(this, name);
      if (this.id !== "vscode-workbench-web-configuration" || name !== "data-settings" || !value)
        return value;
      Element.prototype.getAttribute = original;
      const configuration = JSON.parse(value);
      configuration.developmentOptions = { ...configuration.developmentOptions, ...added };
      return JSON.stringify(configuration);
    };
  }, development);
}

/** The workbench asks this address for the other half of the key that seals its secrets: any constant 32 bytes do. */
async function keepSecrets(context: BrowserContext, server: Server): Promise<void> {
  await context.addCookies([
    { name: "vscode-secret-key-path", value: "/mint-key", url: `http://${server.authority}/` },
  ]);
  await context.route("**/mint-key", (route) =>
    route.fulfill({ contentType: "application/octet-stream", body: Buffer.alloc(32, 7) }),
  );
}

/** A page with the workbench on it. Its status bar is there; extensions may still be starting: wait for what you need. */
export async function openWorkbench(
  browser: Browser,
  server: Server,
  options: WorkbenchOptions = {},
): Promise<Page> {
  const { log = () => {}, viewport = { width: 1280, height: 800 }, timeoutMs = 60_000 } = options;
  const context = await browser.newContext({ viewport, permissions: ["clipboard-read", "clipboard-write"] });
  if (options.secretStorage) await keepSecrets(context, server);
  const page = await context.newPage();
  if (options.extensions?.length || options.testsPath) await addDevelopmentOptions(page, server, options);
  page.on("console", (message) => log(`[console ${message.type()}] ${message.text()}\n`));
  page.on("pageerror", (error) => log(`[pageerror] ${error.stack ?? error}\n`));
  await options.prepare?.(page);
  const url = workbenchUrl(server, options.workspace, options.payload);
  await page.goto(url, { waitUntil: "domcontentloaded", timeout: timeoutMs });
  await page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: timeoutMs });
  return page;
}
