/** The policy language server: the service over the language server protocol (stdio or IPC, as the client asks). */
import { createConnection, TextDocumentSyncKind, TextDocuments } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { diagnose, hover, type ServiceOptions } from "./service";

const QUIET_MS = 150; // of no typing before a document is diagnosed

const connection = createConnection();
const documents = new TextDocuments(TextDocument);
const waiting = new Map<string, NodeJS.Timeout>();
let options: ServiceOptions = { schemaCheckedElsewhere: false };

connection.onInitialize(({ initializationOptions }) => {
  options = { schemaCheckedElsewhere: saysSchemaIsChecked(initializationOptions) };
  return { capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental, hoverProvider: true } };
});

/** `initializationOptions` is whatever the client sent. */
function saysSchemaIsChecked(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.entries(given).some(isSaid);
}
const isSaid = ([name, value]: [string, unknown]): boolean =>
  name === "schemaCheckedElsewhere" && value === true;

documents.onDidChangeContent(({ document: { uri } }) => {
  clearTimeout(waiting.get(uri));
  waiting.set(
    uri,
    setTimeout(() => publish(uri), QUIET_MS),
  );
});

documents.onDidClose(({ document: { uri } }) => {
  clearTimeout(waiting.get(uri));
  waiting.delete(uri);
  send(uri, []);
});

connection.onHover(({ textDocument, position }) => {
  const document = documents.get(textDocument.uri);
  const found = document === undefined ? null : hover(document.getText(), position);
  return found && { range: found.range, contents: { kind: "plaintext", value: found.text } };
});

/** A door: a fault in the service is reported to the client and the server goes on with the next change. */
function publish(uri: string): void {
  waiting.delete(uri);
  const document = documents.get(uri);
  if (document === undefined) return;
  try {
    send(uri, diagnose(document.getText(), options), document.version);
  } catch (error) {
    connection.console.error(`Cannot check ${uri}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

function send(uri: string, diagnostics: ReturnType<typeof diagnose>, version?: number): void {
  connection
    .sendDiagnostics({ uri, diagnostics, ...(version !== undefined && { version }) })
    .catch((error: unknown) => connection.console.error(`Cannot report on ${uri}: ${String(error)}`));
}

documents.listen(connection);
connection.listen();
