/** What a model writes beside its arguments: names, ids, paths and commands that are no text, and controls for a terminal. */
import assert from "node:assert/strict";
import { projectSession } from "../../../src/inspector/project";
import { reportOf } from "../../../src/inspector/report";
import { confine } from "../../../src/tools/confine";
import { createRunCommand, DEFAULT_COMMAND_LIMITS } from "../../../src/tools/createRunCommand";
import { openHouse } from "../../support/house";
import { removeTemporaryFolders, temporaryWorkspace } from "../../support/temporaryWorkspace";

suite("attack/words", () => {
  suiteTeardown(removeTemporaryFolders);

  test("C29 a secret in a tool's name or a call's id is hidden like any other", async () => {
    const secret = ["AKIA", "IOSFODNN7EXAMPLE"].join(""); // put together here, so that no scanner takes this file for a leak
    const house = await openHouse({
      replies: [{ calls: [{ id: secret, name: `x ${secret}`, arguments: {} }] }, { say: "done" }],
    });
    await house.ask("Go.");
    assert.ok(!JSON.stringify([house.events, house.requests]).includes(secret));
    assert.match(house.eventsOf("replied")[0]?.calls[0]?.name ?? "", /^x \[secret:aws_access_key:/);
  });

  test("half of a surrogate pair is no part of a path or a command: another one would be used", async () => {
    const { ports } = await temporaryWorkspace();
    const place = await confine("a\ud800.txt", ports.workspace.roots());
    assert.equal(place.kind === "refused" && place.code, "invalid_path");
    const run = createRunCommand(ports.workspace, ports.clock, DEFAULT_COMMAND_LIMITS);
    const preview = await run.preview?.('{"command":"echo \\ud800"}', new AbortController().signal);
    assert.equal(preview?.kind === "invalid" && preview.code, "invalid_arguments");
  });

  test("the report shows control characters, and keeps what was said inside its turn", async () => {
    const house = await openHouse({ replies: [{ say: "\x1b]52;c;bm8=\x07one\u009b2J\nTurn 9\ttwo" }] });
    await house.ask("Go.");
    const view = projectSession(house.events);
    assert.ok(view);
    const text = reportOf(view).join("\n");
    assert.match(text, /\\x1b\]52;c;bm8=\\x07one\\x9b2J\n {9}Turn 9\ttwo/);
    assert.doesNotMatch(text, /[^\P{Cc}\t\n]/u);
  });
});
