// test/support: the inspector's browser side in a real Chromium, without VS Code: its bundle, its content security policy,
// a host that remembers what it is told, and a theme.
import path from "node:path";
import * as esbuild from "esbuild";
import type { Browser, Page } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import type { FromView, ToView } from "../../src/schema/inspector";

/** Enough of a theme for what the tests look at. */
const PLAIN_THEME = {
  "--vscode-foreground": "#cccccc",
  "--vscode-font-size": "13px",
  "--vscode-sideBar-background": "#181818",
};

export type PageOptions = {
  readonly theme?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly forcedColors?: "active" | "none";
  /** Answers the page, which otherwise nobody does. */
  readonly host?: (message: FromView) => ToView[];
  /** Called with the page before it loads anything. */
  readonly prepare?: (page: Page) => Promise<void>;
};

/** The bundle as the build makes it, in memory. */
export async function inspectorBundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { inspector: "webview-ui/main.ts", codicon: "@vscode/codicons/dist/codicon.css" },
    outdir: "out/webview",
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

const PLACE = "http://inspector.test/";
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".ttf": "font/ttf",
};

const themeSheet = (theme: Readonly<Record<string, string>>): string => {
  const variables = Object.entries(theme).map(([name, value]) => `${name}: ${value};`);
  return `:root { ${variables.join(" ")} } body { background: var(--vscode-sideBar-background); }`;
};

const DOCUMENT = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${PLACE}; font-src ${PLACE}; script-src 'nonce-n0'">
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="${PLACE}codicon.css"><link rel="stylesheet" href="${PLACE}inspector.css">
<link rel="stylesheet" href="${PLACE}theme.css">
<title>Context Inspector</title></head><body><div id="inspector"></div>
<script nonce="n0">
  const kept = "inspector-state";
  window.sent = [];
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => {
      window.sent.push(message);
      window.toHost?.(message).then((answers) => answers.forEach((answer) => window.postMessage(answer, "*")));
    },
    getState: () => JSON.parse(sessionStorage.getItem(kept) ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem(kept, JSON.stringify(state)),
  });
</script>
<script type="module" nonce="n0" src="${PLACE}inspector.js"></script></body></html>`;

/** An open page; `problems` collects violations of the policy and uncaught errors: none may appear. */
export async function openInspector(
  browser: Browser,
  bundle: ReadonlyMap<string, Uint8Array>,
  options: PageOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const { theme = PLAIN_THEME, viewport = { width: 320, height: 700 } } = options;
  const context = await browser.newContext({
    viewport,
    locale: "en-US",
    reducedMotion: options.reducedMotion ?? "reduce",
    forcedColors: options.forcedColors ?? "none",
  });
  const page = await context.newPage();
  const { host } = options;
  if (host !== undefined) await page.exposeFunction("toHost", host);
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
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
  await options.prepare?.(page);
  await page.goto(PLACE);
  await page.waitForFunction(() => "sent" in window);
  return { page, problems };
}
