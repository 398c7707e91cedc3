/**
 * Counts tokens of o200k_base, with the tables of gpt-tokenizer. A bundle of its own, large: `tokenizer.ts` loads it. The
 * library's merging looks through a whole piece for each merge, and what it remembers outlives the text (decisions.md):
 * here a heap holds the merges that are left, and nothing is kept from one count to the next.
 */
import RANKS from "gpt-tokenizer/bpeRanks/o200k_base";
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import type { TokenCounter } from "../schema/tokens";

/** UTF-16 code units that are split into pieces at once. */
export const SLICE_UNITS = 4096;
/** How far before the end of a full slice a place is looked for where two pieces meet anyway. */
const LOOK_BACK_UNITS = 256;
/** Pieces that one count remembers: a long run that comes again is not merged again. */
const REMEMBERED_PIECES = 4096;

/** A token's rank, by its bytes as characters U+0000 to U+00FF. */
const ranks = new Map<string, number>();
for (const [rank, token] of RANKS.entries())
  if (token !== undefined)
    ranks.set(typeof token === "string" ? bytesOf(token) : String.fromCharCode(...token), rank);
const NONE = -1;
/** The same of two bytes, which are looked up most, by the number they make. */
const pairRanks = new Int32Array(65_536).fill(NONE);
for (const [bytes, rank] of ranks)
  if (bytes.length === 2) pairRanks[bytes.charCodeAt(0) * 256 + bytes.charCodeAt(1)] = rank;

/** Special tokens such as <|endoftext|> are text like any other; a lone surrogate is U+FFFD. */
export const o200kBase: TokenCounter = {
  name: "o200k_base",
  count(text) {
    const seen = new Map<string, number>();
    let tokens = 0;
    for (let from = 0; from < text.length; ) {
      const to = sliceEnd(text, from);
      for (const piece of text.slice(from, to).match(O200K_TOKEN_SPLIT_REGEX) ?? []) {
        const counted = seen.get(piece) ?? countOf(bytesOf(piece));
        if (seen.size < REMEMBERED_PIECES) seen.set(piece, counted);
        tokens += counted;
      }
      from = to;
    }
    return tokens;
  },
};

/**
 * Where the slice that starts at `from` ends: full, but rather before a space behind a printed ASCII character, since no
 * piece spans that place. Never inside a surrogate pair.
 */
export function sliceEnd(text: string, from: number): number {
  const full = from + SLICE_UNITS;
  if (full >= text.length) return text.length;
  for (let at = full; at > full - LOOK_BACK_UNITS; at--) {
    const before = text.charCodeAt(at - 1);
    if (text.charCodeAt(at) === 0x20 && before > 0x20 && before < 0x7f) return at;
  }
  const isInPair = isSurrogate(text, full - 1, 0xd800) && isSurrogate(text, full, 0xdc00);
  return isInPair ? full - 1 : full;
}

const isSurrogate = (text: string, at: number, half: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === half;

/** UTF-8, each byte as one character. */
function bytesOf(text: string): string {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) > 0x7f) return Buffer.from(text, "utf8").toString("latin1");
  return text;
}

function countOf(bytes: string): number {
  return ranks.has(bytes) ? 1 : merged(bytes);
}

// What merging works on. The parts of a piece are a list by the place each starts at.
const PLACES = 3 * SLICE_UNITS + 1; // a code unit has at most three bytes
const next = new Int32Array(PLACES);
const previous = new Int32Array(PLACES);
const joined = new Int32Array(PLACES); // the rank of a part with the one behind it
/** The least first: a rank, and the place of its first part below it. Entries that no longer hold are passed over. */
const heap = new Float64Array(3 * PLACES);
let heapSize = 0;
const PLACE_SPAN = 2 ** 14;

/** How many parts are left when no two that stand together are a token: lowest rank first, of equals the leftmost. */
function merged(bytes: string): number {
  const { length } = bytes;
  heapSize = 0;
  for (let at = 0; at < length; at++) {
    next[at] = at + 1;
    previous[at] = at - 1;
    offer(bytes, at, at + 2);
  }
  let parts = length;
  while (heapSize > 0) {
    const entry = taken();
    const at = entry % PLACE_SPAN;
    if (joined[at] !== (entry - at) / PLACE_SPAN) continue;
    const behind = next[at] as number;
    const after = next[behind] as number;
    next[at] = after;
    previous[after] = at;
    joined[behind] = NONE;
    parts--;
    offer(bytes, at, after < length ? (next[after] as number) : Number.POSITIVE_INFINITY);
    const before = previous[at] as number;
    if (before >= 0) offer(bytes, before, after);
  }
  return parts;
}

/** Notes the merge that would make bytes `at` to `end` one part, if they are a token. */
function offer(bytes: string, at: number, end: number): void {
  let rank = NONE;
  if (end - at === 2 && end <= bytes.length)
    rank = pairRanks[bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1)] as number;
  else if (end <= bytes.length) rank = ranks.get(bytes.slice(at, end)) ?? NONE;
  joined[at] = rank;
  if (rank !== NONE) put(rank * PLACE_SPAN + at);
}

function put(entry: number): void {
  let at = heapSize++;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above] as number;
    if (other <= entry) break;
    heap[at] = other;
    at = above;
  }
  heap[at] = entry;
}

function taken(): number {
  const least = heap[0] as number;
  const entry = heap[--heapSize] as number;
  let at = 0;
  for (let below = 1; below < heapSize; below = 2 * at + 1) {
    if (below + 1 < heapSize && (heap[below + 1] as number) < (heap[below] as number)) below++;
    const other = heap[below] as number;
    if (other >= entry) break;
    heap[at] = other;
    at = below;
  }
  heap[at] = entry;
  return least;
}
