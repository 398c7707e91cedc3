// test/unit/webview: a stored content of any size, a window at a time.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { charsOf, cutAt, goalFrom, piecesOf, placeWords } from "../../../webview-ui/contentWords";
import { createFormat } from "../../../webview-ui/format";
import { createTokenFormat } from "../../../webview-ui/tokenFormat";
import { CONTENT, VIEWER } from "../../support/panelStates";
import { PanelsBench, showPanel, toldBy } from "../../support/panelsPage";

const f = createTokenFormat(createFormat("en-US", "UTC"), "en-US");
const anyText = fc.string({ unit: "binary", maxLength: 200 });

suite("content: places", () => {
  test("a window says where it stands", () => {
    const end = f.number(CONTENT.offset + charsOf(CONTENT.text));
    assert.equal(
      placeWords(CONTENT, f),
      `16,385 to ${end} of 104,857,600 characters; from line 1,204 of 90,000`,
    );
    const empty = { ...CONTENT, text: "", offset: 0, totalChars: 0, line: null, totalLines: null };
    assert.equal(placeWords(empty, f), "0 to 0 of 0 characters");
  });

  test("what a person types is a line, a character, both from 1 on, or a share", () => {
    const cases: [typed: string, goal: { line: number } | { offset: number } | null][] = [
      ["120", { line: 120 }],
      [":120", { line: 120 }],
      [" : 1,200 ", { line: 1200 }],
      ["0", { line: 1 }],
      ["99999999", { line: 99_999_999 }], // the host knows the last one
      ["::1", { offset: 0 }],
      ["::1,200", { offset: 1199 }],
      [" ::20000 ", { offset: 9999 }],
      ["50%", { offset: 5000 }],
      ["12,5 %", { offset: 1250 }],
      ["100%", { offset: 9999 }],
      ["150%", { offset: 9999 }],
      [":640:3", { line: 640 }],
      ["640:", { line: 640 }],
      ["::640:3", null],
      ["5:3%", null],
      ["abc", null],
      ["", null],
      [":", null],
      ["%", null],
      [":50%", null],
      [":::4", null],
      ["-4", null],
      ["line 4", null],
      ["1e3", null],
      ["99999999999999999999", null],
    ];
    for (const [typed, goal] of cases) assert.deepEqual(goalFrom(typed, 10_000), goal, typed);
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

  test("what is no place is marked and said under the field; beyond the end is the end", async () => {
    await bench.on("content", VIEWER, async (page) => {
      const goTo = page.getByRole("textbox", { name: "Go to" });
      const said = page.locator(".content-invalid");
      for (const typed of ["abc", "-5"]) {
        await goTo.fill(typed);
        assert.equal(await said.isVisible(), false);
        await goTo.press("Enter");
        assert.equal(await goTo.getAttribute("aria-invalid"), "true");
        assert.equal(await said.textContent(), "Not a place. Go to line (1 to 90,000), ::character or %");
        assert.equal(await goTo.evaluate((it) => it.matches(":focus")), true);
      }
      assert.deepEqual(await toldBy(page), []);
      await goTo.fill(":640:3");
      await goTo.press("Enter");
      assert.equal(await goTo.getAttribute("aria-invalid"), "false");
      assert.equal(await said.isVisible(), false);
      for (const typed of ["150%", "100%", "::999999999"]) {
        await goTo.fill(typed);
        await goTo.press("Enter");
      }
      const last = ["onWant", 104_857_600 - 16_384];
      assert.deepEqual(await toldBy(page), [["onLine", 640], last, last, last]);
    });
  });

  const TIDE = "goes out at 23";
  const offset = 16_384 + CONTENT.text.lastIndexOf(TIDE);
  const FOUND = { ...VIEWER, find: TIDE, match: { offset, chars: TIDE.length } };
  const isMarkSeen = (page: Page) =>
    page.locator("mark").evaluate((it) => {
      const box = it.closest(".content-text")?.getBoundingClientRect();
      const { top, bottom } = it.getBoundingClientRect();
      return box !== undefined && top >= box.top && bottom <= box.bottom;
    });

  test("a search begins where the window does, or back from its end, and goes on beside what was found", async () => {
    await bench.on("content", VIEWER, async (page) => {
      const find = page.getByRole("textbox", { name: "Find" });
      await find.fill(TIDE);
      await find.press("Enter");
      await find.press("Shift+Enter");
      assert.deepEqual(await toldBy(page), [
        ["onFind", TIDE, 16_384, "next"],
        ["onFind", TIDE, end, "previous"],
      ]);
      await showPanel(page, "content", FOUND);
      assert.equal(await page.locator("mark").textContent(), TIDE);
      assert.equal(await isMarkSeen(page), true);
      await page.getByRole("button", { name: "Next Match" }).click();
      await page.getByRole("button", { name: "Previous Match" }).click();
      await page.locator(".content-text").press("F3");
      await page.getByRole("textbox", { name: "Find" }).press("Shift+F3");
      const [next, previous] = [
        ["onFind", TIDE, offset + TIDE.length, "next"],
        ["onFind", TIDE, offset, "previous"],
      ];
      assert.deepEqual((await toldBy(page)).slice(2), [next, previous, next, previous]);
    });
  });

  test("what was found again is in sight again, also where it stands once and was scrolled away", async () => {
    await bench.on("content", FOUND, async (page) => {
      await page.locator(".content-text").evaluate((it) => it.scrollTo(0, 0));
      assert.equal(await isMarkSeen(page), false);
      await showPanel(page, "content", { ...FOUND, search: "wrapped" });
      assert.equal(await isMarkSeen(page), true);
    });
  });

  test("that nothing was found is said, and so is which end it went on from", async () => {
    await bench.on("content", { ...FOUND, match: null, search: "nothing" }, async (page) => {
      const words = page.locator(".content-search");
      assert.equal(await words.textContent(), "No results");
      await showPanel(page, "content", { ...FOUND, search: "wrapped" });
      assert.equal(await words.textContent(), "Went on from the beginning");
      await showPanel(page, "content", { ...FOUND, search: "wrapped", direction: "previous" });
      assert.equal(await words.textContent(), "Went on from the end");
      await showPanel(page, "content", { ...FOUND, search: "found" });
      assert.equal(await words.isVisible(), false);
    });
  });

  test("Ctrl+G asks for a line and says how many there are, Ctrl+F for a text; VS Code gets neither key", async () => {
    await bench.on("content", VIEWER, async (page) => {
      await page.evaluate(() => {
        document.title = "none";
        addEventListener("keydown", ({ key, ctrlKey }) => {
          if (ctrlKey && key.length === 1) document.title = key;
        });
      });
      const text = page.locator(".content-text");
      await text.press("Control+g");
      const goTo = page.getByRole("textbox", { name: "Go to line (1 to 90,000)" });
      assert.equal(await goTo.evaluate((it) => it.matches(":focus")), true);
      await page.keyboard.type(":1200");
      await page.keyboard.press("Enter");
      assert.deepEqual(await toldBy(page), [["onLine", 1200]]);
      assert.equal(await page.evaluate(() => document.activeElement?.className), "content-text");
      await text.press("Control+f");
      await page.keyboard.type("ebb");
      await page.keyboard.press("Enter");
      assert.deepEqual((await toldBy(page)).at(-1), ["onFind", "ebb", 16_384, "next"]);
      assert.equal(await page.title(), "none");
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
