// test/host: the commands for what is stored, in a real VS Code, with a person made of answers.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { DOCUMENTS } from "../../src/inspector/export/documents";
import { StoreActs } from "../../src/store/acts";
import { StoreCare } from "../../src/store/care";
import { Sessions } from "../../src/store/sessions";
import { readStoreSettings } from "../../src/vscode/settings";
import { type Dialogs, StoreCommands } from "../../src/vscode/storeCommands";
import { LONG, sessionWith } from "../support/lifetime";

const HERE = "file:///work";
const clock = { now: () => Date.now() };

suite("stored sessions", () => {
  test("each asks before it deletes, does what it says, and tells it once", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "clk-host-store-"));
    const log = vscode.window.createOutputChannel("Cloakroom test", { log: true });
    try {
      const root = path.join(folder, "store");
      const file = path.join(folder, "session.zip");
      const store = await Sessions.open(root, HERE, clock);
      const { id } = await sessionWith(store, [LONG], "A session");
      const asked: string[] = [];
      const told: string[] = [];
      const shown: (string | null)[] = [];
      let answer = false;
      let wanted = ["Archive (can be imported again)"];
      const dialogs: Dialogs = {
        confirm: async (question) => {
          asked.push(question);
          return answer;
        },
        saveFile: async (name) => (name.endsWith(".zip") ? file : path.join(folder, name)),
        choose: async (_title, choices) => choices.find(({ label }) => wanted.includes(label))?.value ?? null,
        openFile: async () => file,
        ask: async (question) => {
          asked.push(question);
          return null;
        },
        tell: async (summary, _ok, answers) => {
          told.push(summary);
          return answers.find((answer) => answer === "Open File") ?? null;
        },
      };
      const commands = new StoreCommands({
        host: new StoreActs(() =>
          StoreCare.open(root, HERE, clock, readStoreSettings(), { documents: DOCUMENTS }),
        ),
        dialogs,
        log,
        sessions: { reload: (session) => void shown.push(session) },
        commands: {
          pick: async () => ({ session: id, title: "A session" }),
          guard: (work) => work(),
        },
      });
      await commands.verify();
      await commands.exportSession();
      assert.ok((await stat(file)).size > 0);
      for (const label of ["JSON", "OpenTelemetry (OTLP JSON)", "HTML Report"]) {
        wanted = [label, "Embed Stored Results"];
        await commands.exportSession();
      }
      for (const ending of ["json", "otlp.json", "html"])
        assert.ok((await stat(path.join(folder, `cloakroom-${id}.${ending}`))).size > 0);
      assert.match(vscode.window.activeTextEditor?.document.fileName ?? "", /cloakroom-.+\.html$/);
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      wanted = [];
      await commands.exportSession(); // put aside: nothing is written or told
      await commands.importSession();
      await commands.forkSession();
      assert.equal((await store.list()).length, 3);
      await rm(file);
      await commands.exportWorkspaceSessions();
      await commands.importSession();
      assert.equal((await store.list()).length, 6);
      await commands.askForRoom();
      await commands.deleteSession();
      await commands.deleteWorkspaceSessions();
      await commands.eraseEverything();
      assert.equal((await store.list()).length, 6, "nothing is deleted without a yes");
      answer = true;
      await commands.deleteSession();
      assert.equal((await store.list()).length, 5);
      await sessionWith(await Sessions.open(root, "file:///elsewhere", clock), [LONG]);
      await commands.deleteWorkspaceSessions();
      await commands.eraseEverything();
      await commands.sweep();
      assert.equal(asked.length, 7);
      assert.match(asked[0] ?? "", /storage is full/);
      assert.match(asked[1] ?? "", /Delete the session “A session”\?/);
      assert.deepEqual(
        told.map((text) => /^Cloakroom: (\w+)/.exec(text)?.[1]),
        [
          "Everything",
          ...["Exported", "Exported", "Exported", "Exported"],
          "Imported",
          "Forked",
          "Exported",
          "Imported",
          "Deleted",
          "Deleted",
          "Deleted",
        ],
      );
      assert.equal(shown.filter((session) => session === null).length, 3);
    } finally {
      log.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("the settings of the store cannot be set by a workspace", () => {
    const manifest = vscode.extensions.getExtension("cloakroom.cloakroom")?.packageJSON;
    const properties: Record<string, { scope: string }> = manifest.contributes.configuration.properties;
    const names = Object.keys(properties).filter((name) => name.startsWith("cloakroom.store."));
    assert.equal(names.length, 5);
    for (const name of names) assert.equal(properties[name]?.scope, "machine");
    assert.deepEqual(readStoreSettings(), {
      keepSessionsDays: 30,
      limits: { maximumBytes: 2048 * 1024 * 1024, maximumEntryBytes: 64 * 1024 * 1024 },
      encryption: false,
      redisUrl: null,
    });
  });
});
