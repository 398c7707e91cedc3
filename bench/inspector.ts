/**
 * What the Context Inspector costs a person: the first paint of a short and of a long session, frames while its tree is
 * scrolled, the time until what was appended is seen, memory, contents of 100 MB. A real Chromium runs the page as it is
 * built, under its policy; the editor's side is the real one, in this process (`inspector/vscodeStandIn.ts`). Sessions
 * are written to disk by the real store, with the snapshot that a run leaves.
 */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { build } from "../esbuild.mjs";
import type { SafeText } from "../src/schema/text";
import { eventWith } from "../test/support/everyEvent";
import { folderOf } from "../test/support/storeFolder";
import { launchBrowser } from "../test/vscode/workbench";
import { type HostSide, openHostSide } from "./inspector/benchHost";
import { type BenchPage, openBenchPage } from "./inspector/benchPage";
import {
  callOf,
  contentOf,
  handleNamed,
  type LongRun,
  replied,
  stored,
  writeLongRun,
} from "./inspector/longRun";
import {
  type Appended,
  append,
  appendAtEnd,
  firstPaint,
  heapBytes,
  type Scrolled,
  scroll,
  stepsFrom,
  type Viewed,
  viewContent,
} from "./inspector/measures";
import type { BenchResult } from "./run";

export type Sizes = {
  readonly shortTurns: number;
  readonly longTurns: number;
  readonly storedChars: number; // of each stored result
  readonly largeBytes: number;
  readonly lineBytes: number;
  readonly pages: number;
  readonly scrolledFrames: number;
  readonly appends: number;
};

const FULL: Sizes = {
  ...{ shortTurns: 100, longTurns: 10_000, storedChars: 60_000 },
  ...{ largeBytes: 100_000_000, lineBytes: 4_000_000, pages: 9, scrolledFrames: 300, appends: 200 },
};

export async function run(): Promise<BenchResult> {
  const load = () => Number(os.loadavg()[0]?.toFixed(1));
  const loadBefore = load();
  const bundle = await builtBundle();
  const figures = await measure(FULL, bundle);
  const bundleBytes = ["inspector.js", "inspector.css"].reduce(
    (sum, name) => sum + (bundle.get(name)?.length ?? 0),
    0,
  );
  const json = { ...figures, bundle_bytes: bundleBytes, load_before: loadBefore, load_after: load() };
  return { json, rows: Object.entries(json).map(([name, value]) => [name, String(value)] as const) };
}

/** All but the size of the bundle, on sessions of these sizes. */
export async function measure(
  sizes: Sizes,
  bundle: Stage["bundle"],
): Promise<Readonly<Record<string, number>>> {
  const root = await mkdtemp(path.join(os.tmpdir(), "clk-inspector-"));
  const browser = await launchBrowser();
  try {
    const { made, figures } = await makeSessions(root, sizes);
    return { ...figures, ...(await figuresOf({ browser, bundle, store: root }, made, sizes)) };
  } finally {
    await browser.close();
    await rm(root, { recursive: true, force: true });
  }
}

type Made = { readonly short: string; readonly long: string };
type Stage = {
  readonly browser: Browser;
  readonly bundle: ReadonlyMap<string, Uint8Array>;
  readonly store: string;
};

