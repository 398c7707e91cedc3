// bench: the store beside plain file operations and beside cacache, on the same disk in the same run.
//   put: SHA-256 + temporary file + fsync + rename + fsync of the folder.  window: open + positioned read + close.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import cacache from "cacache";
import type { Handle } from "../src/schema/claim";
import type { SafeText } from "../src/schema/text";
import { folderFiles } from "../src/store/blobFiles";
import { Blobs, blobsIn } from "../src/store/blobs";
import { type Disk, nodeDisk } from "../src/store/disk";
import { KEY_BYTES, Seal, sealedFiles } from "../src/store/seal";
import { Sessions } from "../src/store/sessions";
import type { BenchResult } from "./run";

const PUT_BYTES = 1_048_576;
const PUT_PAIRS = 80;
const WINDOW_PAIRS = 300;
const FIRST_PAIRS = 60;
const SESSIONS = 1000;
const CLAIMS_PER_SESSION = 100;
const WINDOW_CHARS = 4096;

const LINES = Array.from(
  { length: 997 },
  (_, i) => `2026-11-29T12:${i % 60}:00 line ${i * 7919} of a log that goes on and on\n`,
);

/** ASCII text of exactly `bytes`, unlike any other. */
function text(bytes: number): SafeText {
  const lines: string[] = [`${randomUUID()}\n`];
  for (let size = 37, i = 0; size < bytes; i++) {
    const line = LINES[i % LINES.length] as string;
    lines.push(line);
    size += line.length;
  }
  return lines.join("").slice(0, bytes) as SafeText;
}

