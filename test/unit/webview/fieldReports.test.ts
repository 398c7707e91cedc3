// test/unit/webview: field reports of long lines, control sequences and large sessions, on the page in a real Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { root } from "../../../scripts/bootstrap.mjs";
import { windowOf } from "../../../src/inspector/detailTexts";
import { Feed } from "../../../src/inspector/feed";
import { inspectorFold } from "../../../src/inspector/project";
import { turnAt } from "../../../src/inspector/turnPages";
import type { TextWindow, ToView } from "../../../src/schema/inspector";
import { WINDOW_CHARS } from "../../../src/schema/inspector";
import { MAXIMUM_ROWS, MAXIMUM_TURNS } from "../../../webview-ui/loaded";
import { apply, bounded, EMPTY_MODEL } from "../../../webview-ui/model";
import { visibleSegments } from "../../../webview-ui/visibleText";
import { answerTo } from "../../support/inspectorHost";
import { inspectorBundle, openInspector } from "../../support/inspectorPage";
import {
  callWith,
  detailsWith,
  resultWith,
  sessionOf,
  storedWith,
  turnWith,
} from "../../support/inspectorViews";
import { longSession } from "../../support/longSession";
import { type LookedAtSession, sessionsOf } from "../../support/lookedAt";
import { CONTENT, VIEWER } from "../../support/panelStates";
import { PanelsBench } from "../../support/panelsPage";
import { linesOf } from "../../support/transcripts";
import { launchBrowser } from "../../vscode/workbench";

const MEGABYTES = 4_000_000;
const common = { sessionId: "s", uuid: "u", timestamp: "2026-01-02T03:04:05.000Z" };
const user = (content: unknown) => ({ ...common, type: "user", message: { role: "user", content } });
const model = (id: string, content: unknown[]) => ({
  ...common,
  type: "assistant",
  message: { id, role: "assistant", model: "claude-x", content },
});

