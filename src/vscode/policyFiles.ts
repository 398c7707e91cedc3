/** The policy files that are in force besides the built-in ones: the user's, and the workspace's where it is trusted. */
import * as vscode from "vscode";
import { Failure } from "../schema/failure";
import { workspaceFolders } from "./workspaceFolders";

export type PolicyFile = {
  readonly layer: "user" | "workspace";
  readonly label: string;
  readonly path: string;
  readonly text: string;
};

/** Throws `settings-invalid` where the user's file cannot be read. Absent files of the workspace are none. */
export async function readPolicyFiles(
  userFile: string,
  isTrusted = vscode.workspace.isTrusted,
): Promise<readonly PolicyFile[]> {
  const files: PolicyFile[] = [];
  if (userFile !== "") {
    const text = await textAt(vscode.Uri.file(userFile));
    if (text === null)
      throw new Failure(
        "settings-invalid",
        `Setting cloakroom.resultLimits.policyFile: ${userFile} cannot be read. Change it in Settings, then start again.`,
        { field: "resultLimits.policyFile" },
      );
    files.push({ layer: "user", label: userFile, path: userFile, text });
  }
  if (!isTrusted) return files;
  for (const { name, path } of workspaceFolders()) {
    const uri = vscode.Uri.joinPath(vscode.Uri.file(path), ".vscode", "thimble.json");
    const text = await textAt(uri);
    const label = `${name}/.vscode/thimble.json`;
    if (text !== null) files.push({ layer: "workspace", label, path: uri.fsPath, text });
  }
  return files;
}

/** What is saved, not what is being typed. Null where there is none that can be read. */
async function textAt(uri: vscode.Uri): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await vscode.workspace.fs.readFile(uri));
  } catch (cause) {
    if (cause instanceof vscode.FileSystemError) return null;
    throw cause;
  }
}
