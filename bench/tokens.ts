// bench: counting tokens. 4 Mi code units of texts that are hard to count, of text that is not, and loading the bundle.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { countTokens, setMergeCacheSize } from "gpt-tokenizer/encoding/o200k_base";
import { build } from "../esbuild.mjs";
import { root } from "../scripts/bootstrap.mjs";
import type { TokenCounter } from "../src/schema/tokens";
import type { BenchResult } from "./run";

const UNITS = 4 * 1024 * 1024;
const LIBRARY_UNITS = 64 * 1024; // the library would take minutes for more of some
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const BASE64 = `${SMALL}${SMALL.toUpperCase()}0123456789+/`;
const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));

/** The same at every run. */
function randomText(units: number, alphabet: readonly string[]): string {
  const parts: string[] = [];
  let state = 1;
  for (let length = 0; length < units; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const part = alphabet[((mixed ^ (mixed >>> 14)) >>> 0) % alphabet.length] as string;
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}

export async function run(): Promise<BenchResult> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "clk-bench-"));
  try {
    await build({ minify: true, outdir: folder });
    const started = performance.now();
    const { o200kBase } = createRequire(import.meta.url)(path.join(folder, "o200kBase.cjs")) as {
      o200kBase: TokenCounter;
    };
    const loadMs = performance.now() - started;
    const code = await readFile(path.join(root, "node_modules/typescript/lib/typescript.js"), "utf8");
    const texts = {
      one_letter: "a".repeat(UNITS),
      two_letters: "ab".repeat(UNITS / 2),
      random_letters: randomText(UNITS, [...SMALL]),
      base64: randomText(UNITS, [...BASE64]),
      emoji: randomText(UNITS, between(0x1f600, 0x1f64f)),
      chinese_letters: randomText(UNITS, between(0x4e00, 0x9fa5)),
      any_units: randomText(UNITS, between(0, 0xffff)),
      spaces: " ".repeat(UNITS),
    };
    const times: Record<string, number> = {};
    for (const [name, text] of Object.entries(texts)) times[`${name}_4mb_ms`] = timed(o200kBase, text).ms;
    const real = code.slice(0, UNITS);
    const { tokens, ms } = timed(o200kBase, real);
    setMergeCacheSize(0);
    const library: TokenCounter = {
      name: "the library",
      count: (text) => countTokens(text, { disallowedSpecial: new Set<string>() }),
    };
    const hard = texts.random_letters.slice(0, LIBRARY_UNITS);
    const json = {
      ...times,
      code_4mb_ms: ms,
      tokens_per_second: Math.round((tokens / ms) * 1000),
      code_vs_library: round(ms / timed(library, real).ms),
      random_letters_64k_vs_library: round(timed(o200kBase, hard).ms / timed(library, hard).ms),
      load_ms: round(loadMs),
    };
    return { rows: Object.entries(json).map(([name, value]) => [name, String(value)] as const), json };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function timed(counter: TokenCounter, text: string): { readonly tokens: number; readonly ms: number } {
  const started = performance.now();
  const tokens = counter.count(text);
  return { tokens, ms: round(performance.now() - started) };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
