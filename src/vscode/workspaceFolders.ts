/** The open workspace: its folders, and its identity as a tenant of the store. */
import * as vscode from "vscode";

export function workspaceFolders(): readonly { readonly name: string; readonly path: string }[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file") // others have no path that a tool could open
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

/** The folders' addresses, or the workspace file's: the same workspace is the same tenant in every window. */
export function workspaceIdentity(): string {
  const file = vscode.workspace.workspaceFile;
  const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri.toString()) ?? [];
  return file && file.scheme !== "untitled" ? file.toString() : folders.sort().join("\n");
}
