// test/e2e: what goes wrong is said once, with the next thing to do; nothing is half made and nothing is lost.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import {
  beginSession,
  changeSettings,
  choose,
  clearNotifications,
  eventsOf,
  notification,
  openInspector,
  sessionFolders,
  startIsPossible,
  startIsRefused,
} from "../support/session";
import { sharedWorkbench } from "../support/workbench";

suite("what goes wrong in VS Code", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const opened = sharedWorkbench("failures", () => ({ workspace: sample.folder, settings: script.settings }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });

  test("files that cannot be read are told to the model, and the run goes on", async () => {
    const harness = opened();
    writeFileSync(path.join(sample.folder, "picture.png"), Buffer.from("89504e470d0a1a0a00", "hex"));
    symlinkSync("circle", path.join(sample.folder, "circle"));
    const read = (name: string) => ({ name: "read_file", arguments: { path: name } });
    script.write([
      { calls: [read("picture.png"), read("nothing.txt"), read("circle"), read("src"), read("../secret")] },
      { say: "None of them." },
    ]);
    const session = await beginSession(harness, "Read them all");
    const events = await session.ended();
    const told = eventsOf(events, "remembered")
      .sort((a, b) => (a.call < b.call ? -1 : 1)) // reads run side by side
      .map(({ text, media = [], isError }) => [
        isError,
        [text, ...media.map((part) => (part.shown === "line" ? part.text : ""))].join(""),
      ]);
    assert.deepEqual(
      told.map(([isError]) => isError),
      [false, true, true, true, true], // an image is stored, whatever this model can be shown
    );
    const expected = [
      /Not shown: image\/png from read_file, 9 bytes, .*this model takes no images/,
      /There is no file "nothing\.txt"\. Call list_files/,
      /"circle" cannot be resolved \(ELOOP\)/,
      /"src" is a folder\. Call list_files/,
      /is outside the workspace/,
    ];
    for (const [at, pattern] of expected.entries()) assert.match(String(told[at]?.[1]), pattern);
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "answered");
  });

  test("a model that fails is reported, its log closed, and Continue Session… goes on", async () => {
    const harness = opened();
    const failure = "The quota is used up. See [the plans](command:workbench.action.quit).";
    script.write([{ say: "I begin", fail: failure }], [{ say: "Better now." }]);
    const session = await beginSession(harness, "Do it");
    const events = await session.ended();
    assert.deepEqual(
      [eventsOf(events, "run_ended")[0]?.end, eventsOf(events, "replied")[0]?.text],
      ["failed", "I begin"],
    );
    const shown = await notification(harness, "The quota is used up.");
    assert.equal(await harness.page.locator(".notification-list-item-message a").count(), 0); // text, not a link
    assert.deepEqual(shown.buttons, ["Continue Session…", "Show Log"]);
    await harness.screenshot(path.join(root, "out", "e2e", "model-failed.png"));
    await shown.press("Continue Session…");
    await harness.answer("Continue Session", "Try again");
    const continued = await session.ended(2);
    assert.equal(eventsOf(continued, "run_ended").at(-1)?.end, "answered");
    assert.equal(eventsOf(continued, "replied").at(-1)?.text, "Better now.");
  });

  test("a lost index and a torn log are mended and said, and the session goes on", async () => {
    const harness = opened();
    script.write(
      [calling("read_file", { path: SAMPLE_FACT.file }), { say: "It is stored." }],
      [calling("fetch_result", { handle: "{{handle:read_file}}" }), { say: "Still there." }],
    );
    const session = await beginSession(harness, "Read the agreement");
    await session.ended();
    const index = path.join(session.folder, "claims.json");
    rmSync(index);
    appendFileSync(path.join(session.folder, "log.jsonl"), '{"n":99,"type":"asked","te');
    const frame = await openInspector(harness);
    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, "Read the agreement");
    await harness.answer("Continue Session", "Is it still there?");
    const events = await session.ended(2);
    assert.equal(eventsOf(events, "redeemed").length, 1);
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "answered");
    assert.ok(existsSync(index));
    await showRow(frame, /^Turn 2/); // it was the newest when the session was opened
    await frame.getByText(/The session log was mended/).waitFor();
    await frame.getByText(/The index of stored results was rebuilt/).waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "mended.png"));
  });

  test("settings that cannot be used are named before anything is asked or made", async () => {
    const harness = opened();
    const before = sessionFolders(harness);
    const cases = [
      [
        { "cloakroom.claimCheck.headChars": 5000 },
        /cloakroom\.claimCheck\.headChars must be below thresholdChars/,
      ],
      [{ "cloakroom.claimCheck.headChars": "many" }, /cloakroom\.claimCheck\.headChars: .*number/],
      [
        { "cloakroom.claimCheck.exclude": ["no_tool"] },
        /cloakroom\.claimCheck\.exclude names a tool that does not exist/,
      ],
      [
        { "cloakroom.commandTimeoutSeconds": 1e9 },
        /cloakroom\.commandTimeoutSeconds: must be a whole number/,
      ],
      [
        { "cloakroom.scriptedModel.script": "/nowhere.json" },
        /The script \/nowhere\.json \(cloakroom\.scriptedModel\.script\) cannot be read \(ENOENT\)/,
      ],
    ] as const;
    for (const [setting, words] of cases) {
      changeSettings(harness, setting);
      const shown = await startIsRefused(harness, words);
      assert.deepEqual(shown.buttons, ["Open Settings"]);
      const undone = Object.fromEntries(Object.keys(setting).map((key) => [key, undefined]));
      changeSettings(harness, { ...undone, ...script.settings });
      await clearNotifications(harness);
    }
    await startIsPossible(harness);
    assert.deepEqual(sessionFolders(harness), before);
  });

  test("a model that is not there is named, and Open Settings shows where it is set", async () => {
    const harness = opened();
    changeSettings(harness, { "cloakroom.model": "nobody/none" });
    await harness.reload(); // the user's own settings are read when a window opens
    const shown = await startIsRefused(
      harness,
      /The model nobody\/none \(cloakroom\.model\) is not available/,
    );
    await harness.screenshot(path.join(root, "out", "e2e", "model-missing.png"));
    await shown.press("Open Settings");
    const label = harness.page.locator(".settings-editor .setting-item-label");
    await label.getByText("Model", { exact: true }).waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "open-settings.png"));
    changeSettings(harness, script.settings);
  });

  test("a storage folder that cannot be written is named, and the window goes on", async () => {
    const harness = opened();
    const storage = path.join(harness.userData, "User", "globalStorage", "cloakroom.cloakroom");
    rmSync(storage, { recursive: true, force: true });
    writeFileSync(storage, "in the way");
    const words =
      /cannot write to its storage folder .*cloakroom\.cloakroom \((EEXIST|ENOTDIR)\)\. Check its permissions/;
    const shown = await startIsRefused(harness, words);
    assert.deepEqual(shown.buttons, ["Show Log"]);
    await harness.reload(); // with nothing remembered, the inspector has nothing to show
    const frame = await harness.webview("#problem");
    await frame.getByText(words).waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "storage.png"));
    assert.equal(readFileSync(storage, "utf8"), "in the way");
    rmSync(storage);
    await startIsPossible(harness);
  });

  test("without a folder a start offers to open one", async () => {
    const harness = opened();
    await harness.open();
    await harness.run("Cloakroom: Start Session…");
    const shown = await notification(harness, "Open a folder first: the agent's tools work in it.");
    assert.deepEqual(shown.buttons, ["Open Folder"]);
    await harness.screenshot(path.join(root, "out", "e2e", "no-folder.png"));
    await shown.press("Open Folder");
    await harness.page.locator(".quick-input-widget").getByText("Open Folder").first().waitFor();
  });
});
