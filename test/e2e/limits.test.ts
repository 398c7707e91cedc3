// test/e2e: where a session's limits come from, as a person meets it: a workspace's policy, intents, exemptions, a review.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import type { Logged } from "../../src/schema/event";
import { receiptsFrom } from "../../src/thimble/receipt";
import { showRow } from "../support/inspectorRows";
import { SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, type Replies, scriptFile } from "../support/scriptFile";
import {
  beginSession,
  choose,
  clearNotifications,
  type LoggedSession,
  newSession,
  notification,
  openInspector,
  pickerRows,
  sessionFolders,
  startSession,
  until,
} from "../support/session";
import { artifactWith, contractWith } from "../support/thimble";
import { type Harness, sharedWorkbench } from "../support/workbench";

const SEARCH = calling("search_text", { query: SAMPLE_WORD, limit: 500 });
const DONE: Replies = [SEARCH, { say: "Done." }];
const TASK = "Find the high waters";
const FILE = "harbour-log/.vscode/thimble.json";

const POLICY = artifactWith(
  [contractWith({ tool: "search_text", maximum: 3, continuation: { kind: "offset", argument: "/offset" } })],
  { name: "harbour/limits" },
);

/** Of every search of the session: what was decided, why, how many came back, and by whose word. */
const decisions = (events: readonly Logged[]) =>
  [...receiptsFrom(events).values()].map(({ decision, reason, actual, exemption }) => [
    decision,
    reason,
    actual?.items ?? null,
    exemption,
  ]);

/** What stands in the box that asks for a new session's task, which stays open. */
async function offeredTask(harness: Harness): Promise<string> {
  await harness.run("Cloakroom: Start Session…");
  const box = harness.page.locator(".quick-input-widget").filter({ hasText: "Start Session: Task" });
  await box.waitFor();
  return box.locator(".quick-input-box input").inputValue();
}

