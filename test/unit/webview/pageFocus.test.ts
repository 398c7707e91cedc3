// test/unit/webview: where the keyboard is on the page in a real Chromium: into panels and back, and whose keys are whose.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { acts, answerTo, send, settled } from "../../support/inspectorHost";
import { inspectorBundle, openInspector, type PageOptions } from "../../support/inspectorPage";
import { longSession, richTurns, sessionOf } from "../../support/inspectorViews";
import { CONTENT, WHAT_IF } from "../../support/panelStates";
import { launchBrowser } from "../../vscode/workbench";

suite("the keyboard on the page", () => {
  let browser: Browser;
  let bundle: ReadonlyMap<string, Uint8Array>;

  suiteSetup(async function () {
    this.timeout(120_000); // a machine without a Chromium gets one
    [browser, bundle] = await Promise.all([launchBrowser(), inspectorBundle()]);
  });
  suiteTeardown(() => browser?.close());

  async function onPage(
    use: (page: Page) => Promise<void>,
    options: PageOptions = {},
    session = sessionOf(richTurns()),
  ): Promise<void> {
    const host = { host: (message: Parameters<typeof answerTo>[1]) => answerTo(session, message) };
    const { page, problems } = await openInspector(browser, bundle, { ...host, ...options });
    try {
      await page.waitForSelector("#tree");
      await settled(page);
      await use(page);
      assert.deepEqual(problems, []);
    } finally {
      await page.context().close();
    }
  }
  const row = (page: Page, key: string) => page.locator(`[role=treeitem][data-key="${key}"]`);
  const focused = (page: Page) =>
    page.evaluate(() => {
      const { id, className, dataset } = document.activeElement as HTMLElement;
      return dataset.action ?? dataset.panel ?? dataset.name ?? (id || className);
    });
  const openContent = async (page: Page) => {
    await row(page, "s1/t1").click();
    await row(page, "s1/t1/t1c0").click();
    await page.click('#details [data-action="viewContent"]');
    await settled(page);
    const asked = (await acts(page)).findLast(({ type }) => type === "wantContent");
    assert.ok(asked?.type === "wantContent");
    const window = { ...CONTENT, handle: asked.handle };
    return () =>
      send(page, { type: "content", session: "s1", window, match: null, search: null, problem: null });
  };

  for (const width of [320, 1000]) {
    test(`${width} px: a content that is opened by mouse has the keyboard, and Escape gives it back`, async () => {
      await onPage(
        async (page) => {
          const come = await openContent(page);
          assert.equal(await focused(page), "content-viewer");
          await come();
          assert.equal(await focused(page), "content-text");
          await page.keyboard.press("Control+f");
          assert.equal(await focused(page), "find");
          assert.equal(await page.locator("#find").evaluate((it) => it.matches(":focus")), false);
          await page.keyboard.press("Escape");
          assert.equal(await page.locator("#content").count(), 0);
          assert.equal(await focused(page), "viewContent");
        },
        { viewport: { width, height: 700 } },
      );
    });
  }

  test("a person who went elsewhere while a content was read keeps the keyboard there", async () => {
    await onPage(async (page) => {
      const come = await openContent(page);
      await page.focus("#tree");
      await come();
      assert.equal(await focused(page), "tree");
    });
  });

  test("Ctrl+G goes to the line of an open content from all of the page but the session's own field", async () => {
    await onPage(async (page) => {
      await page.evaluate(() => {
        document.title = "none";
        addEventListener("keydown", ({ key, ctrlKey }) => {
          if (ctrlKey && key === "g") document.title = "VS Code's";
        });
      });
      await (await openContent(page))();
      for (const from of ["#tree", ".plot", '[data-panel="whatif"]', "#sessions"]) {
        if ((await page.locator(from).count()) === 0) continue;
        await page.focus(from);
        await page.keyboard.press("Control+g");
        assert.equal(await focused(page), "goTo", from);
      }
      assert.equal(await page.title(), "none");
      await page.focus("#find");
      await page.keyboard.press("Control+g");
      assert.equal(await focused(page), "find");
      assert.equal(await page.title(), "VS Code's");
    });
  });

  test("every panel that is opened has the keyboard; Escape and Close give it back to what opened it", async () => {
    await onPage(async (page) => {
      await row(page, "s1/t2").click();
      await page.click('#details [data-action="showRequest"]');
      await settled(page);
      assert.equal(await focused(page), "request");
      await page.click('#request [data-action="closePanel"]');
      assert.equal(await focused(page), "showRequest");
      await page.locator('[data-panel="whatif"]').press("Enter");
      await settled(page);
      assert.equal(await focused(page), "whatif");
      const { knobs, defaults, series } = WHAT_IF;
      await send(page, { type: "whatIf", session: "s1", query: 1, knobs, defaults, series, problem: null });
      const strategy = page.locator('[data-name="strategy"]');
      await strategy.press("ArrowDown"); // opens its list
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("#whatif").count(), 1);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("#whatif").count(), 0);
      assert.equal(await focused(page), "whatif"); // its switch
      assert.equal(await page.locator('[data-panel="whatif"]').evaluate((it) => it.matches(":focus")), true);
    });
  });

  test("VS Code's menu for texts comes where there is text or a field, not on rows, buttons and drawings", async () => {
    await onPage(async (page) => {
      await (await openContent(page))();
      /** As VS Code's webview looks for it. */
      const hasMenu = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((clicked) => {
            const closest = clicked.closest<HTMLElement>("[data-vscode-context]");
            const given = JSON.parse(closest?.dataset.vscodeContext ?? "{}") as Record<string, unknown>;
            return given.preventDefaultContextMenuItems !== true;
          });
      for (const drawn of [
        "[role=treeitem] .row-label",
        ".buttons .button-label",
        ".acts .button-label",
        ".switch",
      ])
        assert.equal(await hasMenu(drawn), false, drawn);
      for (const text of [".content-text", "#details dd", "#find", '[data-name="goTo"]', "#summary"])
        assert.equal(await hasMenu(text), true, text);
      assert.equal(await hasMenu(".plot svg"), false);
    });
  });

  test("in the session's field Enter and F3 go on, with Shift back, Arrow Down into the tree; what was found is marked", async () => {
    await onPage(
      async (page) => {
        const at = async (words: string, key: string) => {
          await page.waitForFunction(
            (text) => document.querySelector("#matches")?.textContent?.trim() === text,
            words,
          );
          await row(page, key).waitFor();
          assert.equal(await row(page, key).getAttribute("aria-selected"), "true");
        };
        await page.keyboard.press("Control+f");
        await page.keyboard.type("Question 1");
        await page.keyboard.press("Enter"); // before anything was found
        await at("1 of 11 matches in 11 turns", "s1/t1/asked");
        await page.keyboard.press("Enter");
        await at("2 of 11 matches in 11 turns", "s1/t91/asked");
        await page.keyboard.press("F3");
        await page.keyboard.press("Shift+Enter");
        await page.keyboard.press("Shift+F3");
        await page.keyboard.press("Shift+F3");
        await at("11 of 11 matches in 11 turns", "s1/t181/asked");
        assert.equal(await focused(page), "find");
        const marked = await page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map(String));
        assert.ok(marked.length > 0 && marked.every((text) => text === "Question 1"), marked.join());
        await page.keyboard.press("ArrowDown");
        assert.equal(await focused(page), "tree");
        await page.keyboard.press("F3");
        await at("1 of 11 matches in 11 turns", "s1/t1/asked");
        await page.focus("#find");
        await page.keyboard.press("Escape");
        await settled(page);
        assert.equal(await page.evaluate(() => CSS.highlights.has("found")), false);
      },
      {},
      longSession(200),
    );
  });

  test("where what opened a panel is gone, the keyboard goes back to the tree", async () => {
    await onPage(async (page) => {
      await row(page, "s1/t2").click();
      await page.click('#details [data-action="showRequest"]');
      await page.reload(); // the panel comes back by itself, and takes nothing
      await page.waitForSelector("#request");
      await settled(page);
      assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
      await page.focus('#request [data-action="closePanel"]');
      await page.keyboard.press("Escape");
      assert.equal(await focused(page), "tree");
    });
  });
});
