/** What kind of text a result is, in the words that tickets and aged lines use (seed 001 §Detecção, CONFORMANCE §4). */
import { lineCount } from "../schema/text";

const SAMPLE_UNITS = 4000;

const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/^package \w+\s*$/m, "Go source"],
  [/^(?:def|class) \w+.*:\s*$/m, "Python source"],
  [/^(?:pub )?(?:fn|struct|impl|mod) \w+/m, "Rust source"],
  [/^(?:public |private |abstract |final )*(?:class|interface|enum) \w+.*\{/m, "Java source"],
  [/^(?:import .* from ["']|export |interface \w+ \{|type \w+ = )/m, "TypeScript source"],
  [/^(?:async )?function\b|^(?:const|let|var) \w+ = /m, "JavaScript source"],
  [/^#include [<"]/m, "C source"],
];

/** "1403 lines, text". JSON only where it parses; source by language; then diff, git log, log, CSV, TSV. */
export function describe(text: string): string {
  const lines = lineCount(text);
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${kindOf(text)}`;
}

export function kindOf(text: string): string {
  const start = text.trimStart();
  if ((start.startsWith("{") || start.startsWith("[")) && isJson(text)) return "JSON";
  const sample = text.slice(0, SAMPLE_UNITS);
  if (/^(?:diff --git |--- .+\n\+\+\+ )/m.test(sample)) return "diff";
  if (/^commit [0-9a-f]{7,40}$/m.test(sample)) return "git log";
  if (isBinaryLooking(text)) return "binary or encoded data";
  const rows = sample.split(/\r?\n/).slice(0, 20);
  if (isTable(rows, "\t")) return "TSV";
  if (isTable(rows, ",")) return "CSV";
  if (rows.filter((row) => /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(row)).length >= 3) return "log";
  return SOURCES.find(([pattern]) => pattern.test(sample))?.[1] ?? "text";
}

/** Text that a head would only waste tokens on: long unbroken base64, or many control characters. */
export function isBinaryLooking(text: string): boolean {
  const sample = text.slice(0, SAMPLE_UNITS);
  if (sample.length < 256) return false;
  if (
    /^[A-Za-z0-9+/_=\r\n-]+$/.test(sample) &&
    /[A-Z]/.test(sample) &&
    /[a-z]/.test(sample) &&
    /\d/.test(sample)
  ) {
    const longest = Math.max(...sample.split(/\r?\n/).map((line) => line.length));
    return longest >= 64 && !/[a-z]{20}/.test(sample);
  }
  const controls = sample.match(/[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0;
  return controls > sample.length / 10;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return false;
    throw cause;
  }
}

function isTable(rows: readonly string[], separator: string): boolean {
  const filled = rows.slice(0, -1).filter((row) => row !== ""); // the last one may be cut
  if (filled.length < 3) return false;
  const columns = filled[0]?.split(separator).length ?? 0;
  return columns >= 3 && filled.every((row) => row.split(separator).length === columns);
}
