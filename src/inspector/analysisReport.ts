/** Analyses of recorded sessions as plain lines for a terminal, at most 100 columns wide. */
import { harmless } from "./columns";
import type { Analysis } from "./whatIf/analyse";
import type { Fill, FillKind, Window } from "./whatIf/fills";
import type { LargeItem } from "./whatIf/largest";

/** An analysis, and the file or store that the session is from. */
export type AnalysedSession = { readonly source: string } & Analysis;

const WIDTH = 100;
const LABEL_WIDTH = 37;
const CELL_WIDTH = 20;
const TOOLS = 12; // that have a line of their own

export function analysisReport(session: AnalysedSession): string[] {
  return [
    ...headOf(session),
    "",
    ...costsOf(session),
    "",
    ...windowsOf(session),
    "",
    ...hiddenOf(session),
    "",
    ...largestOf(session),
    "",
    ...mendedOf(session),
  ].map((line) => cut(harmless(line), WIDTH));
}

export type Total = {
  readonly sessions: number;
  readonly requests: number;
  readonly everything: { readonly cost: number };
  readonly cloakroom: { readonly cost: number };
};

/** Sums over sessions; costs under several price lists are added as what they are, multiples of an input price. */
export function totalOf(sessions: readonly AnalysedSession[]): Total {
  const sum = (of: (session: AnalysedSession) => number) =>
    sessions.reduce((total, session) => total + of(session), 0);
  return {
    sessions: sessions.length,
    requests: sum(({ requests }) => requests),
    everything: { cost: sum(({ everything }) => everything.cost) },
    cloakroom: { cost: sum(({ cloakroom }) => cloakroom.cost) },
  };
}

export function totalLine(analysed: readonly AnalysedSession[]): string {
  const { sessions, requests, everything, cloakroom } = totalOf(analysed);
  return (
    `Total: ${counted(sessions, "session")}, ${counted(requests, "request")}; ` +
    `cost ${number(everything.cost)}, with Cloakroom ${number(cloakroom.cost)} (${change(cloakroom.cost, everything.cost)})`
  );
}

function headOf({
  source,
  title,
  format,
  model,
  requests,
  gaps,
  profile,
  counter,
  ...rest
}: AnalysedSession) {
  const { ttlSeconds, by, name, write, read } = profile;
  const why = {
    model: "by the model's name",
    choice: "as chosen",
    unknown: "the model is not known; --profile chooses others",
  }[by];
  const life = ttlSeconds === null ? "" : `, kept ${duration(ttlSeconds)}`;
  const prices =
    write === read ? "every token at the full price" : `to the cache ×${write}, from it ×${read}${life}`;
  const waits = [
    ...(ttlSeconds === null ? [] : [`${number(gaps.overTtl)} longer than ${duration(ttlSeconds)}`]),
    ...(gaps.longestSeconds >= 1 ? [`the longest ${duration(gaps.longestSeconds)}`] : []),
  ];
  const { reportedPeakTokens: reported } = rest;
  return [
    cutInside(harmless(source), WIDTH),
    `"${title}"`,
    `${format ?? "a session of Cloakroom"}, ${model}; ${counted(requests, "request")}`,
    ...(waits.length === 0 ? [] : [`Waits between requests: ${waits.join(", ")}`]),
    `Prices: ${name} (${why}), ${prices}`,
    `Tokens: counted with ${counter}`,
    ...(reported === null
      ? []
      : [`The provider reports up to ${number(reported)} tokens of input in a request`]),
  ];
}

