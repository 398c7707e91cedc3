// test/unit/webview: all panels of the inspector: under the page's policy, in every theme, with hostile content.
import assert from "node:assert/strict";
import { ANALYSIS, HOSTILE, KNOBS, OVERVIEW, REQUEST_PANE, VIEWER, WHAT_IF } from "../../support/panelStates";
import { type Panel, PanelsBench, panelsBundle, toldBy } from "../../support/panelsPage";
import { DARK, HIGH_CONTRAST, LIGHT } from "../../support/themes";

const PANELS: readonly (readonly [Panel, Readonly<Record<string, unknown>>])[] = [
  ["controls", { isDisabled: true }],
  ["overview", { ...OVERVIEW, whatIf: OVERVIEW.plot.columns.map(() => 30_000), pointed: 20 }],
  ["request", REQUEST_PANE],
  ["request", { ...REQUEST_PANE, request: null, problem: "The log cannot be read." }],
  ["content", { ...VIEWER, match: { offset: 16_400, chars: 4 } }],
  ["content", { ...VIEWER, window: null, problem: "The stored result is gone." }],
  ["whatIf", { ...WHAT_IF, knobs: { ...KNOBS, headChars: 640 } }],
  ["whatIf", { ...WHAT_IF, series: null, problem: "The log cannot be read." }],
  ["analysis", { analysis: ANALYSIS, isOpen: true }],
];

suite("the inspector's panels", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000); // a machine without a Chromium gets one
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());

  for (const [name, theme] of Object.entries({ dark: DARK, light: LIGHT, "high contrast": HIGH_CONTRAST })) {
    test(`${name}: no serious violation of the accessibility rules`, async () => {
      assert.deepEqual(await bench.violations(PANELS, theme), []);
    });
  }

  test("forced colours: no serious violation, and what is found stands out in the system's own", async () => {
    assert.deepEqual(await bench.violations(PANELS, DARK, "active"), []);
    const given = { ...VIEWER, match: { offset: 16_400, chars: 4 } };
    await bench.on("content", given, async (page) => {
      await page.emulateMedia({ forcedColors: "active" });
      const colours = (selector: string) =>
        page.locator(selector).evaluate((it) => {
          const { backgroundColor, color } = getComputedStyle(it);
          return { backgroundColor, color };
        });
      const [text, match] = [await colours(".content-text"), await colours("mark")];
      assert.notEqual(match.backgroundColor, text.backgroundColor);
      assert.notEqual(match.backgroundColor, match.color);
    });
  });

  test("nothing is wider than a narrow side bar, and nothing is said on the console", async () => {
    for (const [panel, given] of PANELS) {
      await bench.on(
        panel,
        given,
        async (page) => {
          const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
          assert.equal(scrollWidth, clientWidth, panel);
        },
        { viewport: { width: 240, height: 600 } },
      );
    }
  });

  test("what came from outside is text in every panel", async () => {
    const request = { ...REQUEST_PANE.request, items: REQUEST_PANE.request.items.map(hostile) };
    const given: readonly (readonly [Panel, Readonly<Record<string, unknown>>])[] = [
      ["request", { ...REQUEST_PANE, request, problem: HOSTILE }],
      [
        "content",
        { ...VIEWER, window: { ...VIEWER.window, tool: HOSTILE, text: HOSTILE }, problem: HOSTILE },
      ],
      ["whatIf", { ...WHAT_IF, problem: HOSTILE }],
      ["analysis", { analysis: { agent: HOSTILE, sentence: HOSTILE, lines: [HOSTILE] }, isOpen: true }],
      ["overview", { ...OVERVIEW, head: { ...OVERVIEW.head, priceName: HOSTILE }, unit: "cost" }],
    ];
    for (const [panel, props] of given) {
      await bench.on(panel, props, async (page) => {
        assert.equal(await page.locator("img").count(), 0, panel);
        assert.equal(await page.evaluate(() => "pwned" in window), false, panel);
        const shown = (await page.textContent("#inspector")) ?? "";
        assert.match(shown, /<img src=x/, panel);
        assert.doesNotMatch(shown, /[\u001b\u202e\u200b]/, panel);
      });
    }
  });

  test("controls: keyboard and mouse, names, and a disabled one does nothing", async () => {
    await bench.on("controls", { isDisabled: true }, async (page) => {
      await page.click('[data-action="start"]');
      await page.evaluate(() => {
        addEventListener("keydown", (event) => {
          document.title = `${event.code}:${event.defaultPrevented}`;
        });
      });
      await page.focus('[data-action="stop"]');
      await page.keyboard.press("Enter");
      await page.keyboard.press(" ");
      assert.equal(await page.title(), "Space:true"); // the page must not scroll
      await page.locator('[data-action="off"]').click({ force: true });
      await page.getByRole("button", { name: "Close" }).press("Enter");
      await page.getByRole("button", { name: "Next" }).press("Enter");
      assert.equal(await page.getByRole("button", { name: "Next" }).getAttribute("aria-disabled"), "true");
      await page.getByRole("textbox", { name: "Find" }).fill("ebb");
      await page.keyboard.press("Enter");
      await page.getByRole("combobox", { name: "Shown" }).press("ArrowUp"); // opens it
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.getByRole("checkbox", { name: "Wrap lines" }).press(" ");
      await page.getByRole("slider", { name: "Threshold" }).press("ArrowRight");
      assert.deepEqual(await toldBy(page), [
        ["start"],
        ["stop"],
        ["stop"],
        ["close"],
        ["input", "ebb"],
        ["enter", "ebb"],
        ["select", "a"],
        ["check", true],
        ["slide", 5],
      ]);
    });
  });

  test("an analysis opens by keyboard", async () => {
    await bench.on("analysis", { analysis: ANALYSIS, isOpen: false }, async (page) => {
      assert.equal(await page.locator(".analysis-lines").isVisible(), false);
      await page.locator(".analysis-head").press("Enter");
      assert.match(
        (await page.textContent(".analysis-lines")) ?? "",
        /^requests {8}60 {3}1,560,000 tokens\n/,
      );
      assert.equal(await page.locator(".analysis-lines").isVisible(), true);
    });
  });

  test("an analysis in a narrow side bar: words go on below, only figures in columns are wider, with a bar that is there", async () => {
    const long = `Waits between requests: ${"none longer than 5 min, ".repeat(8)}`;
    const lines = ["A session", long, "", `cost, as tokens${" ".repeat(40)}17,011${" ".repeat(14)}12,345`];
    await bench.on("analysis", { analysis: { ...ANALYSIS, lines }, isOpen: true }, async (page) => {
      await page.setViewportSize({ width: 300, height: 600 });
      const widths = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) =>
            all.map((one) => [one.scrollWidth > one.clientWidth, getComputedStyle(one).overflowX]),
          );
      assert.deepEqual(await widths(".analysis-lines"), [[false, "hidden"]]);
      assert.deepEqual(await widths(".analysis-table"), [[true, "scroll"]]);
      assert.deepEqual(await page.locator(".analysis-line").allTextContents(), ["A session", long, ""]);
    });
  });

  test("all panels and controls together take less than half of what a page may", async () => {
    const bundle = await panelsBundle();
    assert.ok((bundle.get("panels.js")?.length ?? 0) < 150_000);
  });
});

const hostile = <T extends { preview: string }>(item: T): T => ({ ...item, preview: HOSTILE, tool: HOSTILE });
