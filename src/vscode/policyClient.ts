/** The client of the policy language server: a bundle of its own, because its library is larger than all the rest. */
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

/** `serverPath`: the bundled server. VS Code itself checks the schema; the server says what a schema cannot. */
export async function startPolicyClient(serverPath: string, pattern: string): Promise<vscode.Disposable> {
  const client = new LanguageClient(
    "cloakroom.policy",
    "Cloakroom Policy",
    { module: serverPath, transport: TransportKind.ipc },
    {
      documentSelector: [{ language: "json", pattern }],
      initializationOptions: { schemaCheckedElsewhere: true },
    },
  );
  await client.start();
  return new vscode.Disposable(() => void client.dispose());
}