function costsOf({ everything, cloakroom, recorded }: AnalysedSession): string[] {
  const sent = recorded === null ? [] : [recorded];
  const all = [everything, cloakroom, ...sent];
  const row = (label: string, of: (one: (typeof all)[number]) => number): string =>
    cells(label, [
      ...all.map((one) => number(of(one))),
      ...difference(of(cloakroom), of(everything), sent.length),
    ]);
  return [
    cells("", ["sending everything", "with Cloakroom", ...(recorded ? ["as it was sent"] : ["difference"])]),
    row("cost, as tokens of uncached input", ({ cost }) => cost),
    row("tokens sent, all requests", ({ tokens }) => tokens),
    row("largest request, tokens", ({ peakTokens }) => peakTokens),
    row("requests", ({ requests }) => requests),
  ];
}

/** A fourth column would be too wide. */
const difference = (to: number, from: number, others: number): string[] =>
  others > 0 ? [] : [change(to, from)];

const KINDS: Readonly<Record<Exclude<FillKind, "result">, string>> = {
  system: "system prompt",
  tools: "tools",
  assumed: "system and tools, assumed",
  words: "your words",
  replies: "replies",
  arguments: "arguments of calls",
  read_back: "read back again",
};

function windowsOf({ everything, cloakroom }: AnalysedSession): string[] {
  const windows = [everything.last, cloakroom.largest, cloakroom.last];
  const keys = new Map<string, string>();
  const tokens = windows.map((window) => {
    const found = new Map<string, number>();
    for (const { key, label, fill } of labelled(window?.fills ?? [])) {
      keys.set(key, label);
      found.set(key, (found.get(key) ?? 0) + fill.tokens);
    }
    return found;
  });
  const tools = [...keys].filter(([key]) => key.startsWith("result "));
  const shown = tools.length <= TOOLS + 1 ? tools.length : TOOLS; // one other needs a line too
  const [biggest, others] = [tools.slice(0, shown), tools.slice(shown)];
  const named = [...keys].filter(([key]) => !key.startsWith("result "));
  const readBack = named.filter(([key]) => key === "read_back");
  const row = (label: string, of: readonly string[]): string =>
    cells(
      label,
      windows.map((window, n) => {
        const sum = of.reduce((all, key) => all + (tokens[n]?.get(key) ?? 0), 0);
        return window ? `${number(sum)} ${share(sum, window.tokens)}` : "-";
      }),
    );
  const at = (window: Window | null) => (window ? `request ${number(window.request)}` : "-");
  return [
    cells("What fills the window, tokens", ["everything, at end", "Cloakroom, at peak", "Cloakroom, at end"]),
    cells(
      "",
      windows.map((window) => `${at(window)}     `),
    ),
    ...named.filter(([key]) => key !== "read_back").map(([key, label]) => row(label, [key])),
    ...biggest.map(([key, label]) => row(label, [key])),
    ...(others.length === 0
      ? []
      : [
          row(
            `results: ${counted(others.length, "other tool")}`,
            others.map(([key]) => key),
          ),
        ]),
    ...readBack.map(([key, label]) => row(label, [key])),
    cells(
      "all",
      windows.map((window) => (window ? `${number(window.tokens)}     ` : "-")),
    ),
  ];
}

function labelled(fills: readonly Fill[]) {
  const hasSystem = fills.some(({ kind }) => kind === "system");
  return fills.map((fill) =>
    fill.kind === "result"
      ? {
          fill,
          key: `result ${fill.tool}`,
          label: `results: ${fill.tool || "(no name)"} (${number(fill.items)})`,
        }
      : {
          fill,
          key: fill.kind,
          label: hasSystem && fill.kind === "assumed" ? "tools, assumed" : KINDS[fill.kind],
        },
  );
}

function hiddenOf({ cloakroom }: AnalysedSession): string[] {
  const { storedOnArrival, shortenedLater, hiddenAtEnd, readBack } = cloakroom;
  const lines = shortenedLater.toOneLine > 0 ? `${number(shortenedLater.toOneLine)} to one line` : "";
  return [
    cells("What Cloakroom would have hidden", ["results", "tokens"]),
    cells("stored on arrival", [number(storedOnArrival.results), number(-storedOnArrival.tokens)]),
    cells("shortened later", [number(shortenedLater.results), number(-shortenedLater.tokens), lines]),
    cells("hidden at the end", [number(hiddenAtEnd.results), number(-hiddenAtEnd.tokens)]),
    cells("read back, because it was needed", [
      number(readBack.requests),
      readBack.tokens > 0 ? `+${number(readBack.tokens)}` : "0",
    ]),
  ];
}

