// test/unit/webview: What If: knobs that follow each other, and what comes of them.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { WhatIfKnobs } from "../../../src/schema/whatIf";
import { createFormat } from "../../../webview-ui/format";
import { createTokenFormat } from "../../../webview-ui/tokenFormat";
import {
  figureRows,
  isSameKnobs,
  knobValue,
  NUMBER_KNOBS,
  whatIfSentence,
} from "../../../webview-ui/whatIfWords";
import { KNOBS, SERIES, WHAT_IF } from "../../support/panelStates";
import { PanelsBench, showPanel, toldBy } from "../../support/panelsPage";

const f = createTokenFormat(createFormat("en-US", "UTC"), "en-US");

suite("What If: words", () => {
  test("every knob takes what the schema takes, at both ends, and nothing beyond", () => {
    for (const knob of NUMBER_KNOBS) {
      for (const end of [knob.minimum, knob.maximum]) {
        const value = knobValue(knob, String(end));
        assert.equal(value, end, knob.name);
        assert.doesNotThrow(() => WhatIfKnobs.parse(knob.write(KNOBS, end)), knob.name);
      }
      for (const typed of [String(knob.minimum - 1), String(knob.maximum + 1), "", "x"])
        assert.equal(knobValue(knob, typed), null, `${knob.name} ${typed}`);
    }
  });

  test("every setting of the schema has a knob: a change of any is a difference", () => {
    for (const knob of NUMBER_KNOBS) {
      assert.equal(isSameKnobs(KNOBS, knob.write(KNOBS, (knob.read(KNOBS) ?? 0) + 1)), false, knob.name);
    }
    assert.equal(isSameKnobs(KNOBS, { ...KNOBS, strategy: "off" }), false);
    assert.equal(isSameKnobs(KNOBS, structuredClone(KNOBS)), true);
    const names = [...Object.keys(KNOBS), ...Object.keys(KNOBS.prices ?? {})];
    const known = [...NUMBER_KNOBS.map(({ name }) => name), "strategy", "prices"];
    assert.deepEqual(names.sort(), known.sort());
  });

  test("what comes of it is compared with what was recorded, or else with everything", () => {
    const changes = (series: typeof SERIES) =>
      figureRows(series, f).map(({ kind, cells }) => [kind, ...cells.map(({ change }) => change)]);
    assert.deepEqual(changes(SERIES), [
      ["everything", "+101%", "+93%", "+121%"],
      ["recorded", "", "", ""],
      ["cloakroom", "-16%", "-14%", "-22%"],
    ]);
    assert.deepEqual(changes({ ...SERIES, recorded: null, sums: { ...SERIES.sums, recorded: null } }), [
      ["everything", "", "", ""],
      ["cloakroom", "-58%", "-55%", "-65%"],
    ]);
    assert.equal(
      whatIfSentence(SERIES, f),
      "12 results stored, 3 shortened later, 2 read back; 84,000 tokens hidden at the end.",
    );
    const gone = (goneResults: number) => whatIfSentence({ ...SERIES, goneResults }, f);
    assert.match(gone(1), /end\. 1 stored result is deleted or cannot be read: counted by its size\.$/);
    assert.match(gone(2), /end\. 2 stored results are deleted or cannot be read: counted by their size\.$/);
  });
});

