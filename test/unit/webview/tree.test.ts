// test/unit/webview: the page in a real Chromium, under the webview's content security policy: keys, ARIA, updates.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { windowOf } from "../../../src/inspector/detailTexts";
import { acts, answerTo, send, sentBy, settled } from "../../support/inspectorHost";
import { inspectorBundle, openInspector, type PageOptions } from "../../support/inspectorPage";
import type { FakeSession } from "../../support/inspectorViews";
import {
  callWith,
  detailsWith,
  handleOf,
  headWith,
  longSession,
  openedWith,
  resultWith,
  richTurns,
  rowFrom,
  sessionOf,
  sessionsWith,
  turnWith,
} from "../../support/inspectorViews";
import { REQUEST, WHAT_IF } from "../../support/panelStates";
import { until } from "../../support/session";
import { launchBrowser } from "../../vscode/workbench";

suite("the inspector's page", () => {
  let browser: Browser;
  let bundle: ReadonlyMap<string, Uint8Array>;

  suiteSetup(async function () {
    this.timeout(120_000); // a machine without a Chromium gets one
    [browser, bundle] = await Promise.all([launchBrowser(), inspectorBundle()]);
  });
  suiteTeardown(() => browser?.close());

  /** Opens a page, and after `use` looks whether the policy was violated or an error went uncaught. */
  async function onPage(use: (page: Page) => Promise<void>, options: PageOptions = {}): Promise<void> {
    const { page, problems } = await openInspector(browser, bundle, options);
    try {
      await settled(page);
      await use(page);
      assert.deepEqual(problems, []);
    } finally {
      await page.context().close();
    }
  }
  const on = (session: FakeSession, use: (page: Page) => Promise<void>, options: PageOptions = {}) =>
    onPage(
      async (page) => {
        await page.waitForSelector("#tree");
        await use(page);
      },
      { host: (message) => answerTo(session, message), ...options },
    );
  const row = (page: Page, key: string) => page.locator(`[role=treeitem][data-key="${key}"]`);
  const activeKey = (page: Page) =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      return id == null ? null : (document.getElementById(id)?.getAttribute("data-key") ?? "gone");
    });
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const actionInFocus = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("data-action") ?? null);
  const scrollTo = async (page: Page, top: number) => {
    await page.evaluate((px) => document.querySelector("#tree")?.scrollTo(0, px), top);
    await settled(page);
  };
  const rich = () => sessionOf(richTurns());

  test("ten thousand turns: some rows are on the page, the end shows the last turn, and nothing is asked for twice", async () => {
    await on(longSession(10_000), async (page) => {
      const rows = () => page.locator("[role=treeitem]").count();
      assert.ok((await rows()) < 100, `${await rows()} rows`);
      await row(page, "s1/t2").waitFor();
      await scrollTo(page, 10_000_000);
      await row(page, "s1/t10000").waitFor();
      await row(page, "s1/t10000/reply").waitFor();
      assert.equal(await row(page, "s1/t10000").getAttribute("aria-posinset"), "10000");
      assert.equal(await row(page, "s1/t10000").getAttribute("aria-setsize"), "10000");
      await scrollTo(page, 100_000);
      await row(page, "s1/t4560").waitFor();
      assert.ok((await rows()) < 100);
      const asked = (await sentBy(page)).flatMap((message) =>
        message.type === "wantRows"
          ? Array.from({ length: message.count }, (_, at) => message.from + at)
          : [],
      );
      assert.equal(new Set(asked).size, asked.length);
    });
  });

  test("it says that it is ready, then shows the sentence, the tree and the details", async () => {
    await onPage(async (page) => {
      assert.deepEqual(await sentBy(page), [{ type: "ready" }]);
      assert.equal(await page.textContent(".loading"), "Loading sessions…");
    });
    await on(rich(), async (page) => {
      assert.equal(await page.textContent("#summary"), "No request yet.");
      assert.equal(await row(page, "s1/t5").getAttribute("aria-expanded"), "true");
      assert.equal(await row(page, "s1/t1").getAttribute("aria-expanded"), "false");
      await row(page, "s1/t1").click();
      await row(page, "s1/t1/t1c0").click();
      await row(page, "s1/t1/t1c0/result").click();
      assert.match((await page.textContent('#details [data-text="Shown to the model"]')) ?? "", /^PARTIES/);
      await page.click('#details [data-action="openStored"]');
      await row(page, "s1/t1/t1c0/stored").hover();
      await row(page, "s1/t1/t1c0/stored").locator('[data-action="openStored"]').click();
      const opened = { type: "openStored", session: "s1", handle: handleOf(1) };
      assert.deepEqual(await acts(page), [opened, opened]);
    });
  });

  test("by keyboard alone: down to a receipt, into its details, and a stored result is opened", async () => {
    await on(rich(), async (page) => {
      await page.focus("#tree");
      assert.equal(await activeKey(page), "s1");
      await press(page, "ArrowDown", "ArrowRight");
      await row(page, "s1/t1/t1c0").waitFor();
      await press(page, "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown");
      assert.equal(await activeKey(page), "s1/t1/t1c0");
      await press(page, "Enter", "ArrowDown", "ArrowDown");
      assert.equal(await activeKey(page), "s1/t1/t1c0/receipt");
      assert.equal(await page.getAttribute("#details", "data-kind"), "receipt");
      await press(page, "Tab");
      assert.equal(await actionInFocus(page), "closeDetails");
      await press(page, "Tab");
      assert.equal(await actionInFocus(page), "copyLink");
      await press(page, "Shift+Tab", "Shift+Tab", "i");
      assert.equal(await activeKey(page), "s1/t1/t1c0/stored");
      await press(page, "Enter");
      assert.equal((await acts(page)).at(-1)?.type, "openStored");
      await press(page, "ArrowRight", "ArrowRight", "Enter");
      await page.waitForSelector('#details[data-key="s1/t2/t2c0"]');
      assert.equal(await activeKey(page), "s1/t2/t2c0", "the row that read it back leads there");
      await press(page, "ArrowLeft");
      assert.equal(await activeKey(page), "s1/t2");
      await press(page, "ArrowLeft");
      assert.equal(await row(page, "s1/t2").getAttribute("aria-expanded"), "false");
    });
  });

  test("focus outlives its row's going out of sight, and the keys go on from there", async () => {
    await on(longSession(10_000), async (page) => {
      await row(page, "s1/t3").click();
      await row(page, "s1/t3/t3c0").waitFor();
      await scrollTo(page, 150_000);
      assert.equal(await activeKey(page), "s1/t3");
      await scrollTo(page, 10_000_000);
      await row(page, "s1/t10000").waitFor();
      assert.equal(await activeKey(page), "s1/t3");
      await press(page, "ArrowDown");
      assert.equal(await activeKey(page), "s1/t3/request");
      assert.ok(await row(page, "s1/t3/request").isVisible());
      await press(page, "End");
      await row(page, "s1/t10000/t10000c1").waitFor();
      assert.equal(await activeKey(page), "s1/t10000/t10000c1");
      await press(page, "Home", "PageDown");
      assert.match((await activeKey(page)) ?? "", /^s1\/[t@]\d+/);
      assert.equal(await page.locator("#tree").evaluate((tree) => document.activeElement === tree), true);
    });
  });

  test("focus, selection, expansion and scroll stay while every event of a session sends an increment", async () => {
    const turns = [turnWith(1, { asked: "Go on.", calls: [callWith("t1c0")] })];
    const session = sessionOf(turns, { running: true });
    const options = { viewport: { width: 320, height: 420 } };
    await on(
      session,
      async (page) => {
        await row(page, "s1/t1/t1c0").click();
        await row(page, "s1/t1/t1c0/receipt").click();
        const top = () => row(page, "s1/t1/t1c0/receipt").evaluate((it) => it.getBoundingClientRect().top);
        const before = await top();
        for (let at = 1; at < 30; at++) {
          const turn = turnWith(at + 1, {
            notes: [{ n: at, type: "configured", tone: "plain", text: "Set." }],
          });
          turns.push(turn);
          await send(page, {
            type: "changed",
            session: "s1",
            head: {
              notices: Array.from({ length: at }, (_, notice) => `Notice ${notice}`),
              running: at < 29,
            },
            turnCount: at + 1,
            rows: [rowFrom(at, turn)],
            turns: [{ at, turn }],
            calls: [],
            columns: [],
            stale: [],
          });
          assert.equal(await activeKey(page), "s1/t1/t1c0/receipt");
          assert.ok(Math.abs((await top()) - before) <= 1, `moved at ${at}`);
        }
        assert.equal(await page.textContent("#announcements"), "The session no longer runs.");
        const held = sessionOf(turns, { notices: Array.from({ length: 29 }, (_, at) => `Notice ${at}`) });
        await page.reload();
        await send(page, sessionsWith([held.head]), openedWith(held));
        await row(page, "s1/t1/t1c0/receipt").waitFor();
        await settled(page);
        assert.ok(Math.abs((await top()) - before) <= 1, `${await top()} and ${before}`);
        assert.equal(await row(page, "s1/t1/t1c0/receipt").getAttribute("aria-selected"), "true");
        assert.equal(await page.getAttribute("#details", "data-kind"), "receipt");
      },
      {
        ...options,
        host: (message) =>
          message.type === "ready" && turns.length > 1
            ? []
            : answerTo({ ...session, turnCount: turns.length }, message),
      },
    );
  });

  test("what is looked for leaves only the turns that have it, and Escape brings the others back", async () => {
    await on(longSession(1000), async (page) => {
      await page.focus("#tree");
      await press(page, "End");
      await row(page, "s1/t1000/t1000c0").click();
      await press(page, "Control+f");
      assert.equal(await page.evaluate(() => document.activeElement?.id), "find");
      await page.keyboard.type("Question 12");
      await page.waitForFunction(
        () => document.querySelector("#matches")?.textContent?.trim() === "1 match in 1 turn",
      );
      await row(page, "s1/t111/asked").waitFor();
      assert.equal(await row(page, "s1/t111").getAttribute("aria-setsize"), "1");
      assert.equal(await row(page, "s1/t1000").count(), 0);
      await press(page, "Escape");
      await row(page, "s1/t1000").waitFor();
      assert.equal(await page.inputValue("#find"), "");
      await page.click('[data-action="filter"]');
      await page.fill('[data-filter="tool"]', "search_text");
      await page.waitForFunction(() =>
        /^1,000 matches in 1,000 turns/.test(document.querySelector("#matches")?.textContent?.trim() ?? ""),
      );
      const finds = (await acts(page)).filter(({ type }) => type === "find");
      const asked = finds.map((find) => (find.type === "find" ? find.what.text : ""));
      assert.ok(asked.includes("Question 12") && asked.length < "Question 12".length, asked.join());
    });
  });

  test("a result's versions are tabs; a long text goes on with Show More; the setting and the event are named", async () => {
    const key = "s1/t1/t1c0/result";
    const text = "x".repeat(16_384);
    const details = detailsWith(key, {
      returned: { text, offset: 0, totalChars: 20_000, next: 16_384 },
      shown: { text: "Head.", offset: 0, totalChars: 5, next: null },
      why: {
        rule: "Longer than 8,000 characters.",
        setting: "cloakroom.claimCheck.thresholdChars",
        n: 8,
        type: "tool_result_stored",
      },
      events: [{ n: 8, type: "tool_result_stored", at: 0, json: '{"call":"t1c0"}' }],
    });
    await on(
      sessionOf(richTurns(), {}, () => details),
      async (page) => {
        await row(page, "s1/t1").click();
        await row(page, "s1/t1/t1c0").click();
        await row(page, key).click();
        const tabs = page.locator("#details [role=tab]");
        await tabs.first().waitFor();
        assert.deepEqual(await tabs.allTextContents(), ["Returned", "Shown to the model"]);
        assert.equal(await page.textContent("#version-text pre"), "Head.");
        await tabs.nth(1).focus();
        await press(page, "ArrowLeft");
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Returned");
        await page.click('[data-action="showMore"]');
        const wanted = { type: "wantText", session: "s1", key, part: "returned", offset: 16_384 };
        assert.deepEqual((await acts(page)).at(-1), wanted);
        const rest = { text: "y".repeat(3616), offset: 16_384, totalChars: 20_000, next: null };
        await send(page, { type: "text", session: "s1", key, part: "returned", text: rest });
        assert.equal((await page.textContent("#version-text pre"))?.length, 20_000);
        assert.equal(await page.locator('[data-action="showMore"]').count(), 0);
        await page.click('[data-action="openSetting"]');
        const setting = { type: "openSetting", setting: "cloakroom.claimCheck.thresholdChars" };
        assert.deepEqual((await acts(page)).at(-1), setting);
        assert.equal(await page.textContent(".event pre"), '{\n  "call": "t1c0"\n}');
      },
    );
  });

  test("what is impossible with a row is not offered", async () => {
    const offered = async (head: Parameters<typeof sessionOf>[1], key: string) => {
      let labels: string[] = [];
      await on(sessionOf(richTurns(), head), async (page) => {
        const turn = key.split("/").slice(0, 2).join("/");
        await row(page, turn).click();
        if (key !== turn) await row(page, key).click();
        labels = (await page.locator(".acts button").allTextContents()).map((text) => text.trim());
      });
      return labels;
    };
    const whole = ["Open Stored Result", "View in Inspector", "Copy Handle"];
    assert.deepEqual(await offered({}, "s1/t1/t1c0"), [
      ...whole,
      "Pin", // it is one line already
      "Delete Stored Result…",
      "Copy Link",
    ]);
    assert.deepEqual(await offered({ running: true }, "s1/t1/t1c0"), [...whole, "Pin", "Copy Link"]);
    assert.deepEqual(await offered({ kind: "imported" }, "s1/t1/t1c0"), [...whole, "Copy Link"]);
    assert.deepEqual(await offered({ kind: "analysed" }, "s1/t1/t1c0"), [...whole, "Copy Link"]);
    assert.deepEqual(await offered({}, "s1/t3/t3c0"), ["Pin", "Run Again Without Limit…", "Copy Link"]);
    assert.deepEqual(await offered({}, "s1/t3"), ["Show Request", "Fork Here…", "Copy Link"]);
    assert.deepEqual(await offered({ kind: "analysed" }, "s1/t3"), ["Show Request", "Copy Link"]);
  });

  test("a row that is revealed is opened, scrolled to and selected, wherever its turn is", async () => {
    await on(longSession(10_000), async (page) => {
      const key = "s1/t5000/t5000c1/receipt";
      await send(page, { type: "reveal", session: "s1", key });
      await row(page, key).waitFor();
      assert.ok(await row(page, key).isVisible());
      assert.equal(await row(page, key).getAttribute("aria-selected"), "true");
      assert.equal(await activeKey(page), key);
      await send(page, { type: "reveal", session: "s1", key: "s1/t77777" });
      assert.equal(await row(page, key).getAttribute("aria-selected"), "true", "there is no such turn");
    });
  });

  test("what a tool returned is text: no markup, no control character, no override reaches the page", async () => {
    const hostile = '<img src=x onerror="window.hit=1"><b>bold</b>\u001b[31m\u202egnp.exe\u0000';
    const shown = '<img src=x onerror="window.hit=1"><b>bold</b>␛[31m⟦U+202E⟧gnp.exe␀';
    const line = "z".repeat(4_000_000);
    const media = [{ handle: null, mediaType: hostile, bytes: 9, shown: "line" as const, text: hostile }];
    const call = callWith("t1c0", { tool: hostile, arguments: hostile, result: resultWith(hostile), media });
    const turn = turnWith(1, { asked: hostile, calls: [call] });
    const details = detailsWith("s1/t1/t1c0", {
      shown: { text: hostile, offset: 0, totalChars: hostile.length, next: null },
      texts: [{ label: hostile, text: { text: line, offset: 0, totalChars: line.length, next: null } }],
      why: { rule: hostile, setting: null, n: 1, type: hostile },
      events: [{ n: 1, type: hostile, at: 0, json: hostile }],
      problem: hostile,
    });
    await on(
      sessionOf([turn], { title: hostile, notices: [hostile] }, () => details),
      async (page) => {
        await row(page, "s1/t1/t1c0").click();
        await page.waitForSelector("#version-text");
        assert.equal(await page.textContent("#version-text pre"), shown);
        assert.equal(await page.locator("#inspector img, #inspector b").count(), 0);
        await row(page, "s1/t1/t1c0/media0").waitFor();
        const texts = (await page.textContent("#inspector")) ?? "";
        assert.ok(!/[\u0000\u001b\u202e]/.test(texts));
        assert.ok(texts.length < 100_000);
        const size = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
        assert.ok(size, "a long line does not widen the page");
      },
    );
  });

  test("every button asks for one thing by name", async () => {
    const wide = { viewport: { width: 1000, height: 700 } };
    const session = rich();
    await on(
      session,
      async (page) => {
        const other = headWith({ session: "s0", title: "Another", kind: "imported" });
        await send(page, sessionsWith([session.head, other]));
        for (const action of [
          "startSession",
          "continueSession",
          "analyzeSession",
          "setIntent",
          "setResultLimits",
        ])
          await page.click(`.head [data-action="${action}"]`);
        for (const action of ["reviewResultLimits", "exportSession", "verifySession", "openInEditor"]) {
          await page.click('[data-action="more"]');
          await page.click(`.head [data-action="${action}"]`);
        }
        await page.selectOption("#sessions", "s0");
        assert.deepEqual(await acts(page), [
          { type: "startSession" },
          { type: "continueSession", session: "s1" },
          { type: "analyzeSession" },
          { type: "setIntent", session: "s1" },
          { type: "setResultLimits" },
          { type: "reviewResultLimits" },
          { type: "exportSession", session: "s1" },
          { type: "verifySession", session: "s1" },
          { type: "openInEditor", session: "s1" },
          { type: "selectSession", session: "s0" },
        ]);
        await page.click('[data-action="more"]');
        await press(page, "Tab", "Escape");
        assert.equal(await page.getAttribute('[data-action="more"]', "aria-expanded"), "false");
        assert.equal(await actionInFocus(page), "more");
      },
      wide,
    );
    await on(sessionOf(richTurns(), { running: true }), async (page) => {
      await page.click('.head [data-action="stopSession"]');
      assert.deepEqual(await acts(page), [{ type: "stopSession", session: "s1" }]);
    });
  });

  test("the request of the selected turn is asked for while its panel is open", async () => {
    await on(rich(), async (page) => {
      await row(page, "s1/t3").click();
      await page.click('#details [data-action="showRequest"]');
      await page.waitForSelector("#request");
      await row(page, "s1/t2").click();
      await settled(page);
      assert.deepEqual(await acts(page), [
        { type: "wantRequest", session: "s1", turn: 3, from: 0 },
        { type: "wantRequest", session: "s1", turn: 2, from: 0 },
      ]);
      await page.click('#request [data-action="closePanel"]');
      await page.click('[data-panel="whatif"]');
      await settled(page);
      assert.equal((await acts(page)).at(-1)?.type, "whatIf");
      await page.reload();
      await page.waitForSelector("#whatif");
    });
  });

  test("what an open panel shows is asked for again when its session comes back into view", async () => {
    const session = rich();
    const whatIfs = async (page: Page) =>
      (await acts(page)).flatMap((told) => (told.type === "whatIf" ? [told.session] : []));
    const requests = async (page: Page) =>
      (await acts(page)).filter(({ type }) => type === "wantRequest").length;
    const opened = (id: string) => openedWith(sessionOf(richTurns(), { session: id }));
    const away = [
      async (page: Page) => {
        await send(page, opened("file-1"));
        await send(page, opened("s1"));
      },
      async (page: Page) => {
        await send(page, sessionsWith([session.head], { selected: "s2", problem: "Its log is damaged." }));
        await send(page, opened("s1"));
      },
      (page: Page) =>
        page.evaluate(
          (both) => {
            for (const data of both) window.postMessage(data, "*"); // nothing is drawn between them
          },
          [opened("file-1"), opened("s1")],
        ),
    ];
    for (const there of away)
      await on(session, async (page) => {
        await page.click('[data-panel="whatif"]');
        await settled(page);
        await there(page);
        await settled(page);
        assert.deepEqual(await whatIfs(page), ["s1", "s1"]);
        await page.click('[data-panel="request"]');
        await settled(page);
        await there(page);
        await settled(page);
        assert.equal(await requests(page), 2);
      });
  });

  test("how a person wants things shown is kept: filter, version of a result, part of a request, settings of What If", async () => {
    const key = "s1/t1/t1c0/result";
    const window = windowOf("Head.");
    const session = sessionOf(richTurns(), {}, (name) =>
      detailsWith(name, name === key ? { returned: windowOf("Whole."), shown: window } : {}),
    );
    await on(session, async (page) => {
      const pressed = (action: string) => page.getAttribute(`[data-action="${action}"]`, "aria-pressed");
      await page.click('[data-action="filter"]');
      for (const there of ["s1/t1", "s1/t1/t1c0", key]) await row(page, there).click();
      await page.click("#details [role=tab]"); // Returned
      await page.click('[data-panel="request"]');
      await send(page, { type: "request", session: "s1", request: { ...REQUEST, turn: 1 }, problem: null });
      await page.click('[data-action="filter-changed"]');
      await page.click('[data-panel="whatif"]');
      const knobs = { knobs: WHAT_IF.knobs, defaults: WHAT_IF.defaults, series: WHAT_IF.series };
      await send(page, { type: "whatIf", session: "s1", query: 1, ...knobs, problem: null });
      await page.getByRole("spinbutton", { name: "Clear after, turns" }).fill("9");
      await until("the setting is told", async () =>
        (await acts(page)).some((told) => told.type === "whatIf" && told.query === 2),
      );

      await page.reload();
      await page.waitForSelector("#whatif");
      const again = (await acts(page)).find(({ type }) => type === "whatIf");
      assert.deepEqual(again, { ...again, query: 1, knobs: { ...WHAT_IF.knobs, clearAfterTurns: 9 } });
      assert.equal(await page.getAttribute('[data-action="filter"]', "aria-expanded"), "true");
      await page.click('[data-panel="request"]');
      await send(page, { type: "request", session: "s1", request: { ...REQUEST, turn: 1 }, problem: null });
      assert.equal(await pressed("filter-changed"), "true");
      await page.click('#request [data-action="closePanel"]');
      assert.equal(await page.textContent("#version-text pre"), "Whole.");
    });
  });

  test("an open content goes on where it was read when the page comes back; one that never came is closed", async () => {
    await on(rich(), async (page) => {
      await row(page, "s1/t1").click();
      await row(page, "s1/t1/t1c0").click();
      await page.click('#details [data-action="viewContent"]');
      await page.waitForSelector("#content");
      const [asked] = await acts(page);
      assert.ok(asked?.type === "wantContent");
      await page.reload();
      await page.waitForSelector("#details");
      assert.equal(await page.locator("#content").count(), 0);
      await page.click('#details [data-action="viewContent"]');
      const sizes = {
        text: "tide\n",
        offset: 40_000,
        totalChars: 90_000,
        totalBytes: 90_000,
        line: null,
        totalLines: null,
      };
      const window = { handle: asked.handle, tool: "read_file", ...sizes };
      await send(page, { type: "content", session: "s1", window, match: null, search: null, problem: null });
      await page.reload();
      await page.waitForSelector("#content");
      assert.deepEqual((await acts(page)).at(-1), { ...asked, offset: 40_000 });
    });
  });

  test("the first stored result explains itself once", async () => {
    const session = rich();
    const head = { ...session.head, totals: { ...session.head.totals, calls: 1, storedResults: 1 } };
    await on({ ...session, head }, async (page) => {
      assert.equal(await page.locator("#first-stored").count(), 0);
      await send(page, sessionsWith([head], { isFirstStored: true }));
      await page.click('#first-stored [data-action="explained"]');
      await settled(page);
      assert.equal(await page.locator("#first-stored").count(), 0);
      assert.deepEqual(await acts(page), [{ type: "explained" }]);
    });
  });

  test("without a session there is a sentence and a way to begin; a problem is said in its place", async () => {
    await onPage(async (page) => {
      await send(page, sessionsWith([]));
      assert.match((await page.textContent("#empty")) ?? "", /^No session yet\./);
      await page.click('[data-action="startSession"]');
      await page.click('[data-action="analyzeSession"]');
      await send(page, sessionsWith([], { problem: "The storage folder cannot be written." }));
      assert.match((await page.textContent("#problem")) ?? "", /cannot be written/);
      assert.equal(await page.locator("#empty").count(), 0);
    });
  });

  test("tree and details are side by side where there is room", async () => {
    const boxes = async (width: number) => {
      let [tree, details] = [0, 0];
      await on(
        rich(),
        async (page) => {
          await row(page, "s1/t3").click();
          tree = (await page.locator("#tree").boundingBox())?.y ?? -1;
          details = (await page.locator("#details").boundingBox())?.y ?? -1;
        },
        { viewport: { width, height: 700 } },
      );
      return details - tree;
    };
    assert.equal(await boxes(900), 0);
    assert.ok((await boxes(320)) > 60);
  });

  test("an open panel has the height of a wide page, and the plot keeps its place while turns are chosen without one", async () => {
    const boxOf = async (page: Page, selector: string) =>
      (await page.locator(selector).boundingBox()) ?? assert.fail(selector);
    const wide = { viewport: { width: 1100, height: 800 } };
    await on(
      rich(),
      async (page) => {
        const before = await boxOf(page, "#overview .plot");
        await row(page, "s1/t3").click();
        await settled(page);
        assert.deepEqual(await boxOf(page, "#overview .plot"), before);
        await page.click('[data-panel="whatif"]');
        await page.waitForSelector("#whatif");
        const [overview, tree, side, head] = [
          await boxOf(page, "#overview"),
          await boxOf(page, "#tree"),
          await boxOf(page, ".side"),
          await boxOf(page, ".head"),
        ];
        assert.deepEqual([side.y, side.y + side.height], [head.y + head.height, 800]);
        for (const left of [overview, tree]) assert.ok(left.x + left.width <= side.x, JSON.stringify(left));
        assert.equal(tree.y + tree.height, 800);
        await page.setViewportSize({ width: 1100, height: 300 }); // all of it can be scrolled to
        assert.ok((await boxOf(page, "#tree")).height >= 264);
        const reach = await page.locator("#inspector").evaluate((all) => [all.scrollWidth, all.scrollHeight]);
        assert.ok(reach[0] === 1100 && (reach[1] ?? 0) > 300, `${reach}`);
        await page.setViewportSize({ width: 800, height: 800 });
        assert.equal((await boxOf(page, "#overview")).width, 800);
      },
      wide,
    );
  });

  test("nothing moves where the person asked for that", async () => {
    const animations = (page: Page) => page.evaluate(() => document.getAnimations().length);
    const session = sessionOf(richTurns(), { running: true });
    await on(session, async (page) => assert.equal(await animations(page), 0));
    await on(session, async (page) => assert.ok((await animations(page)) > 0), {
      reducedMotion: "no-preference",
    });
  });

  test("the bundle, script and style, is at most 300 kB", () => {
    const bytes = (name: string) => bundle.get(name)?.length ?? Number.POSITIVE_INFINITY;
    assert.ok(bytes("inspector.js") + bytes("inspector.css") <= 300_000);
  });
});
