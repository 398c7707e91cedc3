// test/host: what the tools read and change through VS Code, byte for byte.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { nodeEditor } from "../../src/tools/nodeEditor";
import { openNodeWorkspace } from "../../src/tools/nodeWorkspace";
import { documentEditor, withOpenDocuments } from "../../src/vscode/editorPorts";
import { eventually, temporaryFiles } from "../support/temporaryFiles";

const editor = documentEditor(nodeEditor, []);
const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

/** VS Code may begin to watch a file only after it has changed: it is touched now and then until it is seen. */
async function shows(
  document: vscode.TextDocument,
  file: string,
  isSo: (text: string) => boolean,
): Promise<void> {
  let looks = 0;
  await eventually("the open document has it", () => {
    if (++looks % 50 === 0) utimesSync(file, new Date(), new Date());
    return isSo(document.getText());
  });
}

suite("edits through VS Code", () => {
  const files = temporaryFiles();
  let count = 0;
  const fresh = (content: string | Uint8Array) => files.write(`file${count++}.txt`, content);
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    files.remove();
  });

  const open = async (file: string) => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  };
  const type = async (document: vscode.TextDocument, text: string) => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  };

  const cases: readonly (readonly [string, string, string, BufferEncoding?])[] = [
    ["line feeds", "one\ntwo\nthree\n", "one\n2\nthree\n"],
    ["CRLF", "one\r\ntwo\r\nthree\r\n", "one\r\n2\r\nthree\r\n"],
    ["no line end at the end", "one\ntwo", "one\ntwo 2"],
    ["a byte order mark", "\ufeffone\ntwo\n", "\ufeffone\n2\n"],
    ["UTF-16", "\ufeffone\r\ntwo\r\n", "\ufeffone\r\nzwei\r\n", "utf16le"],
    ["mixed line ends", "one\r\ntwo\nthree\r\nfour\n", "one\r\n2\nthree\r\nfour\n"],
    ["emoji side by side", "a👍👎b\n", "a👍👍b\n"],
    ["trailing blanks", "one  \ntwo\t\n\n\n", "one  \n2\t\n\n\n"],
    ["nothing at all", "", "first\n"],
  ];
  for (const [name, before, after, encoding] of cases) {
    test(`${name}: every byte but the edited ones survives`, async () => {
      const file = fresh(bytes(before, encoding));
      assert.deepEqual(await editor.replace(file, before, after), { kind: "done" });
      assert.deepEqual(readFileSync(file), bytes(after, encoding));
    });
  }

  test("Undo takes an edit back, and Save writes the file as it was", async () => {
    const file = fresh("one\ntwo\n");
    const document = await open(file);
    assert.deepEqual(await editor.replace(file, "one\ntwo\n", "one\n2\n"), { kind: "done" });
    assert.equal(document.isDirty, false);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), "one\ntwo\n");
    await document.save();
    assert.equal(readFileSync(file, "utf8"), "one\ntwo\n");
  });

  test("a file with mixed line ends that is open shows the edit and stays as mixed as it was", async () => {
    const file = fresh("one\r\ntwo\nthree\r\n");
    const document = await open(file);
    assert.deepEqual(await editor.replace(file, "one\r\ntwo\nthree\r\n", "one\r\n2\nthree\r\n"), {
      kind: "done",
    });
    assert.equal(readFileSync(file, "utf8"), "one\r\n2\nthree\r\n");
    await shows(document, file, (text) => text.includes("\n2"));
    assert.equal(document.isDirty, false);
  });

  test("unsaved text is read and edited, and saved with the edit", async () => {
    const file = fresh("one\n");
    const document = await open(file);
    await type(document, "typed ");
    const workspace = withOpenDocuments(await openNodeWorkspace([{ name: "w", path: files.folder }]));
    assert.deepEqual(workspace.unsaved(), [file]);
    const read = await workspace.read(file, 1000);
    assert.equal(
      read.kind === "file" && "bytes" in read && Buffer.from(read.bytes).toString(),
      "typed one\n",
    );
    assert.deepEqual(await workspace.read(file, 5), { kind: "too_large", sizeBytes: 10 });
    assert.deepEqual(await editor.replace(file, "typed one\n", "typed 1\n"), { kind: "done" });
    assert.equal(readFileSync(file, "utf8"), "typed 1\n");
    assert.deepEqual(workspace.unsaved(), []);
  });

  test("a file that changed since is left alone, on disk and in the editor", async () => {
    const file = fresh("new\n");
    assert.deepEqual(await editor.replace(file, "old\n", "edited\n"), { kind: "changed" });
    assert.equal(readFileSync(file, "utf8"), "new\n");
    const document = await open(file);
    await type(document, "typed ");
    assert.deepEqual(await editor.replace(file, "new\n", "edited\n"), { kind: "changed" });
    assert.equal(document.getText(), "typed new\n");
    assert.equal(readFileSync(file, "utf8"), "new\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  test("a file that a command has just changed is edited as it is on disk, though VS Code still shows the old text", async () => {
    const file = fresh("old\n");
    const document = await open(file);
    files.write(path.basename(file), "newer\n");
    assert.deepEqual(await editor.replace(file, "newer\n", "newest\n"), { kind: "done" });
    assert.equal(readFileSync(file, "utf8"), "newest\n");
    await shows(document, file, (text) => text === "newest\n");
  });

  test("what cannot be saved is told, and does not stay in the editor", async () => {
    const file = fresh("one\n");
    const document = await open(file);
    rmSync(file);
    mkdirSync(file); // nothing can be written there now, whoever runs this
    const result = await editor.replace(file, "one\n", "1\n");
    assert.equal(result.kind, "unwritable");
    assert.equal(document.getText(), "one\n");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  test("a new file is made with its folders; one that is there already is not touched", async () => {
    const file = path.join(files.folder, "new folder", "new.txt");
    assert.deepEqual(await editor.replace(file, null, "first\r\nsecond\n"), { kind: "done" });
    assert.equal(readFileSync(file, "utf8"), "first\r\nsecond\n");
    assert.deepEqual(await editor.replace(file, null, "other"), { kind: "changed" });
    assert.ok(existsSync(file));
    assert.equal(readFileSync(file, "utf8"), "first\r\nsecond\n");
  });
});
