/** A session as a report: in a real Chromium, hostile texts are text, nothing runs, nothing is asked for, nothing runs over. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { htmlOf } from "../../../../src/inspector/export/html";
import type { Logged } from "../../../../src/schema/event";
import type { ExportedContent } from "../../../../src/schema/export";
import { eventWith, everyEvent, logged } from "../../../support/everyEvent";
import { richHouse } from "../../../support/inspectorHouse";
import { launchBrowser } from "../../../vscode/workbench";

const timeOf = (at: number) => `at ${at}`;

const contentsIn = (events: readonly Logged[]): readonly ExportedContent[] =>
  events.flatMap((event) =>
    event.type === "tool_result_stored" ? [{ ...event, handles: [event.handle], why: null }] : [],
  );
const reportOf = (events: readonly Logged[]): string =>
  [...htmlOf({ events, contents: contentsIn(events) }, { timeOf })].join("");

const ATTACK =
  `</pre></title></style><script>document.title = "run"</script><img src="http://127.0.0.1:9/x" onerror="document.title='run'">` +
  `<svg onload="document.title='run'"><a href="javascript:document.title='run'">' " &amp; \u001b[31mred\u0007 \u202egnp.exe\u2066 \0 \u0085`;

/** Every text that somebody else wrote is hostile, and one is a line of 4 MB. */
function hostile(): readonly Logged[] {
  const line = `${ATTACK}${"A".repeat(4 * 1024 * 1024)}`;
  const call = { call: "t1c0", id: ATTACK, name: ATTACK, arguments: line };
  return logged([
    eventWith("session_started", { title: ATTACK, workspace: ATTACK }),
    eventWith("recovered", { detail: ATTACK }),
    eventWith("asked", { text: line }),
    eventWith("requested"),
    eventWith("replied", { text: `${line}\n\ttabbed`, calls: [call], error: ATTACK }),
    eventWith("clamped", { tool: ATTACK, effectiveArguments: ATTACK }),
    eventWith("authorised", { by: "user", reason: ATTACK }),
    eventWith("executed"),
    eventWith("tool_result_stored", { tool: ATTACK }),
    eventWith("remembered", { text: line, why: ATTACK }),
    eventWith("repaired", { turn: 1, repairs: [{ kind: "result_moved", call: "t1c0", detail: ATTACK }] }),
    eventWith("redemption_refused", { call: "t1c0", given: "<b>\u202e</b>" }),
    eventWith("run_ended", { turn: 1, end: "failed", message: ATTACK }),
  ]);
}

