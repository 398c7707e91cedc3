// test/e2e: a model that another extension brings, through VS Code's own model access: picked, allowed, used, stopped.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { foldHistory } from "../../src/history/fold";
import { pair } from "../../src/history/pair";
import { receiptsFrom } from "../../src/thimble/receipt";
import { bytesOf } from "../support/media";
import { sampleCopy } from "../support/sample";
import {
  choose,
  eventsOf,
  type LoggedSession,
  newSession,
  notification,
  pickerRows,
  sessionFolders,
} from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

/** Starts a session with the fixture's model, as a person does who has set none. */
async function beginWithFixture(harness: Harness, task: string): Promise<LoggedSession> {
  const before = sessionFolders(harness);
  await harness.run("Cloakroom: Start Session…");
  const rows = await pickerRows(harness, "Start Session: Model");
  assert.deepEqual(rows, ["Fixture One", "Offline Script"]);
  await choose(harness, "Fixture One");
  await harness.answer("Start Session: Task", task);
  return newSession(harness, before);
}

suite("a model of VS Code's", () => {
  const sample = sampleCopy();
  const provider = path.join(root, "test", "e2e", "fixtures", "lm-provider");
  const opened = sharedWorkbench("models", () => ({
    workspace: sample.folder,
    extensions: [root, provider],
  }));
  suiteTeardown(() => sample.remove());

  const consent = ({ page }: Harness) => page.locator(".monaco-dialog-box");

  test("without the person's consent nothing is sent, and the message says what to do", async () => {
    const harness = opened();
    const session = await beginWithFixture(harness, "Read the README");
    await consent(harness).waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "consent.png"));
    await consent(harness).getByRole("button", { name: "Cancel" }).click();
    const events = await session.ended();
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "failed");
    assert.equal(eventsOf(events, "replied")[0]?.end, "failed");
    const shown = await notification(harness, "Fixture One");
    assert.match(shown.text, /Allow Cloakroom to use it when VS Code asks, or pick another model\./);
    await harness.screenshot(path.join(root, "out", "e2e", "consent-denied.png"));
  });

  test("allowed once, it is picked, calls a tool, gets the result and answers", async () => {
    const harness = opened();
    const session = await beginWithFixture(harness, "Read the README");
    await consent(harness).getByRole("button", { name: "Allow" }).click();
    const events = await session.ended();
    assert.equal(eventsOf(events, "configured")[0]?.model.id, "fixture/one");
    const [clamped] = eventsOf(events, "clamped");
    assert.equal(clamped?.argumentsSource, "parsed");
    assert.equal(receiptsFrom(events).get(clamped?.call ?? "")?.arguments_source, "parsed");
    assert.match(eventsOf(events, "remembered")[0]?.text ?? "", /^# Harbour log/);
    const answer = eventsOf(events, "replied").at(-1)?.text ?? "";
    assert.match(answer, /^1 result of \d+ characters, tools 6\.$/);
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "answered");
    await harness.page.locator(".view-line").getByText(answer).waitFor(); // in the transcript
  });

  test("002 a model that takes images sees a picture of the workspace; the log has its name only", async () => {
    const harness = opened();
    const picture = bytesOf("image/png", 5000);
    writeFileSync(path.join(sample.folder, "picture.png"), picture);
    const session = await beginWithFixture(harness, "Look at the picture");
    const events = await session.ended();
    assert.equal(eventsOf(events, "configured")[0]?.model.abilities.images, true);
    assert.equal(eventsOf(events, "replied").at(-1)?.text, "I see image/png, 5000 bytes.");
    const [media] = eventsOf(events, "remembered")[0]?.media ?? [];
    assert.deepEqual([media?.shown, media?.bytes], ["image", 5000]);
    assert.ok(!JSON.stringify(events).includes(picture.toString("base64").slice(0, 40)));
  });

  test("Stop in the middle of a reply keeps the text so far, and the session goes on with the same model", async () => {
    const harness = opened();
    const session = await beginWithFixture(harness, "Say it slowly");
    await harness.page.locator(".view-line").getByText("word3").waitFor();
    await harness.run("Cloakroom: Stop Session");
    const events = await session.ended();
    const [replied] = eventsOf(events, "replied");
    assert.equal(replied?.end, "stopped");
    assert.match(replied?.text ?? "", /^word0 word1 word2 word3 /);
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "stopped");
    const history = foldHistory(events);
    assert.deepEqual(pair(history.messages, (call) => history.pending.get(call)).splices, []);

    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, "Say it slowly");
    await harness.answer("Continue Session", "Read the README"); // no model is asked for
    const continued = await session.ended(2);
    assert.equal(eventsOf(continued, "run_ended").at(-1)?.end, "answered");
  });

  test("its own error is shown as it is, with what to do next", async () => {
    const harness = opened();
    const session = await beginWithFixture(harness, "Please fail");
    const events = await session.ended();
    assert.equal(eventsOf(events, "run_ended")[0]?.end, "failed");
    const shown = await notification(harness, "the fixture was told to fail");
    assert.match(shown.text, /Continue the session to try again, or pick another model\./);
    assert.deepEqual(shown.buttons, ["Continue Session…", "Show Log"]);
  });
});
