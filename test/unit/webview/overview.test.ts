// test/unit/webview: a session at a glance: its sentence, its bar, and the plot that is a slider.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { FILL_KINDS } from "../../../src/schema/view";
import { FILL_PARTS } from "../../../webview-ui/fillParts";
import { createFormat } from "../../../webview-ui/format";
import { columnWords, overviewParts, type Unit } from "../../../webview-ui/overviewWords";
import {
  columnFor,
  columnNear,
  linePath,
  PLOT_HEIGHT,
  plotTop,
  plotWidth,
  stackedPaths,
} from "../../../webview-ui/plotShapes";
import { createTokenFormat } from "../../../webview-ui/tokenFormat";
import { HEAD, LIST, OVERVIEW, plotOf } from "../../support/panelStates";
import { PanelsBench, showPanel, toldBy } from "../../support/panelsPage";

const f = createTokenFormat(createFormat("en-US", "UTC"), "en-US");
const FILL = { tokens: [2000, 5000, 1000, 20_000, 8000, 4000, 1000, 0], naive: 90_000, isEstimate: false };
const sentence = (head: Partial<typeof HEAD>, fill: typeof FILL | null = FILL, unit: Unit = "tokens") =>
  overviewParts({ ...HEAD, ...head }, fill, unit, f)
    .map(({ text }) => text)
    .join("; ");
const totals = (given: Partial<typeof HEAD.totals>) => ({ ...HEAD.totals, ...given });

suite("overview: words", () => {
  test("parts stand in the order of the fill", () => {
    assert.deepEqual(
      FILL_PARTS.map(({ kind }) => kind),
      FILL_KINDS,
    );
  });

  test("the sentence says what is in the window and what was kept out, and only what is not zero", () => {
    assert.equal(
      sentence({}),
      "41k of 200k tokens; 3 results stored; 84k tokens saved net; 1 list incomplete",
    );
    const titleOf = (given: Partial<typeof HEAD.totals>) =>
      overviewParts({ ...HEAD, totals: totals(given) }, FILL, "tokens", f).map(
        ({ text, title }) => `${text}: ${title}`,
      )[1];
    assert.match(
      titleOf({ storedResults: 2, deletedResults: 1 }) ?? "",
      /^2 results stored: .*; 1 result deleted$/,
    );
    assert.match(
      titleOf({ storedResults: 0, deletedResults: 2 }) ?? "",
      /^0 results stored: .*; 2 results deleted$/,
    );
    const nothing = totals({ storedResults: 0, sentTokens: 5, naiveTokens: 5 });
    assert.equal(sentence({ totals: nothing, lists: [], incompleteLists: 0 }), "41k of 200k tokens");
    assert.equal(sentence({ totals: nothing, lists: [], incompleteLists: 0 }, null), "");
    assert.equal(
      sentence(
        { windowTokens: null, totals: nothing, lists: [], incompleteLists: 0 },
        { ...FILL, isEstimate: true },
      ),
      "41k tokens, window not known, estimated",
    );
    const many = { totals: nothing, lists: [LIST], incompleteLists: 30 }; // more than a page is told of
    assert.equal(sentence(many), "41k of 200k tokens; 30 lists incomplete");
  });

  test("what cost more than naive is said to cost more", () => {
    const more = totals({ storedResults: 0, sentTokens: 52_000, naiveTokens: 40_000 });
    assert.equal(
      sentence({ totals: more, lists: [], incompleteLists: 0 }),
      "41k of 200k tokens; 12k tokens more than naive",
    );
  });

  test("costs name their prices; without prices there are none", () => {
    assert.match(
      sentence({}, FILL, "cost"),
      /; cost 12k instead of 30k input tokens \(prices: anthropic-5m\);/,
    );
    assert.match(sentence({ priceName: null }, FILL, "cost"), /; 84k tokens saved net;/);
  });

  test("a column says its turn, its tokens and naive, where there is a naive request", () => {
    const column = { at: 11, turn: 12, ...FILL };
    assert.equal(columnWords(column, f), "Turn 12: 41,000 tokens; naive 90,000");
    assert.equal(
      columnWords({ ...column, naive: 0, isEstimate: true }, f),
      "Turn 12: 41,000 tokens, estimated",
    );
  });
});

const anyColumn = fc.record({
  at: fc.nat(300),
  turn: fc.nat(300),
  tokens: fc.array(fc.nat(300_000), { minLength: 8, maxLength: 8 }),
  naive: fc.nat(1_000_000),
  isEstimate: fc.boolean(),
});
const anyColumns = fc.array(fc.option(anyColumn, { nil: null }), { maxLength: 256 });
const KEYS = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];