suite("a session's report", () => {
  let browser: Browser;
  let folder: string;

  suiteSetup(async function () {
    this.timeout(120_000); // a machine without a Chromium gets one
    folder = await mkdtemp(path.join(os.tmpdir(), "clk-report-"));
    browser = await launchBrowser();
  });
  suiteTeardown(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the file as a person does, scripts allowed; what it asks for and what the policy had to stop is returned. */
  async function opened(report: string, use: (page: Page) => Promise<void>, width = 1000): Promise<string[]> {
    const file = path.join(folder, "report.html");
    await writeFile(file, report);
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (request.url() !== pathToFileURL(file).href) problems.push(request.url());
    });
    try {
      await page.goto(pathToFileURL(file).href);
      await page.evaluate(() => {
        for (const one of document.querySelectorAll("details")) one.open = true;
      });
      await use(page);
      return problems;
    } finally {
      await context.close();
    }
  }
  /** How far the page, or anything in it but a table that scrolls by itself, runs over its right edge. */
  const overflow = (page: Page) =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const edges = [...document.querySelectorAll("main *:not(.table *)")].map((one) =>
        one.scrollWidth - one.clientWidth > 1 && one.clientWidth > 0 && !one.matches(".table, svg *")
          ? one.scrollWidth - one.clientWidth
          : 0,
      );
      return Math.max(scrollWidth - clientWidth, ...edges);
    });

  test("hostile texts: no element, no script, no request, no scroll to the side, and nobody's control characters", async () => {
    const report = reportOf(hostile());
    assert.ok(report.length < 200_000, `${report.length} characters`);
    assert.doesNotMatch(report, /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
    for (const width of [360, 1000]) {
      const problems = await opened(
        report,
        async (page) => {
          assert.equal(
            await page.locator("script, img, a, iframe, object, embed, link, form, [onload]").count(),
            0,
          );
          assert.match(
            await page.title(),
            /^<\/pre><\/title>.*\\x1b\[31mred\\x07 \\u202egnp\.exe\\u2066 \\x00/,
          );
          assert.equal(await overflow(page), 0);
          const said = await page.locator(".said pre").textContent();
          assert.ok(said?.startsWith('</pre></title></style><script>document.title = "run"'));
        },
        width,
      );
      assert.deepEqual(problems, []);
    }
  });

  test("texts are cut with what is left out and where the whole is; lines and tabs stay", async () => {
    const [event] = logged([eventWith("remembered", { text: "x".repeat(5001) })]);
    const handle = eventWith("tool_result_stored").handle;
    const events = everyEvent().map((one) =>
      one.type === "remembered" && event ? { ...event, n: one.n, call: one.call } : one,
    );
    const short = events.map((one) =>
      one.type === "asked" ? { ...one, text: "two\r\nlines\tand a tab" } : one,
    );
    const problems = await opened(reportOf(short), async (page) => {
      assert.equal(
        await page.locator(".shown .cut").first().textContent(),
        `1,001 characters left out; the whole is the stored result ${handle}.`,
      );
      assert.equal(await page.locator(".asked pre").textContent(), "two\nlines\tand a tab");
    });
    assert.deepEqual(problems, []);
  });

  test("what a session came to is in it: sentence, plot with its table, turns, receipts, lists, what was shortened and stored", async () => {
    const problems = await opened(reportOf(everyEvent()), async (page) => {
      const text = ((await page.locator("main").textContent()) ?? "").replace(/\s+/g, " ");
      for (const words of [
        "3 calls; no results stored; 1 deleted; 2 read back; 1 limit lowered; 1 list incomplete; 1 repair.",
        "limit 500 → 10",
        "came back: 10 items, 5,100 bytes",
        "To 10 characters in turn 2, by age: what later requests no longer carry",
        "Old results were shortened: 9,000 tokens before, 4,000 after",
        "Repaired: No result came.",
        "2 secrets hidden",
        "Characters 0–99 of 5,000",
      ])
        assert.ok(text.includes(words), `${words} in ${text}`);
      assert.equal(
        await page.locator("svg[role=img] > title").textContent(),
        "Tokens per request, turn 1 to 1",
      );
      assert.deepEqual(await page.locator(".figures tbody td").allInnerTexts(), [
        "1",
        "1,200",
        "1,200",
        "1",
        "18",
      ]);
      assert.equal(
        await page
          .locator("section", { hasText: "Stored results" })
          .locator("tbody tr")
          .last()
          .locator("td")
          .nth(3)
          .textContent(),
        "2",
      );
    });
    assert.deepEqual(problems, []);
  });

  test("a real session, one that ends anywhere, and a log without a beginning are reports", async () => {
    const { events } = await richHouse();
    for (const part of [events, events.slice(0, 9), events.slice(1)]) {
      const problems = await opened(
        reportOf(part),
        async (page) => assert.equal(await overflow(page), 0),
        360,
      );
      assert.deepEqual(problems, []);
    }
    assert.match(reportOf(events.slice(0, 9)), /The log ends in the middle of a turn/);
    assert.match(reportOf(events.slice(1)), /The session log has no beginning/);
  });

  test("ten thousand turns stay a file that a browser opens", async function () {
    this.timeout(120_000);
    const turns = Array.from({ length: 10_000 }, (_, at) => at + 1).flatMap((turn) => [
      eventWith("requested", { turn }),
      eventWith("replied", {
        turn,
        text: "a long reply ".repeat(200),
        calls: [
          { call: `t${turn}c0`, id: "", name: "read_file", arguments: `{"path": "${"x".repeat(900)}"}` },
        ],
      }),
      eventWith("remembered", { call: `t${turn}c0`, text: "a long result ".repeat(300) }),
    ]);
    const report = reportOf(logged([eventWith("session_started"), ...turns]));
    assert.ok(report.length < 25_000_000, `${report.length} characters`);
    const file = path.join(folder, "long.html");
    await writeFile(file, report);
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    assert.equal(await page.locator("details.turn").count(), 10_000);
    assert.equal(await page.locator("svg rect.new").count(), 120);
    await page.close();
  });
});
