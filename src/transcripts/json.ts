/** Foreign JSON: parsed within bounds, and read without believing anything about it. */

export type Json = Readonly<Record<string, unknown>>;

/** Deeper than any real transcript (the deepest of 33 has 24); what is nested further is not read. */
const DEEPEST = 200;

const RECORD = '{"type":';
const MOST_TRIES = 20;

/** Undefined where the text is no JSON, or nested too deep to be handed on. */
export function parseJson(text: string): unknown {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return undefined;
    throw cause;
  }
}

function isDeep(text: string): boolean {
  if (text.length < DEEPEST) return false;
  let depth = 0;
  for (const [at, unit] of structure(text)) {
    if (at < 0) return false;
    depth += unit === "{" || unit === "[" ? 1 : -1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** Brackets outside strings, with their places. */
function* structure(text: string): Generator<readonly [number, string]> {
  const pattern = /["{}[\]]/g;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (found[0] !== '"') {
      yield [found.index, found[0]];
      continue;
    }
    const end = endOfString(text, found.index + 1);
    if (end < 0) return;
    pattern.lastIndex = end + 1;
  }
}

function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return -1;
}

/** The objects that stand one after another in a line which is no JSON as a whole (oh-my-pi#8596), and what is left. */
export function fusedObjects(line: string): { readonly objects: readonly Json[]; readonly isRest: boolean } {
  const objects: Json[] = [];
  let start = 0;
  let depth = 0;
  for (const [at, unit] of structure(line)) {
    depth += unit === "{" || unit === "[" ? 1 : -1;
    if (depth > DEEPEST || depth < 0) break;
    if (depth > 0) continue;
    const value = parseJson(line.slice(start, at + 1));
    if (!isRecord(value)) break;
    objects.push(value);
    start = at + 1;
  }
  const rest = line.slice(start);
  if (rest.trim() === "") return { objects, isRest: false };
  let at = rest.indexOf(RECORD, 1); // a line that was cut off, and the next one behind it
  for (let tries = 0; at > 0 && tries < MOST_TRIES; tries++, at = rest.indexOf(RECORD, at + 1)) {
    const last = parseJson(rest.slice(at));
    if (isRecord(last)) return { objects: [...objects, last], isRest: true };
  }
  return { objects, isRest: true };
}

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): Json => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const recordsOf = (value: unknown): readonly Json[] => listOf(value).filter(isRecord);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** A count that the log can hold, or null. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Arguments as the model wrote them; what the other program had parsed is written again. */
export const argumentsOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "{}" : JSON.stringify(value);

const EARLIEST_MS = 946_684_800_000; // 2000
const LATEST_MS = 4_102_444_800_000; // 2100

/** Unix milliseconds from ISO text, seconds or milliseconds; null for what is no time. */
export function timeOf(value: unknown): number | null {
  const number =
    typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : Number.NaN;
  const milliseconds = Math.round(typeof value === "number" && number < 1e11 ? number * 1000 : number);
  return milliseconds >= EARLIEST_MS && milliseconds <= LATEST_MS ? milliseconds : null;
}
