// test/unit/webview: one request, message by message.
import assert from "node:assert/strict";
import { createFormat } from "../../../webview-ui/format";
import { divergenceWords, requestSentence } from "../../../webview-ui/requestWords";
import { createTokenFormat } from "../../../webview-ui/tokenFormat";
import { REQUEST, REQUEST_PANE } from "../../support/panelStates";
import { PanelsBench, showPanel, toldBy } from "../../support/panelsPage";

const f = createTokenFormat(createFormat("en-US", "UTC"), "en-US");

suite("request: words", () => {
  test("the sentence counts messages, not the system prompt and the tools, in any window", () => {
    const whole =
      "Turn 7: 24 messages, 18,201 tokens; 16,020 as before; the provider read 15,872 from its cache";
    assert.equal(requestSentence(REQUEST, f), whole);
    assert.equal(requestSentence({ ...REQUEST, from: 10, items: REQUEST.items.slice(10) }, f), whole);
    assert.equal(
      requestSentence({ ...REQUEST, prefix: null, cachedTokens: null, removed: 3 }, f),
      "Turn 7: 24 messages; 3 of the messages before taken out",
    );
  });

  test("where it first differs, and why", () => {
    assert.equal(
      divergenceWords(REQUEST, 6),
      "First differs from turn 6 at message 10: an old result was shortened.",
    );
    const at = (place: number, type: string) => ({
      ...REQUEST,
      divergence: { at: place, by: { n: 1, type } },
    });
    assert.equal(
      divergenceWords(at(-2, "invented"), null),
      "First differs from the request before at the system prompt: invented.",
    );
    assert.match(divergenceWords({ ...REQUEST, divergence: { at: 24, by: null } }, 6), /there is only more/);
    assert.match(divergenceWords({ ...REQUEST, divergence: null }, null), /first request/);
  });
});

suite("request: the panel", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());

  test("a message opens by keyboard and by mouse; its text is asked for once, and shown as text", async () => {
    await bench.on("request", REQUEST_PANE, async (page) => {
      const row = (at: number) => page.locator(`[data-at="${at}"] > summary`);
      await row(8).press("Enter");
      await row(9).click();
      await page.waitForFunction(() => (window as unknown as { told: unknown[] }).told.length > 0);
      assert.deepEqual(await toldBy(page), [["onWantText", 8, 0]]);
      assert.match((await page.textContent('[data-at="8"]')) ?? "", /Reading…/);
      const text = (await page.textContent('[data-at="9"] pre')) ?? "";
      assert.match(
        text,
        /^The tide\.\n<img src=x onerror="window\.pwned=1">␛\[31m⟦U\+202E⟧gnp\.exe⟦U\+200B⟧&lt;b&gt;$/,
      );
      await page.click('[data-at="9"] [data-action="laterText"]');
      const shownChars = REQUEST_PANE.texts[0][1].text.length;
      assert.deepEqual((await toldBy(page)).at(-1), ["onWantText", 9, shownChars]);
    });
  });

  test("states are marked and named, not only coloured", async () => {
    await bench.on("request", REQUEST_PANE, async (page) => {
      const words = (at: number) =>
        page
          .locator(`[data-at="${at}"] > summary`)
          .textContent()
          .then((text) => (text ?? "").trim());
      assert.match(await words(9), /^~\s*Message 10, changed:\s*read_file/);
      assert.match(await words(14), /^\+\s*Message 15, new:\s*search_text/);
      assert.match(await words(15), /1,350 characters/);
      assert.match(
        (await page.locator('[data-at="9"] > summary').getAttribute("title")) ?? "",
        /an old result was shortened \(event 341\)/,
      );
      assert.equal((await page.textContent(".pane-part[data-exact=true]"))?.trim(), "Exactly what was sent");
    });
  });

  test("what changed only: what is as before is folded", async () => {
    await bench.on("request", REQUEST_PANE, async (page) => {
      await page.getByRole("button", { name: "Changed since the request before" }).click();
      assert.deepEqual(await toldBy(page), [["onFilter", "changed"]]);
      assert.equal(await page.locator(".request-item").count(), 3);
      assert.deepEqual(await page.locator(".request-fold").allInnerTexts(), [
        "11 messages as before",
        "4 messages as before",
      ]);
    });
  });

  test("the list is a window: what is before and after is asked for by place", async () => {
    const request = { ...REQUEST, from: 8, items: REQUEST.items.slice(8, 14) };
    await bench.on("request", { ...REQUEST_PANE, request }, async (page) => {
      await page.getByRole("button", { name: "Show Earlier Messages (8)" }).click();
      await page.getByRole("button", { name: "Show Later Messages (12)" }).press("Enter");
      await page.getByRole("button", { name: "Event 341" }).click();
      assert.deepEqual(await toldBy(page), [
        ["onWant", 2],
        ["onWant", 14],
        ["onEvent", 341],
      ]);
    });
  });

  test("an open message stays open, and keeps the focus, when another window comes", async () => {
    await bench.on("request", REQUEST_PANE, async (page) => {
      await page.locator('[data-at="9"] > summary').press("Enter");
      const request = { ...REQUEST, from: 6, items: REQUEST.items.slice(6) };
      await showPanel(page, "request", { ...REQUEST_PANE, request });
      assert.equal(await page.locator('[data-at="9"]').getAttribute("open"), "");
      assert.equal(await page.evaluate(() => document.activeElement?.parentElement?.dataset.at), "9");
    });
  });
});
