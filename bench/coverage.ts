/** Seed 004's grid: four ways of delivering a list within a budget, put together again by a decoder that knows only the contract. */
import { indexList } from "../src/coverage/indexList";
import { bytesOf as encoded, readPage } from "../src/coverage/readList";
import { snapshotOf } from "../src/coverage/snapshot";
import { ADVERSARIAL, deliver, hash, idOf, openList } from "./coverage/adversarial";
import type { Decoded } from "./coverage/decode";
import { BASELINES, bytesOf, type Configuration, grid, isValid } from "./coverage/grid";
import type { BenchResult } from "./run";

const PUBLISHED = {
  byte_prefix: [120, 512, 120],
  char_prefix: [160, 208, 160],
  record_prefix: [512, 512, 120],
  coverage: [512, 512, 512],
} as const;

type Score = { valid: number; within_budget: number; exact: number };
const nothing = (): Score => ({ valid: 0, within_budget: 0, exact: 0 });

/** How pages and transfers are counted: a page is one envelope, a read one referenced record; both count whole. */
export async function run(): Promise<BenchResult> {
  const baselines = { byte_prefix: nothing(), char_prefix: nothing(), record_prefix: nothing() };
  const coverage = nothing();
  const sum = { configurations: 0, pages: 0, most: 0, reads: 0, bound: 0, sent: 0, read: 0, source: 0 };
  for (const configuration of grid()) {
    const { source, budgetBytes } = configuration;
    sum.configurations++;
    sum.source += bytesOf(source);
    for (const [name, policy] of Object.entries(BASELINES)) {
      const delivered = policy(configuration);
      const score = baselines[name as keyof typeof baselines];
      if (isValid(delivered)) score.valid++;
      if (delivered.length <= budgetBytes) score.within_budget++;
      if (delivered.toString("utf8") === source) score.exact++;
    }
    const pages: string[] = [];
    const decoded = await delivered(source, budgetBytes, pages);
    if (pages.every((page) => isValid(Buffer.from(page, "utf8")))) coverage.valid++;
    if (pages.every((page) => bytesOf(page) <= budgetBytes)) coverage.within_budget++;
    if (decoded !== null && isExact(configuration, decoded)) coverage.exact++;
    sum.pages += pages.length;
    sum.most = Math.max(sum.most, pages.length);
    sum.reads += decoded?.reads ?? 0;
    sum.sent += pages.reduce((all, page) => all + bytesOf(page), 0);
    sum.read += decoded?.recordBytes ?? 0;
    sum.bound += leastPages(configuration, decoded?.reads ?? 0);
  }
  const mean = (total: number) => total / sum.configurations;
  let passed = 0;
  const failures: [string, string][] = [];
  for (const [name, holds] of Object.entries(ADVERSARIAL)) {
    const failure = await holds().then(
      () => null,
      (error: Error) => error.message,
    );
    if (failure === null) passed++;
    else failures.push([`failed: ${name}`, failure]);
  }
  const row = (name: keyof typeof PUBLISHED, { valid, within_budget, exact }: Score) =>
    [name, `${valid} / ${within_budget} / ${exact}  (published ${PUBLISHED[name].join(" / ")})`] as const;
  const ratio = (sum.sent + sum.read) / sum.source;
  const scale = scaling();
  return {
    rows: [
      ["policy", `valid JSON / within budget / exact, of ${sum.configurations}`],
      row("byte_prefix", baselines.byte_prefix),
      row("char_prefix", baselines.char_prefix),
      row("record_prefix", baselines.record_prefix),
      row("coverage", coverage),
      [
        "pages, mean",
        `${mean(sum.pages).toFixed(3)}  (published 25.60; no packing needs fewer than ${mean(sum.bound).toFixed(3)})`,
      ],
      ["pages, most", `${sum.most}  (published 128)`],
      ["reads, mean", `${mean(sum.reads).toFixed(3)}  (published 16.50)`],
      ["referenced, mean", `${(mean(sum.read) / 1000).toFixed(1)} kB  (published 61.4 kB)`],
      ["transferred / source", ratio.toFixed(4)],
      ["adversarial", `${passed} of ${Object.keys(ADVERSARIAL).length} passed`],
      ...failures,
      ["100,000 records beside 10,000", `${scale.time.toFixed(2)} × the time`],
      ["index of 100,000 records", `${scale.table.toFixed(3)} × the bytes of its source`],
      ["an envelope", await example()],
    ],
    json: {
      baselines,
      coverage: {
        ...coverage,
        pages_mean: mean(sum.pages),
        pages_max: sum.most,
        reads_mean: mean(sum.reads),
        transferred_ratio: ratio,
        pages_lower_bound: mean(sum.bound),
      },
      adversarial_passed: passed,
    },
  };
}

