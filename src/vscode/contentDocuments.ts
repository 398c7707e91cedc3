/** Read-only documents with text of ours: stored results and transcripts. */
import * as vscode from "vscode";

const SCHEME = "cloakroom";
const BYTE_ORDER_MARK = "\ufeff"; // says UTF-8, whatever encoding the person has chosen for files; the editor hides it

/** The address of a document whose tab is named after the last part of `path`. */
export const titled = (path: string): vscode.Uri => vscode.Uri.from({ scheme: SCHEME, path: `/${path}` });

type Entry = { readonly bytes: Uint8Array; readonly text: string; readonly changedAt: number };

/**
 * Text by address, in memory only. A read-only file system and not a content provider: VS Code keeps the tabs of files
 * over a reload, and wakes the extension for them.
 */
export class ContentDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration: vscode.Disposable;
  /** Asked where a document was opened before this window had its text, such as after a reload. */
  readonly #missing: (uri: vscode.Uri) => Promise<string>;
  #changedAt = 0;

  constructor(missing: (uri: vscode.Uri) => Promise<string>) {
    this.#missing = missing;
    this.#registration = vscode.workspace.registerFileSystemProvider(SCHEME, this, {
      isCaseSensitive: true,
      isReadonly: new vscode.MarkdownString("Cloakroom only shows this: it cannot be edited."),
    });
  }

  /** Shows `text` at that address, also where it is open already. */
  put(uri: vscode.Uri, text: string): vscode.Uri {
    if (this.#entries.get(uri.toString())?.text === text) return uri;
    this.#keep(uri, text);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return uri;
  }

  /** Opens one. Text that came while it was opening is shown as well. */
  async open(uri: vscode.Uri): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    const entry = this.#entries.get(uri.toString());
    if (entry && entry.text.length !== document.getText().length)
      this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return document;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changedAt } = await this.#entry(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: changedAt, size: bytes.length };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#entry(uri)).bytes;
  }

  /** Every change is ours, and told. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  async #entry(uri: vscode.Uri): Promise<Entry> {
    const known = this.#entries.get(uri.toString());
    if (known) return known;
    const text = await this.#missing(uri);
    return this.#entries.get(uri.toString()) ?? this.#keep(uri, text);
  }

  /** Each text is newer than the one before it: that is how VS Code sees that it has to read again. */
  #keep(uri: vscode.Uri, text: string): Entry {
    this.#changedAt = Math.max(Date.now(), this.#changedAt + 1);
    const bytes = new TextEncoder().encode(BYTE_ORDER_MARK + text);
    const entry = { bytes, text, changedAt: this.#changedAt };
    this.#entries.set(uri.toString(), entry);
    return entry;
  }
}