suite("overview: geometry", () => {
  test("every shape stays in the plot, whatever the columns", () => {
    fc.assert(
      fc.property(anyColumns, (columns) => {
        const top = plotTop(columns);
        for (const path of stackedPaths(columns, 8, top)) {
          assert.match(path, /^(M\d+ [\d.]+(V[\d.]+H\d+)+Z)*$/);
          for (const [, y] of path.matchAll(/V([\d.]+)/g)) assert.ok(Number(y) <= PLOT_HEIGHT);
          for (const [, x] of path.matchAll(/[MH](\d+)/g)) assert.ok(Number(x) <= columns.length);
        }
      }),
    );
  });

  test("two columns are stacked in steps; a kind that is missing in between is two shapes", () => {
    const columns = [
      { at: 0, turn: 1, tokens: [50, 50], naive: 0, isEstimate: false },
      null,
      { at: 2, turn: 3, tokens: [25, 0], naive: 0, isEstimate: false },
    ];
    assert.deepEqual(stackedPaths(columns, 2, 100), [
      "M0 100.00V50.00H1V100.00H0ZM2 100.00V75.00H3V100.00H2Z",
      "M0 50.00V0.00H1V50.00H0Z",
    ]);
    assert.equal(linePath([100, null, 50, 0], 100), "M0 0.00H1M2 50.00H3V100.00H4");
  });

  test("a short session has the plot's width, and one turn is not a wall", () => {
    const { columns } = plotOf(9);
    assert.equal(plotWidth(columns), 9);
    assert.equal(plotWidth(columns.slice(0, 1)), 8);
  });

  test("keys lead to columns that have a request, and every such column is reached", () => {
    fc.assert(
      fc.property(anyColumns, fc.nat(255), fc.constantFrom(...KEYS), (columns, at, key) => {
        const to = columnFor(columns, at, key);
        const filled = columns.flatMap((column, place) => (column === null ? [] : [place]));
        if (filled.length === 0) return assert.equal(to, null);
        assert.ok(to !== null && filled.includes(to));
        const visited: (number | null)[] = [columnFor(columns, 0, "Home")];
        for (const _ of filled.slice(1)) visited.push(columnFor(columns, visited.at(-1) ?? 0, "ArrowRight"));
        assert.deepEqual(visited, filled);
      }),
    );
  });

  test("the nearest column with a request stands for a turn that has none", () => {
    const { columns } = plotOf(10);
    assert.equal(columnNear(columns, 3), 2);
    assert.equal(columnNear(columns, 30), 9);
    assert.equal(columnNear([null], 0), null);
    assert.equal(columnNear([], 0), null);
  });
});

