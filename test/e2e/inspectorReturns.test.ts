// test/e2e: where a person was in the inspector is where they are again: after the window was reloaded, after the side bar
// was hidden, after another view had its place; in the side bar and in a tab.
import assert from "node:assert/strict";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { actOf, rowInTree, selectRow, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { beginSession, openInspector, reloadWindow, until } from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

/** What of a page is the person's own, as it can be seen. */
const placeIn = (frame: Frame) =>
  frame.evaluate(() => {
    const tree = document.querySelector("#tree");
    const edge = tree?.getBoundingClientRect().top ?? 0;
    const rows = [...document.querySelectorAll<HTMLElement>("#tree .row")];
    const inSight = rows.filter((row) => row.getBoundingClientRect().bottom > edge + 1);
    return {
      top: inSight.slice(0, 1).map((row) => row.dataset.key),
      open: inSight
        .filter((row) => row.getAttribute("aria-expanded") === "true")
        .map((row) => row.dataset.key),
      selected: rows
        .filter((row) => row.getAttribute("aria-selected") === "true")
        .map((row) => row.dataset.key),
      details: document.querySelector("#details")?.getAttribute("data-key") ?? null,
      find: document.querySelector<HTMLInputElement>("#find")?.value ?? null,
      matches: document.querySelector("#matches")?.textContent?.trim() ?? null,
      turn: document.querySelector(".plot")?.getAttribute("aria-valuetext") ?? null,
      panels: [...document.querySelectorAll(".panel")].map(({ id }) => id),
      content: document.querySelector(".content-foot .content-status")?.textContent ?? null,
    };
  });

suite("where a person was in the inspector, they are again", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const opened = sharedWorkbench("returns", () => ({
    workspace: sample.folder,
    settings: script.settings,
    viewport: { width: 1440, height: 1000 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });

  suiteSetup(async () => {
    const harness = opened();
    const frame = await openInspector(harness);
    script.write([
      calling("read_file", { path: SAMPLE_FACT.file }),
      calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
      ...Array.from({ length: 8 }, () => calling("list_files", { limit: 5 })),
      { say: "Looked." },
    ]);
    await (await beginSession(harness, "Look at the harbour")).ended();
    await rowInTree(frame, /^Run ended/);
  });

  /** Goes away and comes back, and waits until all is as it was. */
  async function returns(name: string, frame: Frame, away: () => Promise<Frame>): Promise<Frame> {
    const before = await placeIn(frame);
    const now = await away();
    let after: typeof before | undefined;
    const isSame = async () => {
      after = await placeIn(now);
      return JSON.stringify(after) === JSON.stringify(before);
    };
    await until("all is as it was", isSame, 15_000).catch(() => assert.deepEqual(after, before));
    await opened().screenshot(path.join(root, "out", "e2e", `returns-${name}.png`));
    return now;
  }
  const inSideBar = (harness: Harness) => harness.webview("#tree");

  test("the side bar: a row, what is open, a filter and another turn, after a reload of the window", async () => {
    const harness = opened();
    const frame = await openInspector(harness);
    await showRow(frame, /^Turn 1\b/);
    await showRow(frame, /^read_file/);
    await selectRow(frame, /^In the store/);
    await frame.locator("#find").fill("service-agreement");
    await frame
      .locator("#matches")
      .getByText(/^\d+ match/)
      .waitFor();
    const { turn, details, open } = await placeIn(frame);
    assert.match(turn ?? "", /^Turn 1:/);
    assert.match(details ?? "", /\/t1\/t1c0\//);
    assert.ok(open.length > 2, `${open}`);
    const now = await returns("side", frame, async () => {
      await reloadWindow(harness);
      return inSideBar(harness);
    });
    await now.locator("#find").press("Escape");
    await now.locator("#find").fill("");
  });

  test("the side bar: how far it was scrolled, after another view had its place and after it was hidden", async () => {
    const harness = opened();
    const frame = await openInspector(harness);
    for (const turn of [2, 3, 4, 5]) await showRow(frame, new RegExp(`^Turn ${turn}\\b`));
    await selectRow(frame, /^Turn 5\b/);
    await showRow(frame, /^Turn 5\b/);
    await frame.locator("#tree").hover();
    const hasScrolled = await frame.locator("#tree").evaluateHandle((it) => {
      const ended = new Promise((resolve) => it.addEventListener("scrollend", resolve, { once: true }));
      return { ended };
    });
    await harness.page.mouse.wheel(0, 100);
    await hasScrolled.evaluate(({ ended }) => ended.then(() => undefined));
    const again = await returns("view", frame, async () => {
      await harness.run("View: Show Explorer");
      await harness.page.locator(".explorer-viewlet").first().waitFor();
      return openInspector(harness);
    });
    await returns("hidden", again, async () => {
      await harness.run("View: Close Primary Side Bar");
      await harness.page.locator(".part.sidebar").waitFor({ state: "hidden" });
      return openInspector(harness);
    });
  });

  test("a tab: a content where it was read, then the request of a turn, after a reload of the window", async () => {
    const harness = opened();
    await harness.run("Cloakroom: Open Context Inspector in Editor");
    await harness.run("View: Close Primary Side Bar");
    const reloaded = async () => {
      await reloadWindow(harness);
      return harness.webview("#tree");
    };
    const frame = await harness.webview("#tree");
    await showRow(frame, /^Turn 1\b/);
    await selectRow(frame, /^read_file/);
    await actOf(frame, "viewContent").click();
    await frame.locator('#content [data-action="later"]').click();
    await frame
      .locator(".content-status")
      .getByText(/^16,385 to/)
      .waitFor();
    const now = await returns("content", frame, reloaded);
    await selectRow(now, /^Turn 3\b/);
    await now.locator('[data-panel="request"]').click();
    await now.locator("#request .request-item").first().waitFor();
    const { panels, turn } = await placeIn(now);
    assert.deepEqual([panels, turn?.slice(0, 7)], [["request"], "Turn 3:"]);
    const last = await returns("request", now, reloaded);
    await last.locator("#request .request-item").first().waitFor();
  });
});
