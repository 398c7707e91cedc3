// test/e2e: what the inspector offers to do with a session and its rows, done by its buttons, by mouse and by keyboard alone.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { openPromise } from "yauzl";
import { root } from "../../scripts/bootstrap.mjs";
import { receiptsFrom } from "../../src/thimble/receipt";
import {
  actByKeys,
  actOf,
  keysToRow,
  pressCommand,
  rowInTree,
  selectRow,
  showRow,
  tabTo,
} from "../support/inspectorRows";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, type Replies, scriptFile } from "../support/scriptFile";
import {
  choose,
  chooseFile,
  clearNotifications,
  eventsOf,
  type LoggedSession,
  newSession,
  notification,
  openInspector,
  pickerRows,
  sessionFolders,
  stateSaved,
  until,
} from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

const TASK = "Look at the harbour";
const EDIT = { path: "README.md", oldText: "# Harbour log", newText: "# Haven log" };
const READ = [/^Turn 1\b/, /^read_file/] as const;
const IN_STORE = [...READ, /^In the store/] as const;

suite("what the inspector offers to do", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const opened = sharedWorkbench("acts", () => ({
    workspace: sample.folder,
    settings: { ...script.settings, "cloakroom.resultLimits.mode": "enforce" },
    viewport: { width: 1440, height: 1000 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });
  let frame: Frame;
  let session: LoggedSession;
  let runs = 0;
  setup(async () => {
    frame = await openInspector(opened());
  });

  /** `handle`: what is read back in the third. */
  const conversations = (handle: string): Replies[] => [
    [
      calling("read_file", { path: SAMPLE_FACT.file }),
      calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
      calling("edit_file", EDIT),
      { say: "Looked." },
    ],
    [{ say: "Later.", pauseMs: 60_000 }],
    [calling("fetch_result", { handle }), { say: "It is gone." }],
    [calling("search_text", { query: SAMPLE_WORD, limit: 500 }), { say: "All of them." }],
  ];
  const shot = (harness: Harness, name: string) =>
    harness.screenshot(path.join(root, "out", "e2e", `acts-${name}.png`));
  const told = ({ page }: Harness, words: string) => page.locator(".statusbar").getByText(words).waitFor();
  const clipboard = ({ page }: Harness) => page.evaluate(() => navigator.clipboard.readText());
  const storedHandle = () => eventsOf(session.events, "tool_result_stored")[0]?.handle ?? "";

  test("Start, Answer, Continue and Stop: by mouse, then by keyboard; the badge and the status bar say what is", async () => {
    const harness = opened();
    const { page } = harness;
    await frame.locator("#empty").waitFor();
    script.write(...conversations(""));
    const before = sessionFolders(harness);
    await pressCommand(frame, "startSession");
    await harness.answer("Start Session: Task", TASK);
    session = await newSession(harness, before);
    await pickerRows(harness, /^Cloakroom: Allow edit_file/);
    await page.keyboard.press("Escape");
    await page.locator(".activitybar .badge-content").filter({ hasText: /[1-9]/ }).first().waitFor();
    await pressCommand(frame, "answerQuestion");
    await pickerRows(harness, /^Cloakroom: Allow edit_file/);
    await choose(harness, "Deny");
    await session.ended(++runs);
    await page.locator('.statusbar [aria-label*="the last request had"]').first().waitFor();

    await tabTo(harness, frame, '.buttons [data-action="continueSession"]');
    await page.keyboard.press("Enter");
    await harness.answer("Continue Session", "Take your time");
    await frame.locator('.buttons [data-action="stopSession"]').waitFor();
    await session.until("the request has left", (events) => events.at(-1)?.type === "requested");
    await openInspector(harness);
    await tabTo(harness, frame, '.buttons [data-action="stopSession"]');
    await page.keyboard.press("Enter");
    const events = await session.ended(++runs);
    assert.equal(eventsOf(events, "run_ended").at(-1)?.end, "stopped");
  });

  test("the first stored result is explained once", async () => {
    const harness = opened();
    const callout = frame.locator("#first-stored");
    await callout.getByText("A result was large, so it was stored whole.").waitFor();
    await shot(harness, "explained");
    await tabTo(harness, frame, '[data-action="explained"]');
    await harness.page.keyboard.press("Enter");
    await callout.waitFor({ state: "detached" });
    await stateSaved(harness, "cloakroom.explained.stored");
    await harness.reload();
    frame = await openInspector(harness);
    await rowInTree(frame, /^Turn 1\b/);
    assert.equal(await frame.locator("#first-stored").count(), 0);
  });

  test("a stored result is opened, read in the page, and named to others", async () => {
    const harness = opened();
    const { page } = harness;
    await actByKeys(harness, frame, IN_STORE, "openStored");
    await page.locator(".tab.active").filter({ hasText: ".txt" }).waitFor();
    await openInspector(harness);
    await actByKeys(harness, frame, IN_STORE, "viewContent");
    const viewer = frame.locator("#content");
    await viewer.getByText("between the town of Sandvik").waitFor();
    await tabTo(harness, frame, '#content [data-name="find"]');
    await page.keyboard.type(SAMPLE_FACT.clause);
    await page.keyboard.press("Enter");
    await viewer.locator("mark").getByText(SAMPLE_FACT.clause, { exact: true }).waitFor();
    await shot(harness, "content");
    await viewer.locator('[data-name="find"] input').fill("418 crowns");
    await page.keyboard.press("Enter");
    await viewer.locator("mark").getByText("418 crowns", { exact: true }).waitFor();
    await page.keyboard.press("F3"); // there is no other: on from the beginning, to the same
    await viewer.getByText("Went on from the beginning").waitFor();
    await page.keyboard.press("Shift+F3");
    await viewer.getByText("Went on from the end").waitFor();
    await viewer.locator('[data-name="find"] input').fill("nowhere in there");
    await viewer.locator('[data-action="findNext"]').click();
    await viewer.getByText("No results").waitFor();
    await page.keyboard.press("Control+G");
    await page.keyboard.type(":640");
    await page.keyboard.press("Enter");
    const isAt = (status: RegExp) => viewer.locator(".content-status").getByText(status).waitFor();
    const goTo = async (typed: string) => {
      await viewer.locator('[data-name="goTo"] input').fill(typed);
      await page.keyboard.press("Enter");
    };
    await isAt(/from line 640 of 651$/);
    await goTo("1");
    await isAt(/^1 to .* from line 1 of 651$/);
    await goTo("100%"); // the last window that is whole
    await isAt(/^82,574 to 98,957 of/);
    await viewer.locator('[data-action="earlier"]').click();
    await isAt(/^66,190 to/);
    await viewer.locator('[data-action="close"]').click();

    await selectRow(frame, /^In the store/);
    await actOf(frame, "copyHandle").click();
    await told(harness, "Handle copied");
    assert.equal(await clipboard(harness), storedHandle());
    await actOf(frame, "copyLink").click();
    await told(harness, "Link copied");
    const link = await clipboard(harness);
    await selectRow(frame, /^Run ended|^Stopped/);
    const other = await page.context().newPage();
    await other.goto(link);
    await other.close();
    const row = await rowInTree(frame, /^In the store/);
    await until(
      "the link's row is selected",
      async () => (await row.getAttribute("aria-selected")) === "true",
    );
  });

  test("Pin and Unpin, Shorten Now, Delete Stored Result…: each is on record; what is deleted is refused to the model", async () => {
    const harness = opened();
    const { page } = harness;
    await actByKeys(harness, frame, READ, "pin");
    await rowInTree(frame, /^read_file.* Pinned/);
    await actByKeys(harness, frame, READ, "unpin");
    await until("both are on record", () => eventsOf(session.events, "pinned").length === 2);
    await actOf(frame, "pin").waitFor();
    await actOf(frame, "shorten").click();
    await session.until("it is shortened", (events) =>
      eventsOf(events, "aged").some(({ strategy }) => strategy === "person"),
    );
    await selectRow(frame, /^Shortened/);
    await frame.locator("#details .why").getByText("You shortened it.").waitFor();
    await selectRow(frame, /^In the store/);
    await actOf(frame, "forget").click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("Delete this stored result?").waitFor();
    await shot(harness, "delete");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await rowInTree(frame, /^Deleted/);
    const [stored] = eventsOf(session.events, "tool_result_stored");
    assert.equal(eventsOf(session.events, "forgotten")[0]?.handle, stored?.handle);
    assert.equal(existsSync(path.join(session.folder, "blobs", stored?.sha256 ?? "")), false);
    script.write(...conversations(storedHandle()));
    await pressCommand(frame, "continueSession");
    await harness.answer("Continue Session", "Read it again");
    const refusals = eventsOf(await session.ended(++runs), "redemption_refused");
    assert.deepEqual(
      refusals.map(({ reason }) => reason),
      ["forgotten"],
    );
    await rowInTree(frame, /^Turn 7\b/); // until it came, the one before was open as the newest
    await showRow(frame, /^Turn 6\b/);
    await showRow(frame, /^fetch_result/);
    await selectRow(frame, /^Handle refused, its content was deleted/);
  });

  test("Run Again Without Limit… asks for a reason; the receipt of the new call has it", async () => {
    const harness = opened();
    await showRow(frame, /^Turn 2\b/);
    await selectRow(frame, /^search_text/);
    await actOf(frame, "runAgain").click();
    await harness.answer("Run search_text Again Without Limit: Reason", "The audit needs them all");
    const title = harness.page.locator(".quick-input-widget").getByText("Continue Session", { exact: true });
    await title.waitFor();
    const suggested = harness.page.locator(".quick-input-widget .quick-input-box input").first();
    assert.match(await suggested.inputValue(), /^Call search_text again with the arguments \{"query"/);
    await harness.page.keyboard.press("Enter");
    const receipt = [...receiptsFrom(await session.ended(++runs)).values()].at(-1);
    assert.deepEqual([receipt?.reason, receipt?.actual?.items], ["exempt", 500]);
    await rowInTree(frame, /^Turn 9\b/); // until it came, the one before was open as the newest
    await showRow(frame, /^Turn 8\b/);
    const call = await rowInTree(frame, /^search_text.* 500 matches|^search_text.*(Incomplete list|Stored)/);
    await call.waitFor();
    await rowInTree(frame, /^Exempt, .*The audit needs them all/);
  });

  test("Fork Here…: a session with the turns up to there, which the page goes to", async () => {
    const harness = opened();
    const before = sessionFolders(harness);
    await keysToRow(harness, frame, /^Turn 1\b/);
    await actByKeys(harness, frame, [/^Turn 1\b/], "fork");
    await until("the page shows the fork", async () =>
      (await frame.locator("#sessions option:checked").textContent())?.includes(`(fork) ${TASK}`),
    );
    const fork = await newSession(harness, before); // it has its own name by now
    const turns = eventsOf(fork.events, "requested").map(({ turn }) => turn);
    assert.deepEqual(turns, [1]);
    await clearNotifications(harness);
    await frame.locator("#sessions").selectOption(path.basename(session.folder));
    await rowInTree(frame, /^Turn 9\b/);
  });

  test("Export… in each of its forms, and Verify", async () => {
    const harness = opened();
    const file = (ending: string) => path.join(sample.folder, `out${ending}`);
    const exported = async (label: string, ending: string, more?: string) => {
      await pressCommand(frame, "exportSession");
      await pickerRows(harness, "Export Session: Format");
      await choose(harness, label);
      if (more !== undefined) {
        await pickerRows(harness, "Export Session: Stored Results");
        await choose(harness, more);
      }
      await chooseFile(harness, "Export Sessions", file(ending));
      await until(`${ending} is written`, () => existsSync(file(ending)));
      await notification(harness, /xported/);
      await clearNotifications(harness);
      return readFileSync(file(ending), "utf8");
    };
    await exported("Archive (can be imported again)", ".zip");
    const zip = await openPromise(file(".zip"), { lazyEntries: true });
    const names: string[] = [];
    for await (const entry of zip.eachEntry()) names.push(entry.fileName);
    assert.ok(names.includes("log.jsonl") && names.includes("manifest.json"));
    const json = JSON.parse(await exported("JSON", ".json", "Embed Stored Results"));
    assert.equal(json.events.length, session.events.length);
    const trace = JSON.parse(await exported("OpenTelemetry (OTLP JSON)", ".otlp.json"));
    assert.ok(trace.resourceSpans.length > 0);
    const report = await exported("HTML Report", ".html");
    assert.ok(report.startsWith("<!DOCTYPE html>") && report.includes(TASK));

    await pressCommand(frame, "verifySession");
    await notification(harness, /erified|No problem|stored result/);
    await shot(harness, "verified");
    await clearNotifications(harness);
  });

  test("Intent…, Result Limits…, Review…, Open Transcript and a setting: each opens its own, by keyboard alone", async () => {
    const harness = opened();
    const { page } = harness;
    const press = async (action: string) => {
      await openInspector(harness);
      await tabTo(harness, frame, '.buttons [data-action="more"]');
      await page.keyboard.press("Enter");
      await tabTo(harness, frame, `.buttons [data-action="${action}"]`);
      await page.keyboard.press("Enter");
    };
    const picked = async (action: string, title: string, label: string) => {
      await press(action);
      assert.ok((await pickerRows(harness, title)).includes(label));
      await page.keyboard.press("Escape");
    };
    await picked("setIntent", `Set Intent: ${TASK}`, "Exhaustive");
    await picked("setResultLimits", "Result Limits", "Observe");
    await picked("reviewResultLimits", "Review Result Limits", "search_text /limit");
    await press("openTranscript");
    await page
      .locator(".tab.active")
      .filter({ hasText: `${TASK}.md` })
      .waitFor();
    await openInspector(harness);
    await keysToRow(harness, frame, ...READ, /^Stored result/);
    await tabTo(harness, frame, '#details [data-action="openSetting"]');
    await page.keyboard.press("Enter");
    await page.locator(".settings-editor .setting-item-label").getByText("Threshold Chars").waitFor();
  });
});
