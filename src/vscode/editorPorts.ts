/** The tools' Workspace and Editor ports in VS Code: unsaved text is what is read, and every edit can be undone. */
import * as vscode from "vscode";

type FileRead = { readonly kind: "file"; readonly bytes: Uint8Array } | { readonly kind: string };
type BaseWorkspace<Read> = {
  roots(): readonly { readonly name: string; readonly path: string }[];
  read(path: string, maxBytes: number): Promise<Read>;
  unsaved(): readonly string[];
};

/**
 * Between paths as the tools have them (real, links resolved) and as VS Code shows them: a workspace may be opened
 * through a link, and then its documents carry the link's name.
 */
class Paths {
  readonly #places: readonly { readonly real: string; readonly shown: string }[];

  constructor(roots: readonly { readonly name: string; readonly path: string }[]) {
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.#places = roots.map(({ name, path }) => ({
      real: path,
      shown: folders.find((folder) => folder.name === name)?.uri.fsPath ?? path,
    }));
  }

  real(shown: string): string {
    return moved(
      shown,
      this.#places.map((place) => [place.shown, place.real]),
    );
  }

  shown(real: string): string {
    return moved(
      real,
      this.#places.map((place) => [place.real, place.shown]),
    );
  }
}

function moved(path: string, pairs: readonly (readonly [string, string])[]): string {
  for (const [from, to] of pairs) {
    if (path === from || (path.startsWith(from) && /[\\/]/.test(path.charAt(from.length))))
      return to + path.slice(from.length);
  }
  return path;
}

/** Answers for open documents with unsaved changes, and leaves the rest to `base`. */
export function withOpenDocuments<Read extends FileRead>(
  base: BaseWorkspace<Read>,
): BaseWorkspace<Read | { kind: "file"; bytes: Uint8Array } | { kind: "too_large"; sizeBytes: number }> {
  const paths = new Paths(base.roots());
  const dirty = () =>
    vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === "file");
  return {
    roots: () => base.roots(),
    unsaved: () => dirty().map(({ uri }) => paths.real(uri.fsPath)),
    read: async (path, maxBytes) => {
      const open = dirty().find(({ uri }) => paths.real(uri.fsPath) === path);
      if (!open) return base.read(path, maxBytes);
      const bytes = await vscode.workspace.encode(open.getText(), { encoding: open.encoding });
      return bytes.length > maxBytes
        ? { kind: "too_large", sizeBytes: bytes.length }
        : { kind: "file", bytes };
    },
  };
}

export type EditResult =
  | { readonly kind: "done" }
  | { readonly kind: "changed" }
  | { readonly kind: "unwritable"; readonly reason: string };

type Editor = { replace(path: string, before: string | null, after: string): Promise<EditResult> };

/**
 * Edits through VS Code's own undo stack, then saves. `before` null: the file must not exist yet. `disk` writes the
 * files that VS Code holds differently from their bytes, such as those with mixed line ends: a save would change them all.
 */
export function documentEditor(
  disk: Editor,
  roots: readonly { readonly name: string; readonly path: string }[],
): Editor {
  const paths = new Paths(roots);
  return {
    async replace(path, before, after) {
      const uri = vscode.Uri.file(paths.shown(path));
      if (before === null) return createFile(uri, after);
      const document = await vscode.workspace.openTextDocument(uri);
      const text = document.getText();
      if (text !== asDocument(before, document) || hasMixedLineEnds(before)) {
        return document.isDirty ? { kind: "changed" } : disk.replace(path, before, after);
      }
      const { start, end, replacement } = difference(text, asDocument(after, document));
      const change = (from: number, to: number, by: string) => {
        const edit = new vscode.WorkspaceEdit();
        edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), by);
        return vscode.workspace.applyEdit(edit);
      };
      if (!(await change(start, end, replacement))) return refused;
      const reason = await saveProblem(document);
      if (reason === null) return { kind: "done" };
      await change(start, start + replacement.length, text.slice(start, end)); // nothing was written: nothing stays
      return { kind: "unwritable", reason };
    },
  };
}

async function createFile(uri: vscode.Uri, text: string): Promise<EditResult> {
  if (await exists(uri)) return { kind: "changed" };
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: new TextEncoder().encode(text) });
  return (await vscode.workspace.applyEdit(edit)) ? { kind: "done" } : refused;
}

/** Null when the document is on disk, else why it is not. */
async function saveProblem(document: vscode.TextDocument): Promise<string | null> {
  try {
    return (await document.save()) ? null : "VS Code could not save it";
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

const refused: EditResult = { kind: "unwritable", reason: "VS Code did not apply the edit" };

const hasMixedLineEnds = (text: string): boolean => new Set(text.match(/\r\n|\r|\n/g)).size > 1;

/** The smallest single replacement, so that cursors, folds and undo stay where they are. Offsets in code units. */
export function difference(
  before: string,
  after: string,
): { start: number; end: number; replacement: string } {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  while (start > 0 && (isInsidePair(before, start) || isInsidePair(after, start))) start--;
  let tail = 0;
  while (tail < shortest - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  while (tail > 0 && (isInsidePair(before, before.length - tail) || isInsidePair(after, after.length - tail)))
    tail--;
  return { start, end: before.length - tail, replacement: after.slice(start, after.length - tail) };
}

/** Between the halves of a CRLF or of a surrogate pair, where an editor has no position. */
function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return (
    (before === 13 && after === 10) ||
    (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff)
  );
}

/** A file's text as VS Code holds it: without the byte order mark, and with one kind of line end throughout. */
function asDocument(text: string, document: vscode.TextDocument): string {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  return body.replace(/\r\n|\r|\n/g, document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (cause) {
    if (cause instanceof vscode.FileSystemError && cause.code === "FileNotFound") return false;
    throw cause;
  }
}
