// test/e2e: what stands around the inspector's tree: find, plot, request, What If, analysis, a tab of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { AGENT_TASK, anotherAgentsSession } from "../support/anotherAgent";
import {
  actByKeys,
  actOf,
  pressCommand,
  rowInTree,
  selectRow,
  showRow,
  tabTo,
} from "../support/inspectorRows";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import {
  beginSession,
  choose,
  chooseFile,
  eventsOf,
  type LoggedSession,
  notification,
  openInspector,
  pickerRows,
  until,
} from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

const TASK = "Look at the harbour";
const THRESHOLD = "cloakroom.claimCheck.thresholdChars";

suite("what stands around the inspector's tree", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const agent = anotherAgentsSession();
  const prices = { scripted: { write: 1, read: 1, ttlSeconds: null } }; // nothing is cached: shorter is cheaper
  const opened = sharedWorkbench("panels", () => ({
    workspace: sample.folder,
    settings: { ...script.settings, "cloakroom.ageing.cacheProfiles": prices },
    environment: { ...process.env, HOME: agent.home },
    viewport: { width: 1440, height: 1000 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
    agent.remove();
  });
  let frame: Frame;
  let session: LoggedSession;

  setup(async () => {
    frame = await openInspector(opened());
    if (session !== undefined) return;
    script.write([
      calling("read_file", { path: SAMPLE_FACT.file }),
      calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
      ...Array.from({ length: 4 }, () => calling("list_files", { limit: 5 })),
      { say: "Looked." },
    ]);
    session = await beginSession(opened(), TASK);
    await session.ended();
    await rowInTree(frame, /^Run ended/);
    frame = await openInspector(opened()); // its transcript took the keyboard
  });

  const shot = (harness: Harness, name: string) =>
    harness.screenshot(path.join(root, "out", "e2e", `panels-${name}.png`));

  test("Ctrl+F finds a text, a filter narrows it, Escape shows all again", async () => {
    const { page } = opened();
    await tabTo(opened(), frame, "#tree");
    await page.keyboard.press("Control+F");
    await page.keyboard.type("service-agreement");
    const matches = frame.locator("#matches");
    await matches.getByText(/^\d+ match(es)? in \d turns?$/).waitFor();
    await frame.locator(".row.match").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // more to filter by
    await frame.locator('[data-filter="kind"]').selectOption({ label: "Reply" });
    await frame.locator('[data-filter="tool"]').fill("no_such_tool");
    await matches.getByText("No matches").waitFor();
    await page.keyboard.press("Escape");
    await rowInTree(frame, /^Turn 4\b/);
    assert.equal((await matches.textContent())?.trim(), "");
  });

  test("the plot is scrubbed by keys and by mouse: the tree, the bar and the sentence follow", async () => {
    const { page } = opened();
    const plot = frame.locator(".plot");
    const says = (turn: number) =>
      until(`the plot is at turn ${turn}`, async () =>
        (await plot.getAttribute("aria-valuetext"))?.startsWith(`Turn ${turn}:`),
      );
    await tabTo(opened(), frame, ".plot");
    await page.keyboard.press("End");
    await says(7);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await says(5);
    await page.keyboard.press("Home");
    await says(1);
    const fills = eventsOf(session.events, "requested").map(({ prefix }) => prefix?.totalTokens ?? 0);
    await frame.locator(`#summary [title^="${fills[0]?.toLocaleString("en-US")} tokens"]`).waitFor();
    const box = await plot.boundingBox();
    assert.ok(box);
    const columnPx = await frame.locator(".plot-selected").evaluate((at) => at.getBoundingClientRect().width);
    await plot.click({ position: { x: columnPx * 3.5, y: box.height / 2 } });
    await says(4);
    const turn = await rowInTree(frame, /^Turn 4\b/);
    assert.equal(await turn.getAttribute("aria-selected"), "true");
    await frame.locator(`#summary [title^="${fills[3]?.toLocaleString("en-US")} tokens"]`).waitFor();
  });

  test("a request is shown message by message, exactly as it was sent; what made it differ leads to its row", async () => {
    const harness = opened();
    const { page } = harness;
    const [cut] = eventsOf(session.events, "aged");
    assert.ok(cut);
    await actByKeys(harness, frame, [new RegExp(`^Turn ${cut.turn}\\b`), /^Request/], "showRequest");
    const pane = frame.locator("#request");
    await pane.locator('[data-exact="true"]').waitFor();
    await pane.getByText("an old result was shortened").first().waitFor();
    await tabTo(harness, frame, "#request .request-item summary");
    await page.keyboard.press("Enter");
    const { system } = eventsOf(session.events, "configured")[0] ?? { system: "" };
    const text = pane.locator('[data-at="-2"] pre.request-text');
    await text.waitFor();
    assert.equal(await text.textContent(), system);
    await shot(harness, "request");
    await pane.locator('[data-action="filter-changed"]').click();
    await pane.locator(".request-fold").first().waitFor();
    await pane.locator('[data-action="event"]').click();
    const first = cut.decisions[0]?.call;
    await frame.locator(`.row[data-key$="/${first}"][aria-selected="true"]`).waitFor();
    await pane.waitFor({ state: "detached" }); // its place is the details' now
  });

  test("What If: a setting is moved, what would have been is shown, applied once confirmed, and taken back by Undo", async () => {
    const harness = opened();
    const { page } = harness;
    const settings = () => {
      const text = readFileSync(path.join(harness.userData, "User", "settings.json"), "utf8");
      return text === "" ? null : JSON.parse(text)[THRESHOLD]; // emptied, and about to be written
    };
    await tabTo(harness, frame, '[data-panel="whatif"]');
    await page.keyboard.press("Enter");
    const panel = frame.locator("#whatif");
    await panel.locator('tr[data-row="cloakroom"]').waitFor();
    const before = await panel.locator('tr[data-row="cloakroom"]').textContent();
    await panel.locator('[data-name="thresholdChars"] input').fill("200000");
    await until("the figures are others", async () => {
      const now = await panel.locator('tr[data-row="cloakroom"]').textContent();
      return now !== before && (await panel.locator(".what-if").getAttribute("aria-busy")) === "false";
    });
    await shot(harness, "what-if");
    await panel.locator('[data-action="apply"]').click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText(new RegExp(`${THRESHOLD}: 4096 → 200000`)).waitFor();
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    const told = await notification(harness, "Settings changed.");
    assert.equal(settings(), 200_000);
    await told.press("Undo");
    await until("it is as it was", () => settings() === undefined);
    await panel.locator('[data-action="reset"]').click();
    await frame.locator('#whatif [data-action="closePanel"]').click();
  });

  test("Analyze Session… shows a file of another agent, chosen by its path; nothing in it can be changed", async () => {
    const harness = opened();
    await pressCommand(frame, "analyzeSession");
    const rows = await pickerRows(harness, "Analyze Session");
    assert.ok(rows.includes(AGENT_TASK), `${rows} has what was found`);
    await choose(harness, "Browse…");
    await chooseFile(harness, "Analyze Session", agent.file);
    await rowInTree(frame, new RegExp(`^${AGENT_TASK}`));
    await frame.locator("#analysis .analysis-sentence").getByText(/token/).waitFor();
    await shot(harness, "analysis");
    await showRow(frame, /^Turn 1\b/);
    await selectRow(frame, /^Read(?! from)\b/); // not the line that says where the session was read
    await actOf(frame, "viewContent").waitFor();
    assert.equal((await actOf(frame, "pin").count()) + (await actOf(frame, "forget").count()), 0);
    assert.equal(await frame.locator('.buttons [data-action="continueSession"]').count(), 0);
    assert.equal(readFileSync(agent.file, "utf8"), agent.text);
    await frame.locator("#sessions").selectOption(path.basename(session.folder));
    await rowInTree(frame, /^Turn 7\b/);
  });

  test("Open in Editor: a tab stays with its session and its place, the side bar with its own, whatever is started", async () => {
    const harness = opened();
    const { page } = harness;
    await pressCommand(frame, "openInEditor");
    await page
      .locator(".tab.active")
      .filter({ hasText: `Context Inspector: ${TASK}` })
      .waitFor();
    const tabFrame = () =>
      until("the tab has its page", async () => {
        for (const one of page.frames())
          if (
            one !== frame &&
            (await one
              .locator("#tree")
              .count()
              .catch(() => 0)) > 0
          )
            return one;
        return null;
      });
    const tab = await tabFrame();
    await showRow(tab, /^Turn 2\b/);
    const there = await selectRow(tab, /^search_text/);
    await showRow(frame, /^Turn 1\b/);
    await showRow(frame, /^read_file/);
    const here = await selectRow(frame, /^Permission/);
    await beginSession(harness, "Another one"); // the newest, which neither shows
    await frame.locator("#sessions").selectOption(path.basename(session.folder));
    await frame.locator(`#details[data-key="${here}"]`).waitFor();
    await page.locator(".tab").filter({ hasText: "Context Inspector" }).click(); // its page is made anew
    await (await tabFrame()).locator(`#details[data-key="${there}"]`).waitFor();
    await shot(harness, "tab");
  });
});
