/**
 * Whether JSON text survives being an object: a server is sent objects, so numbers that a double cannot hold and names
 * that occur twice would reach it as something else (CONFORMANCE §5, Adapters).
 */
export type Lossless =
  | { readonly kind: "lossless"; readonly value: unknown }
  | { readonly kind: "lossy"; readonly what: string } // the first thing that would be lost, for people
  | { readonly kind: "invalid"; readonly what: string };

const DEEPEST = 128; // deeper values are no arguments, and would overflow who reads them recursively
const LONGEST_NUMBER = 1000; // no double needs more

export function readLossless(text: string): Lossless {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { kind: "invalid", what: (cause as Error).message };
  }
  return losses(text) ?? { kind: "lossless", value };
}

/** One pass over text that is known to be JSON. */
function losses(text: string): Lossless | null {
  const names: (Set<string> | null)[] = []; // per open container: the names so far; null for an array
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "{" || char === "[") {
      names.push(char === "{" ? new Set() : null);
      if (names.length > DEEPEST) return { kind: "invalid", what: `more than ${DEEPEST} levels deep` };
    } else if (char === "}" || char === "]") names.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      const name = nameAt(text, at, end);
      const seen = names.at(-1);
      if (name !== null && seen) {
        if (seen.has(name)) return { kind: "lossy", what: `the name ${JSON.stringify(name)} occurs twice` };
        seen.add(name);
      }
      at = end;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      const raw = numberAt(text, at);
      if (!isExact(raw)) return { kind: "lossy", what: `the number ${raw.slice(0, 60)} would be rounded` };
      at += raw.length - 1;
    }
  }
  return null;
}

/** `from` is the opening quote; returns the offset of the closing one. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** What the string says, where a colon follows it: it is then a member's name. */
function nameAt(text: string, start: number, end: number): string | null {
  let next = end + 1;
  while (" \n\r\t".includes(text[next] ?? "x")) next++;
  return text[next] === ":" ? String(JSON.parse(text.slice(start, end + 1))) : null;
}

function numberAt(text: string, start: number): string {
  let end = start + 1;
  while ("0123456789+-.eE".includes(text[end] ?? "x")) end++;
  return text.slice(start, end);
}

/** Whether the number that is sent on has the same value, to the last digit. */
function isExact(raw: string): boolean {
  if (raw.length > LONGEST_NUMBER) return false;
  const sent = JSON.stringify(Number(raw));
  return sent === raw || (sent !== "null" && decimalOf(sent) === decimalOf(raw));
}

/** Sign, digits without outer zeros, and the exponent of the last digit: equal exactly where the values are. */
function decimalOf(raw: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(raw) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return `${sign}0`;
  const last = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${last}`;
}