suite("What If: the panel", () => {
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    bench = await PanelsBench.open();
  });
  suiteTeardown(() => bench?.close());

  const untilTold = async (page: Page, count: number) => {
    await page.waitForFunction((n) => (window as unknown as { told: unknown[] }).told.length >= n, count);
    return toldBy(page);
  };

  test("a slider moves its field at once; the page is told once, when the person rests", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      const slider = page.getByRole("slider", { name: "Store results over" });
      const field = page.getByRole("spinbutton", { name: "Store results over, characters" });
      await slider.evaluate((it: HTMLInputElement) => {
        for (const value of ["4352", "4608", "4864", "5120"]) {
          it.value = value;
          it.dispatchEvent(new Event("input", { bubbles: true }));
        }
      });
      assert.equal(await field.inputValue(), "5120");
      assert.equal(await slider.getAttribute("aria-valuetext"), "5,120 characters");
      assert.deepEqual(await untilTold(page, 1), [["onChange", { ...KNOBS, thresholdChars: 5120 }]]);
      await slider.press("ArrowLeft");
      assert.deepEqual((await untilTold(page, 2)).at(-1), ["onChange", { ...KNOBS, thresholdChars: 4864 }]);
    });
  });

  test("a field takes more than its slider, and a value that is none is marked and not told", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      const field = page.getByRole("spinbutton", { name: "Clear after, turns" });
      await field.fill("900");
      assert.deepEqual((await untilTold(page, 1)).at(-1), ["onChange", { ...KNOBS, clearAfterTurns: 900 }]);
      assert.equal(await page.getByRole("slider", { name: "Clear after" }).inputValue(), "40");
      await field.fill("0");
      assert.equal(await page.locator('vscode-textfield[data-name="clearAfterTurns"][invalid]').count(), 1);
      const lives = page.getByRole("spinbutton", { name: "A cache lives, seconds" });
      await lives.fill("");
      const last = { ...KNOBS, clearAfterTurns: 900, prices: { ...KNOBS.prices, ttlSeconds: null } };
      assert.deepEqual((await untilTold(page, 2)).slice(1), [["onChange", last]]);
    });
  });

  test("a strategy is chosen; Reset takes everything back, also what was not told yet", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      await page.getByRole("combobox", { name: "Shorten" }).press("Enter");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      assert.deepEqual((await untilTold(page, 1)).at(-1), ["onChange", { ...KNOBS, strategy: "age" }]);
      await page.evaluate(async () => {
        type Field = HTMLElement & { updateComplete: Promise<boolean> };
        const field = document.querySelector<Field>('[data-name="headChars"]');
        const input = field?.shadowRoot?.querySelector("input");
        if (!input) throw new Error("no field");
        input.value = "640";
        input.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
        await field?.updateComplete;
        document.querySelector<HTMLElement>('[data-action="reset"]')?.click();
      });
      assert.deepEqual((await untilTold(page, 2)).slice(1), [["onChange", KNOBS]]);
      assert.equal(await page.getByRole("spinbutton", { name: "Head that stays" }).inputValue(), "512");
      await page.getByRole("spinbutton", { name: "Shorten after" }).fill("3");
      assert.deepEqual((await untilTold(page, 3)).at(2), ["onChange", { ...KNOBS, shortenAfterTurns: 3 }]);
      assert.match(
        (await page.getByRole("combobox", { name: "Shorten" }).textContent()) ?? "",
        /When it pays/,
      );
    });
  });

  test("Apply is there once something differs, and gives what is shown", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      const apply = page.locator('[data-action="apply"]');
      assert.equal(await apply.getAttribute("aria-disabled"), "true");
      await apply.click({ force: true });
      assert.deepEqual(await toldBy(page), []);
      const knobs = { ...KNOBS, slack: 0.5 };
      await showPanel(page, "whatIf", { ...WHAT_IF, knobs, isBusy: true });
      await apply.press("Enter");
      assert.deepEqual(await toldBy(page), [["onApply", knobs]]);
      assert.equal(await page.getByRole("status").textContent(), "Calculating…");
      assert.equal(await page.locator(".what-if").getAttribute("aria-busy"), "true");
    });
  });

  test("nothing moves while a replay runs", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      const top = () => page.locator(".what-if-plot").evaluate((it) => it.getBoundingClientRect().top);
      const before = await top();
      await showPanel(page, "whatIf", { ...WHAT_IF, isBusy: true });
      assert.equal(await top(), before);
    });
  });

  test("figures and lines are there; a session without a request says so", async () => {
    await bench.on("whatIf", WHAT_IF, async (page) => {
      assert.equal(await page.locator(".what-if-line").count(), 3);
      assert.match(
        (await page.locator('[data-row="cloakroom"]').textContent()) ?? "",
        /What if\s*1\.3M\s*-16%/,
      );
      const none = { ...SERIES, everything: [], cloakroom: [], readBack: [], recorded: null };
      await showPanel(page, "whatIf", { ...WHAT_IF, series: none });
      assert.equal(await page.textContent(".what-if-sentence"), "The session has no request yet.");
    });
  });
});