export async function run(): Promise<BenchResult> {
  const root = await mkdtemp(path.join(os.tmpdir(), "clk-bench-"));
  try {
    const json = { ...(await puts(root)), ...(await windows(root)), ...(await manySessions(root)) };
    return { rows: Object.entries(json).map(([name, value]) => [name, String(value)] as const), json };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function puts(root: string) {
  const blobs = blobsIn(path.join(root, "ours"));
  const plain = path.join(root, "plain");
  const other = path.join(root, "cacache");
  await mkdir(plain, { recursive: true });
  const ours: number[] = [];
  const byHand: number[] = [];
  const theirs: number[] = [];
  for (let pair = -5; pair < PUT_PAIRS; pair++) {
    const runs = [
      [ours, (content: SafeText) => blobs.put(content)],
      [byHand, (content: SafeText) => putByHand(plain, content)],
      [theirs, (content: SafeText) => putWithCacache(other, content)],
    ] as const;
    for (let i = 0; i < runs.length; i++) {
      const [samples, put] = runs[(i + pair + 30) % runs.length] as (typeof runs)[number];
      const content = text(PUT_BYTES);
      const elapsed = await timed(() => put(content));
      if (pair >= 0) samples.push(elapsed);
    }
  }
  const content = text(PUT_BYTES);
  await blobs.put(content);
  const counted = countingDisk();
  await blobsIn(path.join(root, "ours"), counted.disk).put(content);
  return {
    put_vs_fs: ratio(byHand, ours),
    put_vs_cacache: ratio(theirs, ours),
    put_ms_p50: round(median(ours)),
    dup_put_writes: counted.writes(),
  };
}

async function putByHand(folder: string, content: SafeText): Promise<void> {
  const bytes = Buffer.from(content, "utf8");
  const digest = createHash("sha256").update(bytes).digest("hex");
  const draft = path.join(folder, randomUUID());
  const file = await open(draft, "wx", 0o600);
  await file.writeFile(bytes);
  await file.sync();
  await file.close();
  await rename(draft, path.join(folder, digest));
  await syncPath(folder);
}

/** cacache does not sync: what makes it durable is counted with it. */
async function putWithCacache(folder: string, content: SafeText): Promise<void> {
  const integrity = await cacache.put(folder, randomUUID(), content, { algorithms: ["sha256"] });
  const file = contentPath(folder, String(integrity));
  await syncPath(file);
  await syncPath(path.dirname(file));
}

/** Where cacache keeps a content. */
function contentPath(folder: string, integrity: string): string {
  const hex = Buffer.from(integrity.split("-")[1] ?? "", "base64").toString("hex");
  return path.join(folder, "content-v2", "sha256", hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
}

async function syncPath(target: string): Promise<void> {
  const handle = await open(target, "r");
  await handle.sync();
  await handle.close();
}

async function windows(root: string) {
  const folder = path.join(root, "windows");
  const large = text(100_000_000);
  const small = text(1_000_000);
  const names = { large: await blobsIn(folder).put(large), small: await blobsIn(folder).put(small) };
  const file = path.join(folder, names.large.sha256);
  const buffer = Buffer.alloc(WINDOW_CHARS);
  const pread = async () => {
    const handle = await open(file, "r");
    await handle.read(buffer, 0, WINDOW_CHARS, large.length - WINDOW_CHARS);
    await handle.close();
  };
  const blobs = blobsIn(folder);
  const atEnd = (name: keyof typeof names, content: string) => () =>
    blobs.window(names[name], content.length - WINDOW_CHARS);
  const seal = new Seal(randomBytes(KEY_BYTES));
  const sealed = new Blobs(sealedFiles(folderFiles(path.join(root, "sealed")), seal), seal.digestOf);
  const sealedName = await sealed.put(large);
  const samples: Record<"large" | "small" | "sealed" | "pread" | "first" | "preadCold", number[]> = {
    sealed: [],
    large: [],
    small: [],
    pread: [],
    first: [],
    preadCold: [],
  };
  await blobs.window(names.small, 0); // the tables are read
  global.gc?.();
  const heapBefore = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  await blobs.window(names.large, large.length - WINDOW_CHARS);
  const extraHeap = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers - heapBefore;
  for (let i = -20; i < WINDOW_PAIRS; i++) {
    for (const [kind, work] of [
      ["large", atEnd("large", large)],
      ["pread", pread],
      ["small", atEnd("small", small)],
      ["sealed", () => sealed.window(sealedName, large.length - WINDOW_CHARS)],
    ] as const) {
      const elapsed = await timed(work);
      if (i >= 0) samples[kind].push(elapsed);
    }
  }
  for (let i = -5; i < FIRST_PAIRS; i++) {
    const fresh = blobsIn(folder);
    const elapsed = await timed(() => fresh.window(names.large, large.length - WINDOW_CHARS));
    const base = await timed(pread);
    if (i >= 0) samples.first.push(elapsed);
    if (i >= 0) samples.preadCold.push(base);
  }
  return {
    window_vs_pread: ratio(samples.large, samples.pread),
    first_window_vs_pread: ratio(samples.first, samples.preadCold),
    window_100mb_vs_1mb: ratio(samples.large, samples.small),
    sealed_vs_plain: ratio(samples.sealed, samples.large),
    window_extra_heap_bytes: Math.max(0, extraHeap),
    window_us_p50: round(median(samples.large) * 1000),
  };
}

/** One store with one session, and one with a thousand; a session in each is opened, put to and fetched from in turn. */
async function manySessions(root: string) {
  const clock = { now: () => Date.now() };
  const one = await Sessions.open(path.join(root, "one"), "workspace", clock);
  const many = await Sessions.open(path.join(root, "many"), "workspace", clock);
  const inOne = await filled(one);
  let inMany = inOne;
  for (let i = 0; i < SESSIONS; i++) inMany = await filled(many);
  const samples: Record<string, { one: number[]; many: number[] }> = {};
  for (let i = -3; i < 40; i++) {
    for (const [where, store, id] of [
      ["one", one, inOne],
      ["many", many, inMany],
    ] as const) {
      const note = (what: string, elapsed: number) => {
        samples[what] ??= { one: [], many: [] };
        if (i >= 0) samples[what][where].push(elapsed);
      };
      const started = performance.now();
      const session = await store.open(id);
      note("open", performance.now() - started);
      const content = text(6000);
      note("put", await timed(() => session.put(content)));
      const stored = session.events.findLast((event) => event.type === "tool_result_stored");
      const claim = stored && session.find(stored.handle);
      if (claim) note("fetch", await timed(() => session.window(claim, 1000)));
      await session.close();
    }
  }
  const of = (what: string) => ratio(samples[what]?.many ?? [], samples[what]?.one ?? []);
  return { open_1000_vs_1: of("open"), put_1000_vs_1: of("put"), fetch_1000_vs_1: of("fetch") };
}

/** A session with a hundred claims. Only the last has its content on disk: what is measured looks nothing else up. */
async function filled(store: Sessions): Promise<string> {
  const session = await store.create({ workspace: "bench", title: "A session" });
  const { sha256, frames } = await session.put(text(6000));
  for (let i = 0; i < CLAIMS_PER_SESSION; i++) {
    const handle =
      `claim:${createHash("sha256").update(`${session.id} ${i}`).digest("hex").slice(0, 32)}` as Handle;
    const claim = {
      handle,
      sha256,
      frames,
      tool: "read_file",
      class: "read" as const,
      chars: 6000,
      bytes: 6000,
      lines: 80,
    };
    await session.append({ type: "tool_result_stored", call: `t${i}c0`, ...claim });
  }
  await session.close();
  return session.id;
}

function countingDisk(): { disk: Disk; writes: () => number } {
  let writes = 0;
  const counting = <T extends (...args: never[]) => unknown>(work: T) =>
    ((...args: Parameters<T>) => {
      writes++;
      return work(...args);
    }) as T;
  const openCounting = (async (...args: Parameters<typeof open>) => {
    if (args[1] !== "r") writes++;
    return open(...args);
  }) as typeof open;
  const disk = {
    mkdir: counting(nodeDisk.mkdir as never),
    rename: counting(nodeDisk.rename),
    rm: counting(nodeDisk.rm),
  };
  return { disk: { ...disk, open: openCounting } as Disk, writes: () => writes };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (samples: readonly number[]): number =>
  samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
const ratio = (a: readonly number[], b: readonly number[]): number => round(median(a) / median(b));
const round = (value: number): number => Math.round(value * 1000) / 1000;
