/** What a person is asked about, as read-only documents: gone with the answer, and with the window. */
import * as vscode from "vscode";

/** Its own scheme and no file system: VS Code must not bring a tab back whose question is over. */
const SCHEME = "cloakroom-proposal";

export class ProposedDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  /** A document whose tab is named after the last part of `path`. Its text never changes. */
  put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  drop(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