suite("overview: the panel", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());

  test("by keyboard: arrows, pages, ends; the value is said in words", async () => {
    await bench.on("overview", OVERVIEW, async (page) => {
      const plot = page.getByRole("slider", { name: "Turns" });
      assert.equal(await plot.getAttribute("aria-valuetext"), "Turn 40: 54,120 tokens; naive 102,600");
      for (const key of ["ArrowLeft", "PageDown", "Home", "ArrowRight", "ArrowRight", "ArrowRight", "End"])
        await plot.press(key);
      const told = await toldBy(page);
      assert.deepEqual(
        told.map(([, at]) => at),
        [38, 28, 0, 1, 2, 4, 39], // turn 4 has no request
      );
      await plot.press("ArrowRight"); // already the newest
      assert.equal((await toldBy(page)).length, told.length);
    });
  });

  test("where a column stands for several turns, the keys reach each of them and both ends, and each tells its own request", async () => {
    const half = { ...OVERVIEW, plot: { ...OVERVIEW.plot, turnsPerColumn: 2 }, turnCount: 80 };
    await bench.on("overview", { ...half, selected: 21, fill: { turn: 22, fill: FILL } }, async (page) => {
      const plot = page.getByRole("slider", { name: "Turns" });
      assert.match((await plot.getAttribute("aria-valuetext")) ?? "", /^Turn 22: 41,/);
      assert.match((await page.textContent(".plot-readout")) ?? "", /^Turn 22: 41,/);
      assert.equal(await plot.getAttribute("aria-valuenow"), "21");
      for (const key of ["ArrowLeft", "ArrowLeft", "ArrowRight", "PageDown", "End", "Home"])
        await plot.press(key);
      assert.deepEqual(
        (await toldBy(page)).map(([, at]) => at),
        [20, 19, 20, 0, 79, 0],
      );
    });
  });

  test("by mouse: what is under the pointer is said; a press and a drag select", async () => {
    await bench.on("overview", OVERVIEW, async (page) => {
      const box = await page.locator(".plot").boundingBox();
      assert.ok(box);
      const at = (column: number) => box.x + (box.width * (column + 0.5)) / 40;
      await page.mouse.move(at(10), box.y + 20);
      assert.match((await page.textContent(".plot-readout")) ?? "", /^Turn 11: /);
      await page.mouse.down();
      await page.mouse.move(at(12), box.y + 20);
      await page.mouse.move(box.x + box.width + 200, box.y + 20); // a drag goes on outside
      await page.mouse.up();
      const selected = (await toldBy(page))
        .filter(([name]) => name === "onSelectTurn")
        .map(([, turn]) => turn);
      assert.deepEqual(selected, [10, 12, 39]);
    });
  });

  test("the bar and its legend tell the selected turn; room left is a part of its own", async () => {
    await bench.on("overview", { ...OVERVIEW, fill: { turn: 12, fill: FILL } }, async (page) => {
      const bar = page.getByRole("img", {
        name: /^Request of turn 12, in tokens: System 2,000, Tools 5,000/,
      });
      const title = await bar.locator('[data-fill="assistant"]').getAttribute("title");
      assert.equal(title, "Assistant: 20,000 tokens (10%)");
      const widths = await bar.evaluate((it) =>
        [...it.children].map((part) => Math.round(part.getBoundingClientRect().width)),
      );
      const total = widths.reduce((sum, width) => sum + width, 0);
      assert.ok(Math.abs((widths.at(-1) ?? 0) / total - 159 / 200) < 0.03);
      const entries = (await page.textContent(".legend")) ?? "";
      assert.match(entries, /Free\s*159k\s*80%/);
      assert.match(entries, /Kept out\s*49k/); // the area under naive
    });
  });

  test("where nobody says what the model takes, the bar is the request, and nothing is called free", async () => {
    const head = { ...HEAD, windowTokens: null };
    await bench.on("overview", { ...OVERVIEW, head, fill: { turn: 12, fill: FILL } }, async (page) => {
      assert.match(
        (await page.textContent(".overview-sentence")) ?? "",
        /^Turn 12: 41k tokens, window not known;/,
      );
      assert.equal(await page.locator('.fill-bar [data-fill="free"]').isVisible(), false);
      assert.equal(await page.locator('.legend [data-fill="free"]').count(), 0);
    });
  });

  test("the turn is named where its tokens stand beside the session's", async () => {
    await bench.on("overview", { ...OVERVIEW, selected: 2 }, async (page) => {
      const sentence = () => page.textContent("#summary");
      assert.match((await sentence()) ?? "", /^Turn 3: [\d.]+k of 200k tokens;/);
      await showPanel(page, "overview", { ...OVERVIEW, selected: OVERVIEW.turnCount - 1 });
      assert.match((await sentence()) ?? "", /^Turn 40: 54k of 200k tokens;/);
    });
  });

  test("tokens and cost are a choice only where costs are known", async () => {
    await bench.on("overview", OVERVIEW, async (page) => {
      await page.getByRole("button", { name: "Cost" }).click();
      assert.match(
        (await page.textContent(".overview-sentence")) ?? "",
        /cost 12k instead of 30k input tokens/,
      );
      await showPanel(page, "overview", { ...OVERVIEW, head: { ...HEAD, priceName: null } });
      assert.equal(await page.getByRole("button", { name: "Cost" }).count(), 0);
    });
  });

  test("nothing moves while the pointer goes over the plot or another turn is selected", async () => {
    const use = async (page: Page) => {
      const height = () =>
        page.evaluate(() => document.querySelector(".overview")?.getBoundingClientRect().height);
      const before = await height();
      for (const at of [0, 6, 20, 39]) {
        await showPanel(page, "overview", { ...OVERVIEW, pointed: at, selected: at });
        assert.equal(await height(), before);
      }
    };
    for (const width of [200, 320]) {
      await bench.on("overview", OVERVIEW, use, { viewport: { width, height: 700 } });
    }
  });

  test("without a request there is a sentence, and keys do nothing", async () => {
    const plot = { turnsPerColumn: 1, columns: [] };
    await bench.on("overview", { ...OVERVIEW, plot, turnCount: 0 }, async (page) => {
      await page.getByRole("slider", { name: "Turns" }).press("End");
      await page.mouse.move(100, 100);
      assert.equal((await toldBy(page)).filter(([name]) => name === "onSelectTurn").length, 0);
      assert.equal(await page.textContent(".plot-readout"), "No request yet.");
    });
  });
});
