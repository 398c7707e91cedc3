/** Searches in JavaScript, where there is no ripgrep. */
import { createContext, Script } from "node:vm";
import { cutLine } from "./cutLine";
import { decodeText } from "./decodeText";
import { pathOf } from "./listWorkspace";
import { MAX_FILE_BYTES } from "./ports";
import type { Found, Hit, Search, SearchQuery } from "./searchQuery";

/** How long a regular expression may run in one file, which blocks the host, and in all; one that backtracks could run for ever. */
const FILE_BUDGET_MS = 1000;
const SEARCH_BUDGET_MS = 10_000;

/** The first match of each line that has one, as [index of the line, code unit], at most `most`. */
type Matches = (lines: readonly string[], most: number) => readonly (readonly [number, number])[];

/** Thrown when a regular expression is given up. */
class TooSlow extends Error {}

/** Hits in the order of the files. Files that cannot be read, are binary or above 64 MB are passed over, as ripgrep does. */
export async function searchWithScript(search: Search): Promise<Found> {
  const pattern = compilePattern(search.query);
  if (typeof pattern === "string") return { kind: "failed", code: "invalid_regex", text: pattern };
  const matches = search.query.isRegex ? limited(pattern) : unlimited(pattern);
  const hits: Hit[] = [];
  for (const file of search.files) {
    search.signal.throwIfAborted();
    const read = await search.workspace.read(pathOf(file), MAX_FILE_BYTES);
    if (read.kind !== "file") continue;
    const text = searchableText(read.bytes);
    if (text === null || (!search.query.isRegex && !pattern.test(text))) continue;
    const lines = linesOf(text);
    try {
      for (const [index, at] of matches(lines, search.maxHits + 1 - hits.length)) {
        hits.push({ file, line: index + 1, text: cutLine(lines[index] as string, at) });
      }
    } catch (cause) {
      if (!(cause instanceof TooSlow)) throw cause;
      const text = `The pattern takes too long (stopped in ${file.shown}). Simplify it, or narrow the glob.`;
      return { kind: "failed", code: "too_slow", text };
    }
    if (hits.length > search.maxHits) {
      return { kind: "found", hits: hits.slice(0, search.maxHits), exact: false };
    }
  }
  return { kind: "found", hits, exact: true };
}

/** For literal text, whose time grows with the text only. */
function unlimited(pattern: RegExp): Matches {
  return (lines, most) => {
    const found: [number, number][] = [];
    for (let i = 0; i < lines.length && found.length < most; i++) {
      const match = pattern.exec(lines[i] as string);
      if (match !== null) found.push([i, match.index]);
    }
    return found;
  };
}

/** The same within the budgets. A script of its own is the one place where V8 ends a regular expression that takes too long. */
function limited(pattern: RegExp): Matches {
  const sandbox = { lines: [] as readonly string[], most: 0, find: unlimited(pattern) };
  const context = createContext(sandbox);
  const script = new Script("find(lines, most)");
  let leftMs = SEARCH_BUDGET_MS;
  return (lines, most) => {
    sandbox.lines = lines;
    sandbox.most = most;
    const startedAt = performance.now();
    try {
      const timeout = Math.ceil(Math.min(FILE_BUDGET_MS, Math.max(1, leftMs)));
      return script.runInContext(context, { timeout });
    } catch (cause) {
      if (hasCode(cause, "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw new TooSlow();
      throw cause;
    } finally {
      leftMs -= performance.now() - startedAt;
    }
  };
}

/** Text as ripgrep would search it: UTF-8 with bad bytes replaced, UTF-16 if marked, no BOM; null for binary. */
function searchableText(bytes: Uint8Array): string | null {
  const decoded = decodeText(bytes);
  if (decoded.kind === "text") return decoded.text.replace(/^\uFEFF/, "");
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop(); // a final line break ends a line, it does not start one
  return lines;
}

/** The pattern, or what is wrong with it. Accepts what both dialects share; the rest differs from ripgrep's in details. */
function compilePattern(query: SearchQuery): RegExp | string {
  const caseFlag = query.caseSensitive ? "" : "i";
  if (!query.isRegex) {
    return new RegExp(query.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), `u${caseFlag}`);
  }
  if (/\(\?<?[=!]/.test(query.text)) return "look-around is not supported";
  if (/(^|[^\\])(\\\\)*\\[1-9]/.test(query.text)) return "back-references are not supported";
  const inline = /^\(\?i\)/.test(query.text);
  const source = query.text.replace(/^\(\?i\)/, "").replaceAll("(?P<", "(?<");
  const flag = inline ? "i" : caseFlag;
  try {
    return new RegExp(source, `u${flag}`);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    try {
      return new RegExp(source, flag); // escapes such as \- that only the Unicode dialect refuses
    } catch (second) {
      if (!(second instanceof SyntaxError)) throw second;
      return cause.message;
    }
  }
}

function hasCode(cause: unknown, code: string): boolean {
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === code; // another realm's Error
}