suite("where limits come from", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const opened = sharedWorkbench("limits", () => ({
    workspace: sample.folder,
    settings: { ...script.settings, "cloakroom.resultLimits.mode": "enforce" },
    viewport: { width: 1440, height: 900 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });
  let session: LoggedSession;
  let frame: Frame;
  let runs = 0;

  const save = (text: string) => {
    mkdirSync(path.join(sample.folder, ".vscode"), { recursive: true });
    writeFileSync(path.join(sample.folder, ".vscode", "thimble.json"), text);
  };
  const shot = (harness: Harness, name: string) =>
    harness.screenshot(path.join(root, "out", "e2e", `limits-${name}.png`));

  /** A new session with the conversations that will be asked for, one each. */
  async function begin(harness: Harness, ...conversations: Replies[]): Promise<readonly Logged[]> {
    script.write(...conversations);
    session = await beginSession(harness, TASK);
    runs = 1;
    return session.ended(runs);
  }

  /** Goes on with it, and returns what the new run decided. */
  async function goOn(harness: Harness) {
    const before = session.events;
    await askToGoOn(harness);
    return decisions(await session.ended(++runs)).slice(decisions(before).length);
  }

  async function askToGoOn(harness: Harness): Promise<void> {
    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, TASK);
    await harness.answer("Continue Session", "And once more");
  }

  /** The picker with that title: a picture of it, and the row to choose. */
  async function pick(harness: Harness, title: string | RegExp, label: string, picture?: string) {
    const rows = await until(`the picker ${title} offers ${label}`, async () => {
      const shown = await pickerRows(harness, title);
      return shown.includes(label) ? shown : null;
    });
    if (picture) await shot(harness, picture);
    await choose(harness, label);
    return rows;
  }

  const inspectorSays = (words: string | RegExp) =>
    frame.getByRole("treeitem", { name: words }).first().waitFor();
  const told = ({ page }: Harness, words: string) => page.locator(".statusbar").getByText(words).waitFor();

  test("a workspace's policy takes no other's place until it is allowed, then the tool receives its count", async () => {
    const harness = opened();
    save(JSON.stringify(POLICY));
    frame = await openInspector(harness);
    const events = await begin(harness, DONE, DONE, DONE, [SEARCH, ...DONE], DONE);
    assert.deepEqual(decisions(events), [["clamp", "requested_items_above_policy_maximum", 10, null]]); // the built-in one
    await inspectorSays(`Only observes, ${FILE}. Its rules are not approved on this machine.`);
    await shot(harness, "observes");
    await harness.run("Cloakroom: Allow Workspace Policy to Enforce…");
    const dialog = harness.page.locator(".monaco-dialog-box");
    await dialog.getByText(`Let ${FILE} lower result counts on this machine?`).waitFor();
    await dialog.getByText("search_text /limit: at most 3").waitFor();
    await shot(harness, "allow");
    await dialog.getByRole("button", { name: "Allow", exact: true }).click();
    await told(harness, `Allowed: ${FILE}`);
    assert.deepEqual(await goOn(harness), [["clamp", "requested_items_above_policy_maximum", 3, null]]);
    await frame.getByRole("treeitem", { name: /^Only observes/ }).waitFor({ state: "detached" });
    await shot(harness, "allowed");
  });

  test("with an intent nothing is lowered; the receipt and the inspector say so", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Set Intent…");
    assert.deepEqual(await pick(harness, "Set Intent", TASK, "intent-session"), [TASK, "The Next Session"]);
    await pick(harness, `Set Intent: ${TASK}`, "Exhaustive", "intent");
    await told(harness, "Intent: Exhaustive, from the next run on");
    assert.deepEqual(await goOn(harness), [["pass", "structured_intent", 500, "intent:exhaustive"]]);
    await inspectorSays("Intent, exhaustive. No result count is lowered.");
    await frame.getByRole("treeitem", { name: /^Turn 6/ }).waitFor(); // the newest turn is open, others are not
    await showRow(frame, /^Turn 5/);
    await showRow(frame, /^search_text/);
    await frame
      .getByRole("treeitem", { name: /^Receipt/ })
      .first()
      .click();
    await shot(harness, "intent-inspector");
    await harness.run("Cloakroom: Set Intent…");
    await pick(harness, "Set Intent", TASK);
    await pick(harness, `Set Intent: ${TASK}`, "None");
    await told(harness, "Intent: None");
  });

  test("one call is exempt, with a reason; the one after it is lowered", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Exempt from Result Limits…");
    await pick(harness, "Exempt from Result Limits", TASK);
    await pick(harness, `Exempt from Result Limits: ${TASK}`, "One Call of a Tool", "exempt-scope");
    await pick(harness, "Exempt from Result Limits: Tool", "search_text", "exempt-tool");
    const reason = "Exempt from Result Limits: Reason";
    await harness.page.getByText(reason, { exact: true }).waitFor();
    await shot(harness, "exempt-reason");
    await harness.answer(reason, "The audit needs them all");
    await pick(harness, "Exempt from Result Limits: How Long", "One Hour", "exempt-until");
    await told(harness, "Exempt: One call of search_text");
    const [first, second, ...others] = await goOn(harness);
    assert.deepEqual(first?.slice(0, 3), ["pass", "exempt", 500]);
    assert.match(String(first?.[3]), /^exemption-/);
    assert.deepEqual(second, ["clamp", "requested_items_above_policy_maximum", 3, null]);
    assert.deepEqual(others, []);
    await inspectorSays(/^Exempt, one call of search_text for 60 minutes more\. .+: The audit/);
    await shot(harness, "exempt-inspector");
    await harness.run("Cloakroom: Remove Exemption…");
    await pick(harness, "Remove Exemption", TASK);
    await pick(harness, `Remove Exemption: ${TASK}`, "One call of search_text", "exempt-remove");
    await told(harness, "No longer exempt: One call of search_text");
  });

  test("a half-saved policy: the session keeps the one it has, and says where the file is wrong", async () => {
    const harness = opened();
    save(JSON.stringify(POLICY, null, 2).slice(0, 160));
    assert.deepEqual(await goOn(harness), [["clamp", "requested_items_above_policy_maximum", 3, null]]);
    await inspectorSays(/^Not used, .*thimble\.json, line \d+, column \d+\. Expected/);
    await inspectorSays("Kept, the policy that the session had.");
    await shot(harness, "half-saved");
    await harness.run("Cloakroom: Allow Workspace Policy to Enforce…");
    const fault = await notification(harness, /Not used: .*thimble\.json, line \d+, column \d+\. Expected/);
    await harness.page.getByRole("button", { name: "Open File", exact: true }).hover(); // has slid in
    await shot(harness, "half-saved-allow");
    await fault.press("Open File");
    await harness.page.locator(".tab.active").filter({ hasText: "thimble.json" }).waitFor();
    await clearNotifications(harness);
  });

  test("a policy of a later version is not enforced: nothing starts, unless it is to be observed", async () => {
    const harness = opened();
    save(JSON.stringify({ ...POLICY, version: "2.0.0" }));
    script.write(DONE);
    const before = sessionFolders(harness);
    await startSession(harness, "Look again");
    const warning = await notification(
      harness,
      /thimble\.json is of a later version than this Cloakroom knows/,
    );
    await harness.page.getByRole("button", { name: "Continue in Observe", exact: true }).hover(); // has slid in
    await shot(harness, "later-version");
    assert.deepEqual(warning.buttons, ["Continue in Observe"]);
    assert.deepEqual(sessionFolders(harness), before, "no session was begun");
    await clearNotifications(harness); // put aside: what was typed is there again
    assert.equal(await offeredTask(harness), "Look again");
    await harness.page.keyboard.press("Enter");
    const again = await notification(harness, /thimble\.json is of a later version/);
    await again.press("Continue in Observe");
    session = await newSession(harness, before);
    assert.deepEqual(decisions(await session.ended()), [["pass", "observe_only", 500, null]]);
    await inspectorSays(/^Not used, .*thimble\.json, line 1, column \d+\. Version 2 policies/);
    await shot(harness, "later-version-observed");
    save(JSON.stringify(POLICY));
    assert.equal(await offeredTask(harness), "", "it was used");
    await harness.page.keyboard.press("Escape");
  });

  test("a review shows what each contract would have lowered; what is decided counts from the next run on", async () => {
    const harness = opened();
    save(JSON.stringify(POLICY));
    await begin(harness, DONE, DONE, DONE);
    const review = async (label: string, why: string, picture: string) => {
      await harness.run("Cloakroom: Review Result Limits…");
      await pickerRows(harness, "Review Result Limits");
      await harness.page.locator(".quick-input-list").getByText("search_text /limit").first().waitFor();
      await shot(harness, picture);
      const rows = await harness.page.locator(".quick-input-list .monaco-list-row").allInnerTexts();
      await choose(harness, "search_text /limit");
      await pick(harness, "Review Result Limits: search_text /limit", label, `${picture}-mode`);
      const reason = `${label} search_text /limit: Reason`;
      await harness.page.getByText(reason, { exact: true }).waitFor();
      await shot(harness, `${picture}-reason`);
      await harness.answer(reason, why);
      await told(harness, `${label}: search_text /limit`);
      return rows.map((row) => row.replace("/limit", "/limit ").replace(/\s+/g, " "));
    };
    const rows = await review("Observe", "Too few for us", "review");
    const [first, ...others] = rows;
    const row = `search_text /limit Enforce · ${FILE} 7 calls, 2 sessions · 5 lowered · 2,500 → 22 items · `;
    assert.ok(first?.startsWith(row), first);
    assert.match(first ?? "", /\d+ false clamps \(/);
    assert.deepEqual(others, [
      "search_text /limit Enforce · built in 1 call, 1 session · 1 proposed · 500 → 10 items · no false clamp",
      "list_files /limit Enforce · built in No calls, 3 sessions",
    ]);
    assert.deepEqual(await goOn(harness), [["pass", "observe_only", 500, null]]);
    const again = await review("Enforce", "They can go on", "review-again");
    assert.match(again[0] ?? "", /^search_text \/limit Observe · .* 8 calls, 2 sessions/);
    assert.deepEqual(await goOn(harness), [["clamp", "requested_items_above_policy_maximum", 3, null]]);
    await shot(harness, "reviewed");
  });
});
