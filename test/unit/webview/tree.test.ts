// test/unit/webview: the page in a real Chromium, under the webview's content security policy: keys, ARIA, updates.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { InspectorState } from "../../../src/schema/view";
import type { House } from "../../support/house";
import { inspectorBundle, openInspector, type PageOptions, send, sentBy } from "../../support/inspectorPage";
import { richHouse, stateWith, viewOf } from "../../support/inspectorStates";
import { launchBrowser } from "../../vscode/workbench";

suite("the inspector's page", () => {
  let browser: Browser;
  let bundle: ReadonlyMap<string, Uint8Array>;
  let house: House;
  let full: InspectorState;

  suiteSetup(async function () {
    this.timeout(120_000); // a machine without a Chromium gets one
    [browser, bundle, house] = await Promise.all([launchBrowser(), inspectorBundle(), richHouse()]);
    full = stateWith(viewOf(house));
  });
  suiteTeardown(() => browser?.close());

  /** Opens a page, and after `use` looks whether the policy was violated or an error went uncaught. */
  async function onPage(use: (page: Page) => Promise<void>, options: PageOptions = {}): Promise<void> {
    const { page, problems } = await openInspector(browser, bundle, options);
    try {
      await use(page);
      assert.deepEqual(problems, []);
    } finally {
      await page.context().close();
    }
  }
  const row = (page: Page, key: string) => page.locator(`[role=treeitem][data-key="${key}"]`);
  const focusedKey = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("data-key") ?? null);
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  test("it says that it is ready, then shows the sentence, the tree and the details", async () => {
    await onPage(async (page) => {
      assert.deepEqual(await sentBy(page), [{ type: "ready" }]);
      assert.equal(await page.textContent(".loading"), "Loading sessions…");
      await send(page, full);
      assert.match(
        (await page.textContent("#summary")) ?? "",
        /^8 calls; 1 result stored \(92,112 characters/,
      );
      assert.equal(await row(page, "s1/t5").getAttribute("aria-expanded"), "true");
      assert.equal(await row(page, "s1/t1").getAttribute("aria-expanded"), "false");
      await row(page, "s1/t1").click();
      await row(page, "s1/t1/t1c0").click();
      await row(page, "s1/t1/t1c0/result").click();
      const shown = await page.textContent('#details [data-text="Shown to the model"]');
      assert.equal(shown, full.selected?.turns[0]?.calls[0]?.result?.text);
      await page.click('#details [data-action="openStored"]');
      await row(page, "s1/t1/t1c0/stored").hover();
      await row(page, "s1/t1/t1c0/stored").locator('[data-action="openStored"]').click();
      const handle = full.selected?.turns[0]?.calls[0]?.stored?.handle;
      const opened = { type: "openStored", session: "s1", handle };
      assert.deepEqual((await sentBy(page)).slice(1), [opened, opened]);
    });
  });

  test("by keyboard alone: down to a receipt, into its details, and a stored result is opened", async () => {
    await onPage(async (page) => {
      await send(page, full);
      await row(page, "s1").focus();
      await press(page, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown");
      assert.equal(await focusedKey(page), "s1/t1/t1c0");
      await press(page, "Enter", "ArrowDown", "ArrowDown");
      assert.equal(await focusedKey(page), "s1/t1/t1c0/receipt");
      assert.equal(await page.getAttribute("#details", "data-kind"), "receipt");
      await press(page, "Tab");
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute("data-action")),
        "closeDetails",
      );
      await press(page, "Shift+Tab", "i");
      assert.equal(await focusedKey(page), "s1/t1/t1c0/stored");
      await press(page, "Enter");
      assert.equal((await sentBy(page)).at(-1)?.type, "openStored");
      await press(page, "ArrowLeft", "ArrowLeft");
      assert.equal(await row(page, "s1/t1/t1c0").getAttribute("aria-expanded"), "false");
      assert.equal(await page.locator('[role=treeitem][tabindex="0"]').count(), 1);
    });
  });

  test("focus, selection, expansion and scroll stay while every event of a session sends a new state", async () => {
    await onPage(
      async (page) => {
        const from = house.events.findIndex((event) => event.type === "remembered") + 1;
        await send(page, stateWith(viewOf(house, from)));
        await row(page, "s1/t1/t1c0").click();
        await row(page, "s1/t1/t1c0/receipt").click();
        const top = () => row(page, "s1/t1/t1c0/receipt").evaluate((it) => it.getBoundingClientRect().top);
        await page.evaluate(() => document.querySelector("#tree")?.scrollTo(0, 60));
        const before = await top();
        for (let events = from + 1; events <= house.events.length; events++) {
          await send(page, stateWith(viewOf(house, events)));
          assert.equal(await focusedKey(page), "s1/t1/t1c0/receipt");
        }
        assert.ok(Math.abs((await top()) - before) <= 1);
        assert.equal(await row(page, "s1/t5").getAttribute("aria-expanded"), "true");
        assert.equal(await page.textContent("#announcements"), "Session: answered.");

        await page.reload();
        await send(page, full);
        assert.ok(Math.abs((await top()) - before) <= 1);
        assert.equal(await row(page, "s1/t1/t1c0/receipt").getAttribute("aria-selected"), "true");
        assert.equal(await page.getAttribute("#details", "data-kind"), "receipt");
      },
      { viewport: { width: 320, height: 420 } },
    );
  });

  test("what a tool returned is text: no markup, no control character, no override reaches the page", async () => {
    await onPage(async (page) => {
      const state = structuredClone(full);
      const result = state.selected?.turns[3]?.calls[0]?.result;
      assert.ok(result);
      result.text = '<img src=x onerror="window.hit=1"><b>bold</b>\u001b[31m\u202egnp.exe\u0000';
      await send(page, state);
      await row(page, "s1/t4").click();
      await row(page, "s1/t4/t4c0").click();
      const shown = await page.textContent('#details [data-text="Shown to the model"]');
      assert.equal(shown, '<img src=x onerror="window.hit=1"><b>bold</b>␛[31m⟦U+202E⟧gnp.exe␀');
      assert.equal(await page.locator("#details img, #details b").count(), 0);
    });
  });

  test("every button asks for one thing by name", async () => {
    await onPage(async (page) => {
      const other = { session: "s0", title: "Another", startedAt: 0, running: false };
      await send(page, { ...full, sessions: [...full.sessions, other] });
      for (const action of ["startSession", "continueSession", "setResultLimits"]) {
        await page.click(`.head [data-action="${action}"]`);
      }
      await page.selectOption("#sessions", "s0");
      const running = viewOf(house, 5);
      assert.ok(running.running);
      await send(page, stateWith(running));
      await page.click('.head [data-action="stopSession"]');
      assert.deepEqual((await sentBy(page)).slice(1), [
        { type: "startSession" },
        { type: "continueSession", session: "s1" },
        { type: "setResultLimits" },
        { type: "selectSession", session: "s0" },
        { type: "stopSession", session: "s1" },
      ]);
    });
  });

  test("without a session there is a sentence and a way to start; a problem is said in its place", async () => {
    await onPage(async (page) => {
      await send(page, stateWith(null));
      assert.match((await page.textContent("#empty")) ?? "", /^No session yet\./);
      await page.click('[data-action="startSession"]');
      await send(page, stateWith(null, { problem: "The storage folder cannot be written." }));
      assert.match((await page.textContent("#problem")) ?? "", /cannot be written/);
      assert.equal(await page.locator("#empty").count(), 0);
    });
  });

  test("nothing moves where the person asked for that", async () => {
    await onPage(async (page) => {
      await send(page, stateWith(viewOf(house, 5)));
      const animations = await page.evaluate(() => document.getAnimations().length);
      assert.equal(animations, 0);
    });
    await onPage(
      async (page) => {
        await send(page, stateWith(viewOf(house, 5)));
        assert.ok((await page.evaluate(() => document.getAnimations().length)) > 0);
      },
      { reducedMotion: "no-preference" },
    );
  });

  test("the bundle stays below 120 kB", () => {
    assert.ok((bundle.get("inspector.js")?.length ?? Number.POSITIVE_INFINITY) < 120_000);
  });
});
