// test/host: the extension inside a real VS Code.
import assert from "node:assert/strict";
import * as vscode from "vscode";

suite("the extension", () => {
  test("stays asleep until something of it is used", () => {
    assert.equal(vscode.extensions.getExtension("cloakroom.cloakroom")?.isActive, false);
  });

  test("wakes for a document of its own, and says where its session is gone", async () => {
    const gone = vscode.Uri.parse("cloakroom:/transcript/20200101-000000-00000000/Gone.md");
    await assert.rejects(async () => vscode.workspace.openTextDocument(gone), /no longer on disk/);
    assert.equal(vscode.extensions.getExtension("cloakroom.cloakroom")?.isActive, true);
  });

  test("uses no proposed API", () => {
    const manifest = vscode.extensions.getExtension("cloakroom.cloakroom")?.packageJSON;
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  test("offers every command of its manifest", async () => {
    const extension = vscode.extensions.getExtension("cloakroom.cloakroom");
    await extension?.activate();
    const contributed: { command: string }[] = extension?.packageJSON.contributes.commands;
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
  });
});
