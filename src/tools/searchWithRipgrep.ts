/** Searches with ripgrep. It is given the files one by one, in our order, so that both engines answer alike. */
import { sep } from "node:path";
import * as z from "zod";
import { cutLine } from "./cutLine";
import { type Listed, pathOf } from "./listWorkspace";
import { MAX_FILE_BYTES } from "./ports";
import { runRipgrep } from "./ripgrep";
import type { Found, Hit, Search, SearchQuery } from "./searchQuery";

/** Bytes of file names per run: half of what Windows takes, a fraction of what others do. */
const MAX_NAME_BYTES = process.platform === "win32" ? 15_000 : 200_000;
const FIRST_BATCH_FILES = 64; // a query that matches everywhere is answered from the first few files

const Text = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin") }),
  z.object({
    type: z.literal("match"),
    data: z.object({
      path: Text,
      lines: Text,
      line_number: z.number(),
      submatches: z.array(z.object({ start: z.number() })),
    }),
  }),
  z.object({
    type: z.literal("end"),
    data: z.object({ path: Text, binary_offset: z.number().nullable() }),
  }),
  z.object({ type: z.literal("summary") }),
]);

type Batch = { readonly files: readonly Listed[]; readonly input: Uint8Array | null };
type Outcome = { kind: "hits"; hits: Hit[] } | { kind: "unavailable" } | { kind: "failed"; text: string };

/** Hits in the order of the files; null when ripgrep cannot be started. Rejects with the signal's reason when it aborts. */
export async function searchWithRipgrep(ripgrep: string, search: Search): Promise<Found | null> {
  if (search.query.isRegex) {
    const check = await runBatch(ripgrep, { files: [], input: new Uint8Array() }, search);
    if (check.kind === "unavailable") return null;
    if (check.kind === "failed") return { kind: "failed", code: "invalid_regex", text: check.text };
  }
  const hits: Hit[] = [];
  for await (const batch of batchesOf(search)) {
    const outcome = await runBatch(ripgrep, batch, search);
    if (outcome.kind === "unavailable") return null;
    if (outcome.kind === "failed") return { kind: "failed", code: "search_failed", text: outcome.text };
    for (const hit of outcome.hits) hits.push(hit);
    if (hits.length > search.maxHits) {
      return { kind: "found", hits: hits.slice(0, search.maxHits), exact: false };
    }
  }
  return { kind: "found", hits, exact: true };
}

/** Files of one root at a time; one with unsaved text comes alone, its text as input. */
async function* batchesOf(search: Search): AsyncGenerator<Batch> {
  const unsaved = new Set(search.workspace.unsaved());
  let files: Listed[] = [];
  let nameBytes = 0;
  let most = FIRST_BATCH_FILES;
  for (const file of search.files) {
    const isUnsaved = unsaved.has(pathOf(file));
    const isFull = files.length >= most || nameBytes > MAX_NAME_BYTES || files[0]?.root !== file.root;
    if (files.length > 0 && (isFull || isUnsaved)) {
      yield { files, input: null };
      if (isFull) most *= 8;
      files = [];
      nameBytes = 0;
    }
    if (isUnsaved) {
      const read = await search.workspace.read(pathOf(file), MAX_FILE_BYTES);
      if (read.kind === "file") yield { files: [file], input: read.bytes };
      continue;
    }
    files.push(file);
    nameBytes += Buffer.byteLength(file.relative) + 3;
  }
  if (files.length > 0) yield { files, input: null };
}

async function runBatch(ripgrep: string, batch: Batch, search: Search): Promise<Outcome> {
  const names = batch.input === null ? batch.files.map((file) => `./${file.relative}`) : ["-"];
  const order = new Map(names.map((name, index) => [name, index]));
  const collected = new Map<number, Hit[]>(); // by the file's place in the batch
  let held = 0;
  const end = await runRipgrep(ripgrep, [...argumentsFor(search.query, search.maxHits), ...names], {
    folder: batch.files[0]?.root.path ?? process.cwd(),
    input: batch.input,
    separator: "\n",
    signal: search.signal,
    onRecord(record) {
      const message = Message.parse(JSON.parse(record));
      if (message.type !== "match" && message.type !== "end") return;
      const index = batch.input === null ? order.get(textOf(message.data.path).replaceAll(sep, "/")) : 0;
      const file = index === undefined ? undefined : batch.files[index];
      if (index === undefined || file === undefined) return; // a name that is not UTF-8: it could not be opened either
      if (message.type === "end") {
        // A file's messages come together, so what is collected now is final and late files can go.
        if (message.data.binary_offset !== null) collected.delete(index);
        held += collected.get(index)?.length ?? 0;
        if (held > 4 * search.maxHits) held = dropLate(collected, search.maxHits + 1);
        return;
      }
      const hits = collected.get(index) ?? [];
      collected.set(index, hits);
      hits.push(hitFrom(file, message.data));
    },
  });
  if (end.kind === "unavailable") return end;
  const problems = end.problems.split("\n").filter((line) => line !== "" && !/ \(os error \d+\)$/.test(line));
  if (end.exitCode > 1 && problems.length > 0) return { kind: "failed", text: problems.join("\n") };
  const hits = [...collected].sort(([a], [b]) => a - b).flatMap(([, inFile]) => inFile);
  return { kind: "hits", hits };
}

function argumentsFor(query: SearchQuery, maxHits: number): string[] {
  return [
    "--json",
    "--crlf",
    "--no-mmap", // a whole read finds a NUL anywhere, so that "binary" means the same here and in JavaScript
    "--max-count",
    `${maxHits + 1}`,
    query.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(query.isRegex ? [] : ["--fixed-strings"]),
    "--",
    query.text,
  ];
}

function hitFrom(file: Listed, data: Extract<z.infer<typeof Message>, { type: "match" }>["data"]): Hit {
  const bytes = "text" in data.lines ? Buffer.from(data.lines.text) : Buffer.from(data.lines.bytes, "base64");
  const start = bytes.toString("utf8", 0, data.submatches[0]?.start ?? 0).length;
  const text = bytes.toString("utf8").replace(/\r?\n$/, "");
  return { file, line: data.line_number, text: cutLine(text, start) };
}

const textOf = (text: z.infer<typeof Text>): string =>
  "text" in text ? text.text : Buffer.from(text.bytes, "base64").toString("utf8");

/** Keeps the `wanted` hits that come first in the files' order, and returns how many: a query that matches everything stays small. */
function dropLate(collected: Map<number, Hit[]>, wanted: number): number {
  let kept = 0;
  for (const [index, hits] of [...collected].sort(([a], [b]) => a - b)) {
    if (kept >= wanted) collected.delete(index);
    else kept += hits.length;
  }
  return kept;
}
