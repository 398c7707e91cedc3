/** What is measured on open pages: the first paint, scrolling, what is appended, memory, and contents in parts. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { SessionEvent } from "../../src/schema/event";
import { eventWith } from "../../test/support/everyEvent";
import type { Written } from "./benchHost";
import type { BenchPage } from "./benchPage";
import {
  aged,
  asked,
  callOf,
  clamped,
  contentOf,
  handleNamed,
  inline,
  replied,
  requested,
  stored,
} from "./longRun";

const NAP_MS = 20;
const PATIENCE_MS = 30_000;

export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > untilMs) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, NAP_MS));
  }
}

/** The sentence, the bar and the first rows. */
export async function firstPaint(page: BenchPage): Promise<{ openedMs: number; readyMs: number }> {
  const openedMs = await until("the first paint", () => page.ask((probe) => probe.firstPaintMs));
  return { openedMs, readyMs: (await page.ask((probe) => probe.readyPaintMs)) ?? Number.NaN };
}

export type Scrolled = {
  readonly framesMs: readonly number[];
  readonly blankFrames: number;
  readonly loadingMs: readonly number[];
  readonly fetchesMs: readonly number[];
};

/** By wheel from where it is, then the whole range in one drag. */
export async function scroll(page: BenchPage, turns: number): Promise<Scrolled> {
  await toEnd(page);
  await page.page.mouse.move(200, 700);
  const watching = page.ask((probe) => probe.startFrames(null));
  for (let turned = 0; turned < turns; turned++)
    await page.page.mouse.wheel(0, turned % 8 === 7 ? 300 : -500);
  await page.ask((probe) => probe.stopFrames());
  await watching;
  const wheeled = await page.ask((probe) => probe.frames);
  await page.page.evaluate(`window.probe.drag(${turns})`);
  const frames = [...wheeled, ...(await page.ask((probe) => probe.frames))];
  return {
    framesMs: frames.map(({ elapsedMs }) => elapsedMs),
    blankFrames: frames.filter(({ rows }) => rows === 0).length,
    loadingMs: await page.ask((probe) => probe.loadingMs),
    fetchesMs: await page.ask((probe) => probe.fetchesMs),
  };
}

const toEnd = (page: BenchPage) =>
  page.page.evaluate(() => {
    const tree = document.querySelector("#tree");
    if (tree) tree.scrollTop = tree.scrollHeight;
  });

type Step = {
  readonly event: SessionEvent;
  /** What shows it: a row of the turn by the end of its key, and words that stand in it; null: nothing new is in sight. */
  readonly row: string | null;
  readonly words: string;
};

/** Events of all kinds that a run writes, turn by turn, from `turn` on. */
export async function* stepsFrom(
  turn: number,
  { session }: Written,
): AsyncGenerator<Step & { turn: number }> {
  for (; ; turn++) for (const step of await stepsOf(turn, session.put.bind(session))) yield { ...step, turn };
}

async function stepsOf(turn: number, put: Written["session"]["put"]): Promise<Step[]> {
  const call = callOf(turn);
  const handle = handleNamed(`${call} appended`);
  const text = contentOf(turn, 20_000);
  const isStored = turn % 2 === 0;
  const row = `/${call}`;
  const nothing = { row: null, words: "" };
  return [
    { event: asked(turn), row: "/asked", words: `Question of turn ${turn}` },
    { event: requested(turn), row: "/request", words: "Request" },
    { event: replied(turn, ["read_file"]), row, words: `src/part${turn}/file.ts` },
    { event: clamped(call), row, words: "waiting for permission" },
    { event: eventWith("authorised", { call }), row, words: "running" },
    { event: eventWith("executed", { call }), row, words: "done" },
    { event: eventWith("redacted", { call }), ...nothing },
    { event: eventWith("measured", { call, chars: text.length, bytes: text.length }), ...nothing },
    ...(isStored
      ? [
          { event: stored(call, handle, text, await put(text)), ...nothing },
          { event: eventWith("remembered", { call, handle }), row, words: "Stored result" },
          { event: eventWith("pinned", { call }), row, words: "Pinned" },
          { event: { ...aged(turn, turn) }, row, words: "Shortened" },
        ]
      : [{ event: inline(call), row, words: "character" }]),
    {
      event: eventWith("gated", { turn, unread: [{ handle, tool: "read_file", total: 40, inspected: 20 }] }),
      ...{ row: "/note0", words: "" },
    },
    { event: eventWith("run_ended", { turn }), row: "/end", words: "" },
  ];
}

export type Appended = { readonly visibleMs: number; readonly type: string; readonly bytes: number };

/** From the event on the host until the host hears that it was painted. */
export async function append(
  page: BenchPage,
  written: Written,
  { event, row, words, turn }: Step & { turn: number },
): Promise<Appended> {
  const key = `${written.session.id}/t${turn}${row}`;
  const selector = row === null ? null : `[role=treeitem][data-key="${key}"]`;
  await page.page.evaluate(`window.probe.expect(${JSON.stringify(selector)}, ${JSON.stringify(words)})`);
  const from = page.sent.length;
  const painted = page.painted();
  const begun = performance.now();
  await written.append(event);
  await patiently(`${event.type} in ${selector ?? "a frame"}`, painted);
  const visibleMs = performance.now() - begun;
  const told = page.sent.slice(from).filter(({ type }) => type === "changed" || type === "opened"); // no answers
  return { visibleMs, type: event.type, bytes: Math.max(0, ...told.map(({ bytes }) => bytes)) };
}

async function patiently(what: string, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export const appendAtEnd = toEnd;

/** Bytes that the page's JavaScript holds, once what nobody needs is gone. */
export async function heapBytes({ devtools }: BenchPage): Promise<number> {
  await devtools.send("Performance.enable");
  await devtools.send("HeapProfiler.enable");
  for (let n = 0; n < 2; n++) await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
}

export type Viewed = {
  readonly openMs: number;
  readonly findMs: number;
  readonly pageStallMs: number;
  readonly hostStallMs: number;
};

/** Opens a stored content from its call's row, and finds a text in it. */
export async function viewContent(
  page: BenchPage,
  { session, turn, needle }: { session: string; turn: number; needle: string },
): Promise<Viewed> {
  const { page: tab } = page;
  const key = `${session}/t${turn}/${callOf(turn)}`;
  page.reveal(session, key);
  const button = tab.locator(`#details[data-key="${key}"] [data-action=viewContent]`);
  await button.waitFor();
  await page.ask((probe) => {
    probe.stallsMs.length = 0;
    probe.watchStalls();
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const begun = performance.now();
  await button.click();
  await tab.waitForFunction(
    (at) => document.querySelector(".content-text")?.textContent?.startsWith(at),
    `${turn} `,
  );
  const openMs = performance.now() - begun;
  await tab.locator('[data-name="find"]').pressSequentially(needle);
  const looked = performance.now();
  await tab.locator('[data-name="find"]').press("Enter");
  await tab.waitForFunction(
    (found) => document.querySelector(".content-match")?.textContent === found,
    needle,
  );
  const findMs = performance.now() - looked;
  delay.disable();
  const stallsMs = await page.ask((probe) => probe.stallsMs);
  return { openMs, findMs, pageStallMs: Math.max(0, ...stallsMs), hostStallMs: delay.max / 1e6 };
}
