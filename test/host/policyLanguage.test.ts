// test/host: thimble.json in the editor. VS Code checks its schema, our server says what a schema cannot.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";
import { eventually, temporaryFiles } from "../support/temporaryFiles";
import { artifactWith, contractWith } from "../support/thimble";

const textWith = (...contracts: object[]): string =>
  JSON.stringify(artifactWith(contracts.map(contractWith)), null, 2);

/** Of the processes that this extension host has started. */
function commandLines(): string[] {
  const ours = `${process.pid}`;
  if (!existsSync("/proc/self/stat")) {
    const rows = execFileSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" }).split("\n");
    return rows.map((row) => row.trim()).filter((row) => row.startsWith(`${ours} `));
  }
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return parent === ours ? [readFileSync(`/proc/${pid}/cmdline`, "utf8")] : [];
    } catch {
      return []; // it ended while we looked
    }
  });
}

suite("a policy file in the editor", () => {
  const files = temporaryFiles();
  const servers = () => commandLines().filter((line) => line.includes("languageServer.cjs")).length;
  const open = async (name: string, text: string) => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(files.write(name, text)));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  };
  const diagnostics = (document: vscode.TextDocument) => vscode.languages.getDiagnostics(document.uri);
  const covered = (document: vscode.TextDocument, { range }: vscode.Diagnostic) => document.getText(range);

  suiteSetup(() => vscode.extensions.getExtension("cloakroom.cloakroom")?.activate());
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    files.remove();
  });

  test("another JSON file does not start the server", async () => {
    const document = await open("other.json", '{ "kind": }');
    await eventually("VS Code has checked it", () => diagnostics(document).length > 0);
    assert.equal(servers(), 0);
    assert.deepEqual(
      diagnostics(document).filter(({ source }) => source === "thimble"),
      [],
    );
  });

  test("a duplicate contract and a wrong value are reported where they stand, each by the one who knows", async () => {
    const twice = textWith({ argument: "/per_page" }, { argument: "/per_page" });
    const document = await open("thimble.json", twice);
    const told = async (text: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    };
    const picture = () =>
      diagnostics(document).map((found) => `${found.source ?? "json"} ${covered(document, found)}`);
    await eventually("our server has spoken", () => picture().includes('thimble "/per_page"'));
    assert.deepEqual(picture(), ['thimble "/per_page"']);
    const at = diagnostics(document)[0]?.range.start;
    assert.equal(at && document.offsetAt(at), twice.lastIndexOf('"/per_page"')); // the second one is one too many
    await told(twice.replace('"enforce"', '"strict"'));
    await eventually("VS Code has spoken", () => picture().includes('json "strict"'));
    await vscode.commands.executeCommand("workbench.action.files.revert");
    assert.equal(servers(), 1);
  });

  test("a mended file has no problems left, and a new one is found while it is typed", async () => {
    const document = await open("typed.thimble.json", textWith({}));
    const replaceAll = async (text: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    };
    await replaceAll(textWith({ maximum: 20, range: { maximum: 15 } }));
    const [found] = await eventually("it is found", () => {
      const ours = diagnostics(document).filter(({ source }) => source === "thimble");
      return ours.length > 0 ? ours : null;
    });
    assert.equal(found?.code, "ceiling_above_range");
    assert.equal(found && covered(document, found), "20");
    await replaceAll(textWith({}));
    await eventually("it is gone", () => diagnostics(document).length === 0);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  test("completion offers a contract's fields with their descriptions", async () => {
    const document = await open("fields.thimble.json", textWith({}).replace('"tool"', '"t"'));
    const at = document.positionAt(document.getText().indexOf('"t"') + 1);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      document.uri,
      at,
    );
    const labels = items.map(({ label }) => (typeof label === "string" ? label : label.label));
    for (const field of ["tool", "aliases", "range", "continuation", "schema_sha256"])
      assert.ok(labels.includes(field), `${field} is not among ${labels}`);
  });
});
