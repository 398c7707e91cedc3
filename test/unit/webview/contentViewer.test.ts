// test/unit/webview: a stored content of any size, a window at a time.
import assert from "node:assert/strict";
import fc from "fast-check";
import { charsOf, cutAt, offsetFrom, piecesOf, placeWords } from "../../../webview-ui/contentWords";
import { createFormat } from "../../../webview-ui/format";
import { createTokenFormat } from "../../../webview-ui/tokenFormat";
import { CONTENT, VIEWER } from "../../support/panelStates";
import { PanelsBench, showPanel, toldBy } from "../../support/panelsPage";

const f = createTokenFormat(createFormat("en-US", "UTC"), "en-US");
const anyText = fc.string({ unit: "binary", maxLength: 200 });

suite("content: places", () => {
  test("a window says where it stands", () => {
    const end = f.number(CONTENT.offset + charsOf(CONTENT.text));
    assert.equal(placeWords(CONTENT, f), `16,385 to ${end} of 104,857,600 characters; from line 1,204`);
    const empty = { ...CONTENT, text: "", offset: 0, totalChars: 0, line: null };
    assert.equal(placeWords(empty, f), "0 to 0 of 0 characters");
  });

  test("what a person types is a character from 1 on, or a share", () => {
    const cases: [typed: string, offset: number | null][] = [
      ["1", 0],
      ["1,200", 1199],
      [" 20000 ", 9999],
      ["50%", 5000],
      ["100%", 9999],
      ["0", null],
      ["", null],
      ["%", null],
      ["line 4", null],
      ["1e3", null],
    ];
    for (const [typed, offset] of cases) assert.equal(offsetFrom(typed, 10_000), offset, typed);
  });

  test("for every text: what was found is cut out by code points, and nothing is lost", () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), fc.nat(20), fc.nat(50), (text, at, chars, offset) => {
        const { before, found, after } = cutAt({ ...CONTENT, text, offset }, { offset: at, chars });
        assert.equal(before + found + after, text);
        const expected = Array.from(text).slice(Math.max(0, at - offset), Math.max(0, at + chars - offset));
        assert.equal(found, expected.join(""));
      }),
    );
  });

  test("for every text: its pieces are the text, and none begins within a character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 15_900, max: 16_010 }), anyText, (length, text) => {
        const whole = "x".repeat(length) + "🌊".repeat(40) + text;
        const pieces = piecesOf(whole);
        assert.equal(pieces.join(""), whole);
        for (const piece of pieces.slice(0, -1)) assert.doesNotMatch(piece.slice(-1), /[\ud800-\udbff]/);
      }),
    );
  });
});

suite("content: the viewer", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());
  const end = CONTENT.offset + charsOf(CONTENT.text);

  test("Page Down scrolls, and goes on into the next window at the end; Page Up the other way", async () => {
    await bench.on("content", VIEWER, async (page) => {
      const text = page.locator(".content-text");
      const hasScrolled = await text.evaluateHandle((it) => {
        const ended = new Promise((resolve) => it.addEventListener("scrollend", resolve, { once: true }));
        return { ended };
      });
      await text.press("PageDown");
      await hasScrolled.evaluate(({ ended }) => ended.then(() => undefined));
      assert.deepEqual(await toldBy(page), []);
      await text.evaluate((it) => it.scrollTo(0, it.scrollHeight));
      await text.press("PageDown");
      assert.deepEqual(await toldBy(page), [["onWant", end]]);
      await showPanel(page, "content", { ...VIEWER, window: { ...CONTENT, offset: end } });
      assert.equal(await text.evaluate((it) => it.scrollTop), 0);
      assert.equal(await page.evaluate(() => document.activeElement?.className), "content-text");
      await text.press("PageUp");
      assert.deepEqual((await toldBy(page)).at(-1), ["onWant", end - 16_384]);
      await showPanel(page, "content", VIEWER);
      const isAtEnd = await text.evaluate((it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 1);
      assert.equal(isAtEnd, true);
      await text.press("Control+End");
      await text.press("Control+Home");
      assert.deepEqual((await toldBy(page)).slice(-2), [
        ["onWant", 104_857_600 - 16_384],
        ["onWant", 0],
      ]);
    });
  });

  test("buttons, the range for the whole, and a place that is typed", async () => {
    await bench.on("content", VIEWER, async (page) => {
      await page.getByRole("button", { name: "Previous Part" }).click();
      await page.getByRole("button", { name: "Next Part" }).press("Enter");
      await page.getByRole("slider", { name: "Place in the content" }).press("End");
      await page.getByRole("textbox", { name: "Go to" }).fill("50%");
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Go to" }).fill("nowhere");
      await page.keyboard.press("Enter");
      assert.deepEqual(await toldBy(page), [
        ["onWant", 0],
        ["onWant", end],
        ["onWant", 104_857_600 - 16_384],
        ["onWant", 52_428_800],
      ]);
      await page.getByRole("button", { name: "Open in Editor" }).click();
      await page.getByRole("button", { name: "Close" }).click();
      assert.deepEqual(
        (await toldBy(page)).slice(-2).map(([name]) => name),
        ["onOpenDocument", "onClose"],
      );
    });
  });

  test("a search begins where the window does, and goes on after what was found", async () => {
    await bench.on("content", VIEWER, async (page) => {
      await page.getByRole("textbox", { name: "Find" }).fill("goes out at 23");
      await page.keyboard.press("Enter");
      assert.deepEqual(await toldBy(page), [["onFind", "goes out at 23", 16_384]]);
      const offset = 16_384 + CONTENT.text.lastIndexOf("goes out at 23");
      await showPanel(page, "content", { ...VIEWER, find: "goes out at 23", match: { offset, chars: 14 } });
      const mark = page.locator("mark");
      assert.equal(await mark.textContent(), "goes out at 23");
      const isSeen = await mark.evaluate((it) => {
        const box = it.closest(".content-text")?.getBoundingClientRect();
        const { top, bottom } = it.getBoundingClientRect();
        return box !== undefined && top >= box.top && bottom <= box.bottom;
      });
      assert.equal(isSeen, true);
      await page.getByRole("button", { name: "Find Next" }).click();
      assert.deepEqual((await toldBy(page)).at(-1), ["onFind", "goes out at 23", offset + 14]);
    });
  });

  test("one line of a whole window wraps, characters outside of the plane are all shown", async () => {
    const text = "🌊".repeat(16_384);
    await bench.on("content", { ...VIEWER, window: { ...CONTENT, text } }, async (page) => {
      assert.equal(await page.textContent(".content-text"), text);
      const { scrollWidth, clientWidth } = await page.locator(".content-text").evaluate((it) => it);
      assert.equal(scrollWidth, clientWidth);
    });
  });

  test("a problem is said where there is no content, and a small content needs no range", async () => {
    const problem = "The stored result is gone.";
    await bench.on("content", { ...VIEWER, window: null, problem }, async (page) => {
      assert.equal(await page.getByRole("alert").textContent(), problem);
      await page.getByRole("button", { name: "Open in Editor" }).press("Enter");
      assert.deepEqual(await toldBy(page), []);
      const window = { ...CONTENT, text: "short", offset: 0, totalChars: 5 };
      await showPanel(page, "content", { ...VIEWER, window });
      assert.equal(await page.getByRole("slider").count(), 0);
      assert.equal(
        await page.getByRole("button", { name: "Next Part" }).getAttribute("aria-disabled"),
        "true",
      );
    });
  });
});