/** One call with these arguments, and what it returned, opened as Analyze Session… opens it. */
async function opened(input: object, content: string, use: (log: LookedAtSession) => Promise<void>) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "clk-field-"));
  try {
    const file = path.join(folder, "session.jsonl");
    const call = model("m1", [{ type: "tool_use", id: "a", name: "Read", input }]);
    const result = user([{ type: "tool_result", tool_use_id: "a", content }]);
    await writeFile(
      file,
      linesOf(user("Look."), call, result, model("m2", [{ type: "text", text: "Done." }])),
    );
    const [log] = await sessionsOf(file);
    assert.ok(log);
    await use(log);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const detailsOf = async (log: LookedAtSession, key: string) => {
  const answer = await log.answer({
    type: "wantDetails",
    session: log.session,
    key: `${log.session}/${key}`,
  });
  assert.ok(answer?.type === "details");
  return answer.details;
};

/** A text window by window, as a page asks for it. */
async function wholeOf(log: LookedAtSession, key: string, part: string, first: TextWindow | null) {
  let window = first ?? assert.fail(`${key} has no ${part}`);
  let text = window.text;
  let largest = window.text.length;
  while (window.next !== null) {
    const asked = { session: log.session, key: `${log.session}/${key}`, part, offset: window.next };
    const more = await log.answer({ type: "wantText", ...asked });
    assert.ok(more?.type === "text" && more.text.offset === window.next);
    window = more.text;
    text += window.text;
    largest = Math.max(largest, window.text.length);
  }
  return { text, largest };
}

suite("field reports on the page", () => {
  let browser: Browser;
  let bundle: ReadonlyMap<string, Uint8Array>;
  let bench: PanelsBench;
  suiteSetup(async function () {
    this.timeout(120_000);
    [browser, bundle, bench] = await Promise.all([launchBrowser(), inspectorBundle(), PanelsBench.open()]);
  });
  suiteTeardown(async () => {
    await browser?.close();
    await bench?.close();
  });

  const STEERING = "\u001b[?1049h\u001b[1;24r\u001b[1;1Hone\0two\u001b]8;;http://x\u0007link\u009b2J";
  const SHOWN = "␛[?1049h␛[1;24r␛[1;1Hone␀two␛]8;;http://x␇link⟦U+009B⟧2J";

  test("control sequences and NUL are shown, never sent to the screen: in rows, in details, in the viewer", async () => {
    const result = resultWith(STEERING, { why: STEERING });
    const stored = callWith("t1c0", { tool: STEERING, arguments: STEERING, result, stored: storedWith() });
    const window = windowOf(STEERING);
    const session = sessionOf([turnWith(1, { asked: STEERING, calls: [stored] })], {}, (key) =>
      detailsWith(key, {
        ...{ returned: window, shown: window, texts: [{ label: "Arguments", text: window }] },
        events: [{ n: 1, type: "remembered", at: 0, json: JSON.stringify({ text: STEERING }) }],
      }),
    );
    const { page, problems } = await openInspector(browser, bundle, {
      host: (message) => answerTo(session, message),
    });
    await page.locator('[role=treeitem][data-key="s1/t1/t1c0"]').click();
    await page.waitForSelector("#version-text");
    assert.equal(await page.textContent("#version-text pre"), SHOWN);
    assert.ok((await page.textContent('[role=treeitem][data-key="s1/t1/asked"]'))?.includes(SHOWN));
    const everything = (await page.content()) + ((await page.textContent("body")) ?? "");
    assert.doesNotMatch(everything, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    assert.deepEqual(problems, []);
    await page.context().close();
    await bench.on("content", { ...VIEWER, window: { ...CONTENT, text: STEERING } }, async (panel) => {
      assert.equal(await panel.textContent(".content-text"), SHOWN);
    });
  });

  test("an escape that two windows share is shown whole: each half as it is, and nothing of it is taken off", () => {
    const sequence = fc.constantFrom(
      "\u001b[31;1m",
      "\u001b]8;;http://harbour.example/a\u0007",
      "\u001b[0m",
      "🌊\u0301",
    );
    fc.assert(
      fc.property(sequence, fc.nat(30), (given, before) => {
        const text = `${"x".repeat(WINDOW_CHARS - before)}${given}red${"y".repeat(40)}`;
        const first = windowOf(text);
        const windows = first.next === null ? [first] : [first, windowOf(text, first.next)];
        const shown = (part: string) =>
          visibleSegments(part)
            .map((segment) => segment.text)
            .join("");
        assert.equal(windows.map((window) => shown(window.text)).join(""), shown(text));
      }),
      { numRuns: 300 },
    );
    assert.equal(
      visibleSegments("x\u001b[3")
        .map((segment) => segment.text)
        .join(""),
      "x␛[3",
    );
  });

  test("a line of 4 MB: details and viewer have a window of it, every character can be reached, and the page stays as wide as it is", async () => {
    const line = `{"all":"${"harbour 🌊 ".repeat(MEGABYTES / 12)}"}`;
    await opened({ path: "a" }, line, async (log) => {
      const details = await detailsOf(log, "t1/t1c0/result");
      const { text, largest } = await wholeOf(log, "t1/t1c0/result", "returned", details.returned);
      assert.equal(text, line);
      assert.ok(largest <= 2 * WINDOW_CHARS);
      const handle = turnAt(log.fold.turns, 0)?.calls[0]?.stored?.handle;
      assert.ok(handle);
      const end = [...line].length - 10;
      const answer = await log.answer({ type: "wantContent", session: log.session, handle, offset: end });
      assert.ok(answer?.type === "content" && answer.window !== null);
      assert.equal(answer.window.text, line.slice(-answer.window.text.length));
      const unbroken = line.slice(0, 40_000).replaceAll(" ", "");
      const shown = { ...VIEWER, window: { ...answer.window, text: unbroken } };
      await bench.on("content", shown, async (panel) => {
        const isWithin = (element: Element) => element.scrollWidth <= element.clientWidth;
        for (const element of ["html", ".content-text"])
          assert.ok(await panel.locator(element).evaluate(isWithin), element);
        assert.ok(((await panel.textContent(".content-text")) ?? "").length >= 20_000);
      });
    });
  });

  test("windows of details are counted in characters, not lines: five lines of 20 000 come in pieces, and end", async () => {
    const lines = Array.from({ length: 5 }, (_, n) => String(n).repeat(20_000)).join("\n");
    await opened({ path: "a" }, lines, async (log) => {
      const details = await detailsOf(log, "t1/t1c0");
      const { text, largest } = await wholeOf(log, "t1/t1c0", "returned", details.returned);
      assert.deepEqual([text, largest], [lines, WINDOW_CHARS]);
    });
  });

  test("a call of 100 kB of arguments: cut in its row, in windows in its details, whole when asked for", async () => {
    const content = "All hands on deck.\n".repeat(5400);
    await opened({ path: "a", content }, "ok", async (log) => {
      const [opening] = log.begun();
      assert.ok(opening?.type === "opened");
      const turns = await log.answer({ type: "wantTurns", session: log.session, places: [0] });
      assert.ok(turns?.type === "turns");
      assert.ok((turns.turns[0]?.turn.calls[0]?.arguments.length ?? 999) <= 301);
      const details = await detailsOf(log, "t1/t1c0/arguments");
      const [first] = details.texts;
      assert.ok(first && first.text.text.length <= WINDOW_CHARS);
      assert.ok(details.events.every(({ json }) => json.length <= 8001));
      const { text } = await wholeOf(log, "t1/t1c0/arguments", first.label, first.text);
      assert.deepEqual(JSON.parse(text), { path: "a", content });
    });
  });

  test("a transcript of 100 MB opens in the inspector in bounded memory", async function () {
    this.timeout(180_000);
    const folder = await mkdtemp(path.join(os.tmpdir(), "clk-field-"));
    try {
      const file = path.join(folder, "large.jsonl");
      const out = createWriteStream(file);
      const write = async (line: unknown) =>
        void (out.write(`${JSON.stringify(line)}\n`) || (await once(out, "drain")));
      await write(user("Look."));
      for (let n = 0; n < 3000; n++) {
        await write(model(`c${n}`, [{ type: "tool_use", id: `c${n}`, name: "Read", input: {} }]));
        const content = `${n} ${"A line of a file.\n".repeat(1950)}`;
        await write(user([{ type: "tool_result", tool_use_id: `c${n}`, content }]));
      }
      await write(model("end", [{ type: "text", text: "Done." }]));
      out.end();
      await once(out, "close");
      const script = path.join(root, "test", "support", "largeTranscript.ts");
      const given = ["--max-old-space-size=400", "--import=tsx", script, file];
      const { stdout } = await promisify(execFile)(process.execPath, given, { cwd: root });
      const told = JSON.parse(stdout);
      assert.deepEqual([told.turns, told.returnedChars], [3001, 35_105]);
      assert.ok(told.begunBytes < 200_000 && told.heapMegabytes < 400, stdout);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("thousands of increments: the page keeps at most 400 rows and 80 turns, whatever was open", () => {
    let fold = inspectorFold.begin();
    let page = EMPTY_MODEL;
    const feed = new Feed();
    let told = 0;
    for (const event of longSession({ turns: 1500, calls: 2 })) {
      fold = inspectorFold.reduce(fold, event);
      feed.note(fold.touched);
      const first = page.head === null ? feed.opened(fold) : null;
      const messages: readonly ToView[] = first ? [first] : feed.changes(fold);
      for (const message of messages) {
        page = apply(page, message);
        told++;
      }
      const { turnCount } = page.loaded;
      page = bounded(page, { from: Math.max(0, turnCount - 40), to: turnCount }, new Set([0, 1, 2]));
      assert.ok(page.loaded.rows.size <= MAXIMUM_ROWS && page.loaded.turns.size <= MAXIMUM_TURNS);
    }
    assert.ok(told > 5000, `${told} increments`);
    assert.deepEqual([MAXIMUM_ROWS, MAXIMUM_TURNS, page.loaded.turnCount], [400, 80, 1500]);
    assert.ok(page.plot.columns.length <= 256 && page.details.size === 0 && page.texts.size === 0);
    assert.ok(JSON.stringify([...page.loaded.rows, ...page.loaded.turns]).length < 2_000_000);
  });
});
