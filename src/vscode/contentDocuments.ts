/** Read-only documents with text of ours: stored results, the two sides of a proposed change, transcripts. */
import * as vscode from "vscode";

const SCHEME = "cloakroom";

/** The address of a document whose tab is named after the last part of `path`. */
export const titled = (path: string): vscode.Uri => vscode.Uri.from({ scheme: SCHEME, path: `/${path}` });

/** Text by address, in memory only. A document that was dropped reads as closed content, never as somebody else's. */
export class ContentDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration: vscode.Disposable;
  /** Asked where a document was opened before this window had its text, such as after a reload. */
  readonly #missing: (uri: vscode.Uri) => Promise<string>;

  constructor(missing: (uri: vscode.Uri) => Promise<string>) {
    this.#missing = missing;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | Promise<string> {
    return this.#texts.get(uri.toString()) ?? this.#missing(uri);
  }

  put(uri: vscode.Uri, text: string): vscode.Uri {
    if (this.#texts.get(uri.toString()) !== text) {
      this.#texts.set(uri.toString(), text);
      this.#changed.fire(uri);
    }
    return uri;
  }

  /** Opens one. Text that came while it was opening is shown as well: VS Code hears of changes to open documents only. */
  async open(uri: vscode.Uri): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    const text = this.#texts.get(uri.toString());
    if (text !== undefined && text !== document.getText()) this.#changed.fire(uri);
    return document;
  }

  drop(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
