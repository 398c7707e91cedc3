/** Starts the policy language server when the first thimble.json is open, and not before: its client is loaded then too. */
import * as vscode from "vscode";

const PATTERN = "**/{thimble.json,*.thimble.json}";
const SELECTOR: vscode.DocumentSelector = { language: "json", pattern: PATTERN };

/** `serverPath`: the bundled server. VS Code itself checks the schema; the server says what a schema cannot. */
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

async function startClient(module: string): Promise<vscode.Disposable> {
  const { LanguageClient, TransportKind } = await import("vscode-languageclient/node");
  const client = new LanguageClient(
    "cloakroom.policy",
    "Cloakroom Policy",
    { module, transport: TransportKind.ipc },
    {
      documentSelector: [{ language: "json", pattern: PATTERN }],
      initializationOptions: { schemaCheckedElsewhere: true },
    },
  );
  await client.start();
  return new vscode.Disposable(() => void client.dispose());
}