/** What the decoder makes of it, and every page that it was given; null where it was given something else than §6 says. */
async function delivered(source: string, budgetBytes: number, pages: string[]): Promise<Decoded | null> {
  try {
    return await deliver(openList(source, budgetBytes), encoded(source), pages);
  } catch (error) {
    console.error(`budget ${budgetBytes}, ${bytesOf(source)} bytes: ${(error as Error).message}`);
    return null;
  }
}

/** The source's own bytes: every record's slice in order, and the status. */
const isExact = ({ records, status }: Configuration, decoded: Decoded): boolean =>
  decoded.records.length === records.length &&
  decoded.records.every((record, i) => record === records[i]) &&
  decoded.source.status === status &&
  decoded.complete === true;

/**
 * Fewer pages than this hold nobody's records: each page has room for what the smallest envelope, a last one, leaves; records
 * and references are poured in without regard to their ends, with a comma before each but the first of a page.
 */
function leastPages({ records, status, budgetBytes }: Configuration, reads: number): number {
  const total = records.length;
  const least = `{"snapshot":"0123456789abcdef","source":{"status":${status}},"total":${total},"returned":0,"remaining":0,"complete":true,"cursor":null,"records":[],"references":[]}`;
  const room = budgetBytes - bytesOf(least);
  const sizes = records.map(bytesOf).sort((a, b) => a - b);
  const whole = sizes.slice(0, total - reads); // those that fit no page are the largest
  const references = sizes
    .slice(total - reads)
    .map((bytes, i) => `{"index":${i + 1},"bytes":${bytes},"sha256":"${"0".repeat(64)}"}`.length);
  const content = [...whole, ...references].reduce((all, bytes) => all + bytes, 0);
  const commas = (pages: number) =>
    Math.max(0, whole.length - pages) + Math.max(0, references.length - pages);
  let pages = 1;
  while (content + commas(pages) > pages * room) pages++;
  return pages;
}

/** Index and pages of ten times the records, in the same run; the best of several, since others use the machine too. */
function scaling(): { time: number; table: number } {
  const listOf = (count: number) =>
    `[${Array.from({ length: count }, (_, id) => `{"id":${id},"text":"${"x".repeat(60)}"}`).join(",")}]`;
  const small = listOf(10_000);
  const large = listOf(100_000);
  const best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 15; round++) {
    for (const [name, text] of [
      ["small", small],
      ["large", large],
    ] as const) {
      const start = performance.now();
      const index = indexList(text);
      if (index.kind === "list") snapshotOf(text, index, { id: idOf("[]"), budgetBytes: 4096, hash });
      best[name] = Math.min(best[name], performance.now() - start);
    }
  }
  const index = indexList(large);
  const table = index.kind === "list" ? index.records.tableBytes / bytesOf(large) : Number.NaN;
  return { time: best.large / best.small, table };
}

async function example(): Promise<string> {
  const text = `{"status":"ok","total":2,"records":[{"id":1},"${"x".repeat(600)}"]}`;
  const page = await readPage(openList(text, 512), null, encoded(text));
  return page.kind === "page" ? page.text : page.reason;
}
