// Builds the house. For now: the inspector's view and the command that opens it.
import * as vscode from "vscode";

export function activate(context: vscode.ExtensionContext): void {
  const dist = vscode.Uri.joinPath(context.extensionUri, "dist", "webview");
  context.subscriptions.push(
    vscode.commands.registerCommand("cloakroom.openInspector", () =>
      vscode.commands.executeCommand("cloakroom.inspector.focus"),
    ),
    vscode.window.registerWebviewViewProvider("cloakroom.inspector", {
      resolveWebviewView({ webview }) {
        webview.options = { enableScripts: true, localResourceRoots: [dist] };
        const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
        webview.html = `<!doctype html><html lang="en"><head>
          <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; font-src ${webview.cspSource}; script-src ${webview.cspSource}">
          <link rel="stylesheet" href="${address("codicon.css")}"><link rel="stylesheet" href="${address("inspector.css")}">
          </head><body><pre id="inspector"></pre><script type="module" src="${address("inspector.js")}"></script></body></html>`;
        const state = { sessions: [], model: vscode.workspace.getConfiguration("cloakroom").get("model") };
        webview.onDidReceiveMessage(() => webview.postMessage(state), undefined, context.subscriptions);
      },
    }),
  );
}