function largestOf({ largestItems, everything }: AnalysedSession): string[] {
  if (largestItems.length === 0) return ["No request carries anything yet."];
  const width = WIDTH - 3 * 13 - 9;
  const line = (turn: string, what: string, ...numbers: readonly string[]): string =>
    [turn.padStart(6), `   ${what.padEnd(width)}`, ...numbers.map((cell) => cell.padStart(13))].join("");
  const total = everything.last?.tokens ?? 0;
  return [
    line("turn", "The largest items", "tokens", "share", "at the end"),
    ...largestItems.map(({ turn, tokens, shownTokens, ...item }) =>
      line(number(turn), nameOf(item, width), number(tokens), share(tokens, total), number(shownTokens)),
    ),
  ];
}

/** Paths and commands differ at their ends, sentences at their beginning. */
function nameOf(
  { kind, tool, subject }: Pick<LargeItem, "kind" | "tool" | "subject">,
  width: number,
): string {
  if (kind === "words" || kind === "reply")
    return cut(harmless(`${kind === "words" ? "your words" : "reply"}: ${subject}`), width);
  return cutInside(
    harmless(`${kind === "result" ? "result" : "arguments"} of ${tool} ${subject}`.trimEnd()),
    width,
  );
}

const REPAIRS: Readonly<Record<string, string>> = {
  result_missing: "call without a result",
  result_orphaned: "result without a call",
  result_moved: "result moved up to its call",
  result_duplicated: "second result for one call",
  call_duplicated: "call twice in a reply",
  call_renamed: "id of another call",
  call_without_id: "call without an id",
};

function mendedOf({ repairs, notes }: AnalysedSession): string[] {
  const found = Object.entries(repairs).map(([kind, times]) => `${number(times)} × ${REPAIRS[kind] ?? kind}`);
  return [
    `Repairs needed: ${found.length === 0 ? "none" : found.join(", ")}`,
    ...(notes.length === 0 ? [] : ["What was not read, or not as it stands in the file:"]),
    ...notes.map((note) => `  ${note}`),
  ].flatMap((line) => wrapped(line));
}

/** The first column to the left, figures to the right. */
function cells(label: string, values: readonly string[]): string {
  return [
    cut(harmless(label), LABEL_WIDTH).padEnd(LABEL_WIDTH),
    ...values.map((value) => value.padStart(CELL_WIDTH)),
  ]
    .join(" ")
    .trimEnd();
}

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > WIDTH) {
    const space = rest.lastIndexOf(" ", WIDTH);
    const at = space > WIDTH / 2 ? space : WIDTH;
    lines.push(rest.slice(0, at));
    rest = `    ${rest.slice(at).trimStart()}`;
  }
  return [...lines, rest];
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1).toWellFormed()}…`;
function cutInside(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.ceil(width * 0.55);
  return `${text.slice(0, head).toWellFormed()}…${text.slice(text.length - (width - head - 1)).toWellFormed()}`;
}
const number = (value: number): string => (value === 0 ? "0" : value.toLocaleString("en").replace("-", "−"));
const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Four characters: "  7%", "100%", " <1%". */
function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return (part > 0 && percent < 0.5 ? "<1%" : `${Math.round(percent)}%`).padStart(4);
}

/** "−12.3 %", "+4.0 %". */
function change(to: number, from: number): string {
  if (from === 0 || to === from) return "±0 %";
  const percent = 100 * (to / from - 1);
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %`;
}

/** "45 s", "10 min", "2 h 5 min", "3 d 4 h". */
function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
