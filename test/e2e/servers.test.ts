// test/e2e: MCP servers of the user's settings, in the editor: asked for with what is sent, closed when the run ends.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { beginSession, choose, eventsOf, isAlive, notification, pickerRows, until } from "../support/session";
import { sharedWorkbench } from "../support/workbench";

suite("MCP servers", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const pids = path.join(sample.folder, "pids");
  const program = path.join(root, "test", "support", "mcp", "fakeServer.mjs");
  const server = (mode: string) => ({ command: "node", args: [program, mode], env: { PIDS: pids } });
  const opened = sharedWorkbench("servers", () => ({
    workspace: sample.folder,
    settings: {
      ...script.settings,
      "cloakroom.mcp.servers": { stubborn: server("stays"), broken: server("exits at once") },
    },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });

  test("a call is shown with its arguments and asked for; a broken server is named; no process is left", async () => {
    const harness = opened();
    const long = `to all ${"a".repeat(100)}`;
    const calls = [{ greeting: "ahoy" }, { greeting: long }].map((given) => calling("stubborn__say", given));
    script.write([...calls, { say: "Done." }]);
    const session = await beginSession(harness, "Greet them");
    await notification(harness, /The MCP server broken ended by itself/);
    const title = "Cloakroom: Allow say of the MCP server stubborn?";
    const rows = await pickerRows(harness, title);
    assert.deepEqual(rows, ["Allow Once", "Allow stubborn__say in This Session", "Deny"]);
    await harness.page.locator(".quick-input-list").getByText('{"greeting":"ahoy"}').waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "ask-server.png"));
    await choose(harness, "Allow Once");
    // The first result came from outside: it is no longer offered to stop asking.
    const again = await until("it is asked again, with the whole call in the editor", async () => {
      const shown = await pickerRows(harness, title);
      return shown.length === 2 ? shown : null;
    });
    assert.deepEqual(again, ["Allow Once", "Deny"]);
    await harness.page.locator(".view-line").getByText('"greeting": "to all').waitFor();
    await choose(harness, "Deny");
    const events = await session.ended();
    assert.deepEqual(
      eventsOf(events, "authorised").map(({ granted }) => granted),
      [true, false],
    );
    assert.match(eventsOf(events, "remembered")[0]?.text ?? "", /\{"greeting":"ahoy"\}/);
    assert.equal(eventsOf(events, "configured")[0]?.tools.at(-1)?.origin?.server, "fake-server");
    const started = readFileSync(pids, "utf8").split(" ").map(Number);
    assert.equal(started.length, 2);
    await until("both processes are gone", () => !started.some(isAlive)); // they ignore every wish to end
  });
});