/** As the package has it. */
async function builtBundle(): Promise<Stage["bundle"]> {
  const outdir = await mkdtemp(path.join(os.tmpdir(), "clk-inspector-dist-"));
  try {
    await build({ minify: true, outdir });
    const names = ["inspector.js", "inspector.css", "codicon.css", "codicon.ttf"];
    const read = async (name: string) => [name, await readFile(path.join(outdir, "webview", name))] as const;
    return new Map(await Promise.all(names.map(read)));
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

async function makeSessions(store: string, sizes: Sizes) {
  const host = await openHostSide(store);
  const write = (turns: number, more: (run: LongRun) => Promise<void>) =>
    host.run(null, async ({ session, append }) => {
      const run = { turns, storedChars: sizes.storedChars, append, put: session.put.bind(session) };
      await writeLongRun(run);
      await more(run);
    });
  const begun = performance.now();
  const short = await write(sizes.shortTurns, async () => undefined);
  const long = await write(sizes.longTurns, (run) => writeLarge(run, sizes));
  const buildSeconds = Math.round((performance.now() - begun) / 1000);
  const folder = await folderOf(store, long);
  const size = async (name: string) => (await stat(path.join(folder, name)).catch(() => null))?.size ?? 0;
  return {
    made: { short, long },
    figures: {
      build_s: buildSeconds,
      log_bytes: await size("log.jsonl"),
      snapshot_bytes: await size("snapshots/watched.snapshot"),
      snapshot_write_ms: Math.round(host.snapshotMs),
    },
  };
}

/** A large content and a long line, each in a turn of its own at the end. */
async function writeLarge({ append, put }: LongRun, { longTurns, largeBytes, lineBytes }: Sizes) {
  const contents = [
    contentOf(longTurns + 1, largeBytes - END.length) + END,
    contentOf(longTurns + 2, lineBytes - END.length).replaceAll("\n", " ") + END,
  ];
  for (const [n, content] of contents.entries()) {
    const call = callOf(longTurns + 1 + n);
    const text = content as SafeText;
    await append(replied(longTurns + 1 + n, ["read_file"]));
    await append(stored(call, handleNamed(call), text, await put(text)));
    await append(eventWith("remembered", { call, handle: handleNamed(call) }));
    await append(eventWith("run_ended", { turn: longTurns + 1 + n }));
  }
}

const END = " here it ends\n";
const NEEDLE = "here it ends";

async function figuresOf(stage: Stage, { short, long }: Made, sizes: Sizes) {
  const paints = await firstPaints(stage, { short, long }, sizes.pages);
  const host = await openHostSide(stage.store);
  const page = await openBenchPage(stage.browser, stage.bundle, host, long);
  try {
    await firstPaint(page);
    const scrolled = await scroll(page, sizes.scrolledFrames);
    const appended = await appends(host, page, long, sizes);
    const from = sizes.longTurns + 1;
    const large = await viewContent(page, { session: long, turn: from, needle: NEEDLE });
    const line = await viewContent(page, { session: long, turn: from + 1, needle: NEEDLE });
    const heap = await heapBytes(page);
    return {
      ...{ ...paints, ...scrollFigures(scrolled), ...appendFigures(appended), heap_mb: round(heap / 1e6) },
      ...{ ...viewFigures("content_100mb", large), ...viewFigures("line_4mb", line) },
    };
  } finally {
    await page.close();
  }
}

/** Pages of either session in turn, each with a host of its own that has read nothing. */
async function firstPaints({ browser, bundle, store }: Stage, made: Made, pages: number) {
  const samples = { short: [] as Paint[], long: [] as Paint[] };
  for (let n = -1; n < pages; n++)
    for (const name of ["short", "long"] as const) {
      const host = await openHostSide(store);
      const page = await openBenchPage(browser, bundle, host, made[name]);
      const paint = { ...(await firstPaint(page)), hostMs: host.readMs() };
      await page.close();
      if (n >= 0) samples[name].push(paint); // the first ones are warm-up
    }
  const of = (name: keyof typeof samples, what: keyof Paint) => median(samples[name].map((one) => one[what]));
  return {
    first_paint_ms: round(of("long", "openedMs")),
    first_paint_100_turns_ms: round(of("short", "openedMs")),
    first_paint_10k_vs_100_turns: round(of("long", "openedMs") / of("short", "openedMs"), 2),
    ready_to_paint_ms: round(of("long", "readyMs")),
    ready_to_paint_100_turns_ms: round(of("short", "readyMs")),
    ready_to_paint_10k_vs_100_turns: round(of("long", "readyMs") / of("short", "readyMs"), 2),
    host_read_ms: round(of("long", "hostMs")),
    host_read_100_turns_ms: round(of("short", "hostMs")),
  };
}

type Paint = { readonly openedMs: number; readonly readyMs: number; readonly hostMs: number };

/** To a session that goes on, shown by an open page. */
async function appends(host: HostSide, page: BenchPage, session: string, sizes: Sizes) {
  const all: Appended[] = [];
  await host.run(session, async (written) => {
    await page.refreshed(); // that it runs now is told
    for await (const step of stepsFrom(sizes.longTurns + 3, written)) {
      await appendAtEnd(page);
      all.push(await append(page, written, step));
      if (all.length === sizes.appends) return;
    }
  });
  return all;
}

function scrollFigures({ framesMs, blankFrames, loadingMs, fetchesMs }: Scrolled) {
  return {
    scroll_frame_ms_p50: round(quantile(framesMs, 0.5)),
    scroll_frame_ms_p95: round(quantile(framesMs, 0.95)),
    scroll_frames: framesMs.length,
    scroll_blank_frames: blankFrames,
    scroll_loading_ms_max: round(Math.max(0, ...loadingMs)),
    scroll_fetch_ms_max: round(Math.max(0, ...fetchesMs)),
  };
}

const appendFigures = (appended: readonly Appended[]) => ({
  append_visible_ms_p50: round(quantile(timesOf(appended), 0.5)),
  append_visible_ms_p95: round(quantile(timesOf(appended), 0.95)),
  append_bytes_max: Math.max(...appended.map(({ bytes }) => bytes)),
});
const timesOf = (appended: readonly Appended[]) => appended.map(({ visibleMs }) => visibleMs);

const viewFigures = (name: string, { openMs, findMs, pageStallMs, hostStallMs }: Viewed) => ({
  [`${name}_open_ms`]: round(openMs),
  [`${name}_find_ms`]: round(findMs),
  [`${name}_page_stall_ms`]: round(pageStallMs),
  [`${name}_host_stall_ms`]: round(hostStallMs),
});

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN;
const median = (values: readonly number[]) => quantile(values, 0.5);
const round = (value: number, digits = 1) => Number(value.toFixed(digits));
