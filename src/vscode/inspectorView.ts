/** The Context Inspector's host side: sends state, takes parsed messages. The webview can name nothing but what FromView lists. */
import * as vscode from "vscode";
import { FromView, type InspectorState, type ToView } from "../schema/view";

export const INSPECTOR_VIEW = "cloakroom.inspector";

/** What the inspector may ask for, by name. Each handles its own failures. */
export type InspectorActs = {
  readonly [Type in Exclude<FromView["type"], "ready">]: (
    message: Extract<FromView, { type: Type }>,
  ) => Promise<void>;
};

export type InspectorSource = {
  readonly state: () => Promise<InspectorState>;
  readonly onDidChange: vscode.Event<unknown>;
  readonly problemOf: (cause: unknown) => string;
};

const UPDATE_MS = 60; // several events in one update; an event is still seen at once

export class InspectorView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #source: InspectorSource;
  readonly #acts: InspectorActs;
  readonly #nonce: () => string;
  #view: vscode.WebviewView | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscription: vscode.Disposable;
  #sending: Promise<void> = Promise.resolve();

  constructor(extensionUri: vscode.Uri, source: InspectorSource, acts: InspectorActs, nonce: () => string) {
    this.#extensionUri = extensionUri;
    this.#source = source;
    this.#acts = acts;
    this.#nonce = nonce;
    this.#subscription = source.onDidChange(() => this.#later());
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(vscode.window.registerWebviewViewProvider(INSPECTOR_VIEW, this), this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const root = vscode.Uri.joinPath(this.#extensionUri, "dist", "webview");
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    view.onDidChangeVisibility(() => this.#later());
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = pageOf(view.webview, root, this.#nonce());
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  async #receive(message: unknown): Promise<void> {
    const parsed = FromView.safeParse(message);
    if (!parsed.success) return; // not from our page: nothing it could ask for
    if (parsed.data.type === "ready") return this.#send();
    const act = this.#acts[parsed.data.type] as (message: FromView) => Promise<void>;
    await act(parsed.data);
  }

  #later(): void {
    if (this.#timer !== undefined || !this.#view?.visible) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, UPDATE_MS);
  }

  /** One after the other: a state that took longer to read must not replace a newer one. */
  #send(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#sendNow());
    return this.#sending;
  }

  /** Never rejects: what keeps the state from being read is itself shown. */
  async #sendNow(): Promise<void> {
    let state: InspectorState;
    try {
      state = await this.#source.state();
    } catch (cause) {
      state = { sessions: [], selected: null, problem: this.#source.problemOf(cause) };
    }
    const message: ToView = { type: "state", state };
    await this.#view?.webview.postMessage(message);
  }
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
<link rel="stylesheet" href="${uri("codicon.css")}">
<link rel="stylesheet" href="${uri("inspector.css")}">
<title>Context Inspector</title>
</head>
<body>
<div id="inspector"></div>
<script nonce="${nonce}" src="${uri("inspector.js")}"></script>
</body>
</html>`;
}
