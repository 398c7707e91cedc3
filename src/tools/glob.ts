/** Globs over path segments, shared by the tools' `glob` argument, ignore files and the table of sensitive paths. */

/** Matches whole paths, given as segments. Time is bounded by pattern length × path length: no pattern can hang. */
export type Glob = { matches(segments: readonly string[]): boolean };

type Token =
  | { readonly kind: "star" }
  | { readonly kind: "any" }
  | { readonly kind: "char"; readonly char: string }
  | {
      readonly kind: "set";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    };

const MAX_ALTERNATIVES = 256;

/** `*`, `?`, `[a-z]`, `[!a]`, `\` and `**` between slashes, as in ignore files. Null when it cannot be read as one. */
export function compileGlob(pattern: string): Glob | null {
  const parts = pattern.split("/").filter((part) => part !== "");
  const compiled: (readonly Token[] | "globstar")[] = [];
  for (const part of parts) {
    if (part === "**") {
      compiled.push("globstar");
      continue;
    }
    const tokens = tokensOf(part);
    if (tokens === null) return null;
    compiled.push(tokens);
  }
  if (compiled.at(-1) === "globstar") compiled.push([{ kind: "star" }]); // `a/**` is everything inside a, not a itself
  return {
    matches: (segments) =>
      matchGreedily(
        compiled,
        segments,
        (part) => part === "globstar",
        (part, segment) => part !== "globstar" && matchSegment(part, segment),
      ),
  };
}

/** Splits `{a,b}` groups, nested ones too. Null when there are more than 256 alternatives or a brace is left open. */
export function expandBraces(pattern: string): string[] | null {
  const open = indexOutsideEscapes(pattern, "{");
  if (open === -1) return [pattern];
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < pattern.length; i++) {
    const unit = pattern[i];
    if (unit === "\\") i++;
    else if (unit === "{") depth++;
    else if (unit === "," && depth === 1) {
      choices.push(pattern.slice(start, i));
      start = i + 1;
    } else if (unit === "}" && --depth === 0) {
      choices.push(pattern.slice(start, i));
      const expanded: string[] = [];
      for (const choice of choices) {
        const rest = expandBraces(pattern.slice(0, open) + choice + pattern.slice(i + 1));
        if (rest === null || expanded.length + rest.length > MAX_ALTERNATIVES) return null;
        expanded.push(...rest);
      }
      return expanded;
    }
  }
  return null;
}

function indexOutsideEscapes(text: string, wanted: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === wanted) return i;
  }
  return -1;
}

function tokensOf(part: string): readonly Token[] | null {
  const chars = Array.from(part);
  const tokens: Token[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (char === "?") tokens.push({ kind: "any" });
    else if (char === "\\") {
      const next = chars[++i];
      if (next === undefined) return null;
      tokens.push({ kind: "char", char: next });
    } else if (char === "[") {
      const set = setAt(chars, i + 1);
      if (set === null) return null;
      tokens.push(set.token);
      i = set.last;
    } else tokens.push({ kind: "char", char });
  }
  return tokens;
}

/** Reads `a-z]` after the opening bracket; a `]` in first place stands for itself. */
function setAt(chars: readonly string[], from: number): { token: Token; last: number } | null {
  let i = from;
  const negated = chars[i] === "!" || chars[i] === "^";
  if (negated) i++;
  const ranges: [number, number][] = [];
  for (let first = true; i < chars.length; first = false, i++) {
    if (chars[i] === "]" && !first) return { token: { kind: "set", negated, ranges }, last: i };
    if (chars[i] === "\\") i++;
    const low = chars[i]?.codePointAt(0);
    if (low === undefined) return null;
    if (chars[i + 1] === "-" && chars[i + 2] !== undefined && chars[i + 2] !== "]") {
      i += chars[i + 2] === "\\" ? 3 : 2;
      const high = chars[i]?.codePointAt(0);
      if (high === undefined || high < low) return null;
      ranges.push([low, high]);
    } else ranges.push([low, low]);
  }
  return null;
}

function matchSegment(tokens: readonly Token[], segment: string): boolean {
  return matchGreedily(
    tokens,
    Array.from(segment),
    (token) => token.kind === "star",
    (token, char) => {
      if (token.kind === "any") return true;
      if (token.kind === "char") return token.char === char;
      if (token.kind !== "set") return false;
      const point = char.codePointAt(0) as number;
      return token.ranges.some(([low, high]) => point >= low && point <= high) !== token.negated;
    },
  );
}

/** Every token takes one item except wild ones, which take any number: only the last wild one ever needs another try. */
function matchGreedily<T, I>(
  tokens: readonly T[],
  items: readonly I[],
  isWild: (token: T) => boolean,
  takes: (token: T, item: I) => boolean,
): boolean {
  let t = 0;
  let i = 0;
  let wild = -1;
  let retry = 0;
  while (i < items.length) {
    const token = tokens[t];
    if (t < tokens.length && isWild(token as T)) {
      wild = t++;
      retry = i;
    } else if (t < tokens.length && takes(token as T, items[i] as I)) {
      t++;
      i++;
    } else if (wild !== -1) {
      t = wild + 1;
      i = ++retry;
    } else return false;
  }
  while (t < tokens.length && isWild(tokens[t] as T)) t++;
  return t === tokens.length;
}
