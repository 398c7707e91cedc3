/** Where the inspector is shown: in the side bar, following the window's session, and as editor tabs, each with its own. */
import * as vscode from "vscode";
import { InspectorPage, type PagePorts } from "./inspectorPage";

export const INSPECTOR_VIEW = "cloakroom.inspector";
export const INSPECTOR_EDITOR = "cloakroom.inspectorEditor";

const TITLE = "Context Inspector";

export class InspectorView
  implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable
{
  readonly #extensionUri: vscode.Uri;
  readonly #ports: PagePorts;
  readonly #nonce: () => string;
  #view: { readonly view: vscode.WebviewView; readonly page: InspectorPage } | undefined;
  readonly #panels = new Map<vscode.WebviewPanel, InspectorPage>();
  #wanted: { session: string; key: string } | null = null; // to be revealed once the side bar has its page
  #badge: vscode.ViewBadge | undefined;

  constructor(extensionUri: vscode.Uri, ports: PagePorts, nonce: () => string) {
    this.#extensionUri = extensionUri;
    this.#ports = ports;
    this.#nonce = nonce;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(INSPECTOR_VIEW, this),
      vscode.window.registerWebviewPanelSerializer(INSPECTOR_EDITOR, this),
      this,
    );
  }

  resolveWebviewView(view: vscode.WebviewView, { state }: vscode.WebviewViewResolveContext): void {
    view.webview.options = this.#options();
    const page = new InspectorPage(view.webview, this.#ports, sessionIn(state), true);
    this.#view?.page.dispose();
    this.#view = { view, page };
    view.badge = this.#badge;
    view.onDidDispose(() => {
      page.dispose();
      if (this.#view?.page === page) this.#view = undefined;
    });
    if (this.#wanted) page.reveal(this.#wanted.session, this.#wanted.key);
    this.#wanted = null;
    view.webview.html = this.#html(view.webview);
  }

  /** A tab for one session, beside the others; the one that is there already comes to the front. */
  openInEditor(session: string, title: string): void {
    for (const [panel, page] of this.#panels)
      if (page.session === session) {
        panel.reveal();
        return;
      }
    const panel = vscode.window.createWebviewPanel(
      INSPECTOR_EDITOR,
      `${TITLE}: ${title}`.slice(0, 80),
      vscode.ViewColumn.Active,
      this.#options(),
    );
    this.#adopt(panel, session);
  }

  /** After a reload of the window. `state`: what the page had saved. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    panel.webview.options = this.#options();
    this.#adopt(panel, sessionIn(state));
  }

  /** Leads to a row: in the tab of that session where one is open, else in the side bar. */
  async reveal(session: string, key: string): Promise<void> {
    for (const [panel, page] of this.#panels)
      if (page.session === session) {
        panel.reveal();
        return page.reveal(session, key);
      }
    this.#ports.sessions.select(session);
    if (this.#view) this.#view.page.reveal(session, key);
    else this.#wanted = { session, key };
    await vscode.commands.executeCommand(`${INSPECTOR_VIEW}.focus`);
  }

  get isVisible(): boolean {
    return this.#view?.view.visible === true || [...this.#panels.keys()].some(({ visible }) => visible);
  }

  set badge(badge: vscode.ViewBadge | undefined) {
    this.#badge = badge;
    if (this.#view) this.#view.view.badge = badge;
  }

  dispose(): void {
    this.#view?.page.dispose();
    for (const [panel, page] of this.#panels) {
      page.dispose();
      panel.dispose();
    }
  }

  #adopt(panel: vscode.WebviewPanel, session: string | null): void {
    const page = new InspectorPage(panel.webview, this.#ports, session, false);
    this.#panels.set(panel, page);
    panel.iconPath = vscode.Uri.joinPath(this.#extensionUri, "media", "icon.svg");
    panel.onDidDispose(() => {
      page.dispose();
      this.#panels.delete(panel);
    });
    panel.webview.html = this.#html(panel.webview);
  }

  #options(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [this.#root] };
  }

  get #root(): vscode.Uri {
    return vscode.Uri.joinPath(this.#extensionUri, "dist", "webview");
  }

  #html(webview: vscode.Webview): string {
    return pageOf(webview, this.#root, this.#nonce());
  }
}

/** What a page showed when it saved its state; null: it saved none. */
function sessionIn(state: unknown): string | null {
  const { session } = (state ?? {}) as { session?: unknown };
  return typeof session === "string" ? session : null;
}

function pageOf(webview: vscode.Webview, root: vscode.Uri, nonce: string): string {
  const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="${uri("codicon.css")}">
<link rel="stylesheet" href="${uri("inspector.css")}">
<title>${TITLE}</title>
</head>
<body>
<div id="inspector"></div>
<script nonce="${nonce}" src="${uri("inspector.js")}"></script>
</body>
</html>`;
}
