// test/e2e: the five questions that a person has about a session, answered by the page alone, and as the log has it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import type { EventOf, Logged } from "../../src/schema/event";
import { FILL_KINDS } from "../../src/schema/view";
import { actOf, rowInTree, selectRow, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { beginSession, eventsOf, type LoggedSession, openInspector, until } from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

const number = (value: number) => value.toLocaleString("en-US");
const REPLIES = [
  calling("read_file", { path: SAMPLE_FACT.file }),
  calling("fetch_result", { handle: "{{handle:read_file}}", offset: 64_000 }),
  calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
  ...Array.from({ length: 4 }, () => calling("list_files", { limit: 5 })),
  { say: "418 crowns." },
];

type Fills = NonNullable<EventOf<"requested">["fills"]>;
const fillsOf = ({ fills }: EventOf<"requested">): Fills => {
  assert.ok(fills, "the log says what fills the request");
  return fills;
};
const sumOf = (fills: Fills) => FILL_KINDS.reduce((sum, kind) => sum + fills[kind], 0);

/** What the bar says of each part, in its words. */
const barNumbers = async (frame: Frame): Promise<readonly number[]> => {
  const words = (await frame.locator(".fill-bar").getAttribute("aria-label")) ?? "";
  return [...words.replace(/^.*?in tokens:/, "").matchAll(/ ([\d,]+)(?:, |$)/g)].map(([, digits = ""]) =>
    Number(digits.replaceAll(",", "")),
  );
};

suite("what a person asks of a session, the page answers alone", () => {
  const sample = sampleCopy();
  const script = scriptFile();
  const prices = { scripted: { write: 1, read: 1, ttlSeconds: null } }; // nothing is cached: shorter is cheaper
  const opened = sharedWorkbench("questions", () => ({
    workspace: sample.folder,
    settings: { ...script.settings, "cloakroom.ageing.cacheProfiles": prices },
    viewport: { width: 1440, height: 1000 },
  }));
  suiteTeardown(() => {
    sample.remove();
    script.remove();
  });
  let frame: Frame;
  let session: LoggedSession;
  let events: readonly Logged[];

  setup(async () => {
    const harness = opened();
    frame = await openInspector(harness);
    if (session !== undefined) return;
    script.write(REPLIES);
    session = await beginSession(harness, SAMPLE_FACT.question);
    events = await session.ended();
    await rowInTree(frame, /^Run ended/);
  });

  const summaryPart = (words: RegExp) => frame.locator("#summary span[title]").filter({ hasText: words });
  const shot = (harness: Harness, name: string) =>
    harness.screenshot(path.join(root, "out", "e2e", `question-${name}.png`));

  test("what fills the window now? The sentence, the bar and its legend have the log's own counts; another turn has its own", async () => {
    const requests = eventsOf(events, "requested");
    const says = async ({ turn, ...request }: EventOf<"requested">) => {
      const fills = fillsOf({ turn, ...request });
      const title = new RegExp(`^${number(sumOf(fills))} tokens`);
      await until(`the sentence is of turn ${turn}`, async () =>
        title.test((await summaryPart(/tokens, window not known/).getAttribute("title")) ?? ""),
      );
      const parts = FILL_KINDS.map((kind) => fills[kind]).filter((tokens) => tokens > 0);
      assert.deepEqual(await barNumbers(frame), parts);
      assert.equal(sumOf(fills), request.prefix?.totalTokens);
    };
    const last = requests.at(-1);
    assert.ok(last && fillsOf(last).aged > 0);
    await says(last);
    const legend = await frame.locator(".legend-name").allInnerTexts();
    for (const name of ["System", "Tools", "Results", "Heads and pages", "Shortened", "Naive"])
      assert.ok(legend.includes(name), `${legend} has ${name}`);
    await shot(opened(), "window");
    await selectRow(frame, /^Turn 1\b/);
    assert.ok(requests[0]);
    await says(requests[0]);
  });

  test("what was cut and why? The filter finds it; the row says the rule with its figures, the setting, and the event", async () => {
    await frame.locator('[data-action="filter"]').click();
    await frame.locator('[data-filter="state"]').selectOption({ label: "Shortened" });
    await frame
      .locator("#matches")
      .getByText(/^\d+ match/)
      .waitFor();
    const [cut] = eventsOf(events, "aged");
    assert.ok(cut?.cost);
    await showRow(frame, /^Turn 1\b/);
    await showRow(frame, /^read_file/);
    await selectRow(frame, /^Shortened/);
    const why = frame.locator("#details .why");
    await why.getByText("This model caches nothing: shorter is cheaper.").waitFor();
    const { freedTokens, requests } = cut.cost;
    await why.getByText(`frees ${number(freedTokens)} tokens a request`).waitFor();
    await why.getByText(`over ${number(requests)} requests`).waitFor();
    await why.locator('[data-action="openSetting"]').getByText("cloakroom.ageing.strategy").waitFor();
    await why.getByText(`Event ${cut.n}, aged`).waitFor();
    await shot(opened(), "cut");
    // What was held back when it came is said on its own row.
    await selectRow(frame, /^Stored result/);
    const shown = eventsOf(events, "remembered")[0];
    await why.getByText(`(limit: ${number(shown?.limitChars ?? 0)} characters)`).waitFor();
    await why.getByText("cloakroom.claimCheck.thresholdChars").waitFor();
    await frame.locator('[data-filter="state"]').selectOption("");
  });

  test("what was saved net? All requests as they were sent, against every result whole, without those that only read back", async () => {
    let [sent, naive, isReadBack] = [0, 0, false];
    for (const event of events) {
      if (event.type === "replied") isReadBack = false;
      if (event.type === "redeemed") isReadBack = true; // each reply of this session has one call
      if (event.type !== "requested") continue;
      sent += sumOf(fillsOf(event));
      naive += isReadBack ? 0 : fillsOf(event).naive;
    }
    assert.ok(naive > sent && eventsOf(events, "redeemed").length === 1);
    const saved = summaryPart(/tokens saved net$/);
    const title = `All requests: ${number(sent)} tokens sent, ${number(naive)} with every result whole`;
    assert.equal(await saved.getAttribute("title"), title);
    assert.equal(await saved.textContent(), `${Math.round((naive - sent) / 1000)}k tokens saved net`);
  });

  test("was the list complete? No: how much of it was shown, how much was read, and the answer that came without the rest", async () => {
    const [list] = eventsOf(events, "covered");
    assert.ok(list && list.page.last < list.total);
    const incomplete = summaryPart(/^1 list incomplete$/);
    const read = `search_text: ${number(list.page.last)} of ${number(list.total)} records read`;
    assert.equal(await incomplete.getAttribute("title"), read);
    await showRow(frame, /^Turn 3\b/);
    await showRow(frame, /^search_text/);
    const row = await rowInTree(frame, /^Incomplete list/);
    await row.getByText(`records 1–${list.page.last} of ${number(list.total)}`).waitFor();
    await selectRow(frame, /^Reply, lists unread/);
    await frame.locator("#details .facts").getByText(read).waitFor();
    await shot(opened(), "list");
  });

  test("how do I get the old result back? From its row: whole in an editor, in parts in the reader, as it was shown, and as it is now", async () => {
    const harness = opened();
    const { page } = harness;
    const [stored] = eventsOf(events, "tool_result_stored");
    assert.ok(stored);
    const blob = readFileSync(path.join(session.folder, "blobs", stored.sha256));
    const bytes = blob.subarray(0, stored.bytes); // what follows proves it
    const kept = bytes.toString("utf8");
    assert.equal(kept, readFileSync(path.join(sample.folder, SAMPLE_FACT.file), "utf8"));

    await showRow(frame, /^Turn 1\b/);
    await showRow(frame, /^read_file/);
    const inStore = await rowInTree(frame, /^In the store/);
    await inStore.hover();
    await inStore.locator('[data-action="openStored"]').click();
    await page.locator(".tab.active").filter({ hasText: ".txt" }).waitFor();
    await page.locator(".view-line").getByText("between the town of Sandvik").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+C");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await until("it is in the clipboard", copied), kept);

    await selectRow(frame, /^In the store/);
    await actOf(frame, "viewContent").click();
    const text = frame.locator("#content .content-text");
    const later = frame.locator('#content [data-action="later"]');
    let read = "";
    for (let isMore = true; isMore; ) {
      await frame
        .locator("#content .content-status")
        .getByText(`${number(read.length + 1)} to`)
        .waitFor();
      read += await text.textContent();
      isMore = (await later.getAttribute("aria-disabled")) !== "true";
      if (isMore) await later.click();
    }
    assert.equal(read, kept);
    await shot(harness, "back");
    await frame.locator('#content [data-action="close"]').click();

    const version = async (name: string) => {
      await frame.locator(`[data-version="${name}"]`).click();
      return (await frame.locator("#version-text pre").textContent()) ?? "";
    };
    const { text: shown } = eventsOf(events, "remembered")[0] ?? { text: "" };
    const cuts = eventsOf(events, "aged").flatMap(({ decisions }) => decisions);
    assert.ok(kept.startsWith(await version("returned")));
    assert.equal(await version("shown"), shown);
    assert.equal(await version("now"), cuts.findLast(({ call }) => call === "t1c0")?.text);
  });
});
