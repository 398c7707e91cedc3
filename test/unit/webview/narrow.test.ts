// test/unit/webview: a side bar as narrow as VS Code lets it be: nothing is cut that has nowhere else to be read.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { OVERVIEW, WHAT_IF } from "../../support/panelStates";
import { PanelsBench } from "../../support/panelsPage";

const WIDTHS = [170, 220, 240, 279, 280, 320];

/** What sticks out of the window, or is cut in its own box, by its text. */
const cutIn = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all
        .filter((it) => it.getBoundingClientRect().right > innerWidth || it.scrollWidth > it.clientWidth)
        .map((it) => it.textContent),
    );

suite("a narrow side bar", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());

  test("the legend's names are whole", async () => {
    for (const width of WIDTHS)
      await bench.on(
        "overview",
        OVERVIEW,
        async (page) => assert.deepEqual(await cutIn(page, ".legend-name"), [], `${width} px`),
        { viewport: { width, height: 700 } },
      );
  });

  test("What If's figures are all there, each with its column's name", async () => {
    for (const width of WIDTHS)
      await bench.on(
        "whatIf",
        WHAT_IF,
        async (page) => {
          assert.deepEqual(await cutIn(page, ".figures td, .knob > *, .what-if-sentence"), [], `${width} px`);
          const names = await page
            .locator('[data-row="cloakroom"] td')
            .evaluateAll((all) => all.map((it) => it.getAttribute("data-name")));
          assert.deepEqual(names, ["Tokens sent", "Cost", "Largest"]);
        },
        { viewport: { width, height: 700 } },
      );
  });

  test("a change stands apart from its figure", async () => {
    for (const width of [170, 320, 1000])
      await bench.on(
        "whatIf",
        WHAT_IF,
        async (page) => {
          const gaps = await page.locator(".change:not(:empty)").evaluateAll((all) =>
            all.map((it) => {
              const texts = [...(it.parentElement?.childNodes ?? []), it.firstChild].filter(
                (node) => node?.nodeType === 3 && node.textContent?.trim() !== "",
              );
              const [value, change] = [texts.at(0), it].map((node) => {
                const range = document.createRange();
                if (node) range.selectNodeContents(node);
                return range.getBoundingClientRect();
              }) as [DOMRect, DOMRect];
              return change.top >= value.bottom - 4 ? 100 : change.left - value.right;
            }),
          );
          assert.ok(gaps.length > 0 && gaps.every((gap) => gap >= 4), `${width} px: ${gaps}`);
        },
        { viewport: { width, height: 700 } },
      );
  });
});
