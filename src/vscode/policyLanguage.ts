/** Starts the policy language server when the first thimble.json is open, and not before: its client is loaded then too. */
import * as vscode from "vscode";

const PATTERN = "**/{thimble.json,*.thimble.json}";
const SELECTOR: vscode.DocumentSelector = { language: "json", pattern: PATTERN };

/** `serverPath`: the bundled server. */
export function registerPolicyLanguage(serverPath: string, log: vscode.LogOutputChannel): vscode.Disposable {
  const onFailure = (cause: unknown) =>
    log.error(
      `The policy language server failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    );
  let client: Promise<vscode.Disposable> | undefined;
  const startFor = (document: vscode.TextDocument) => {
    if (client || vscode.languages.match(SELECTOR, document) === 0) return;
    client = startClient(serverPath);
    client.catch(onFailure);
  };
  vscode.workspace.textDocuments.forEach(startFor);
  const opened = vscode.workspace.onDidOpenTextDocument(startFor);
  return new vscode.Disposable(() => {
    opened.dispose();
    client?.then((started) => started.dispose(), onFailure);
  });
}

async function startClient(serverPath: string): Promise<vscode.Disposable> {
  const { startPolicyClient } = await import("./policyClient"); // loaded from its own bundle
  return startPolicyClient(serverPath, PATTERN);
}
