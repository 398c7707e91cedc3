// test/support: what the inspector's panels are given, small enough to read and wide enough to show everything.
import { Handle } from "../../src/schema/claim";
import type { AnalysisSummary, ContentWindow, Plot, PlotColumn } from "../../src/schema/inspector";
import type { RequestItem, RequestView } from "../../src/schema/requestView";
import type { ListView, SessionHead } from "../../src/schema/view";
import type { WhatIfKnobs, WhatIfSeries } from "../../src/schema/whatIf";

/** Markup, an escape, an override and a zero-width space: what must stay text. */
export const HOSTILE = '<img src=x onerror="window.pwned=1">\u001b[31m\u202egnp.exe\u200b&lt;b&gt;';

const HANDLE = Handle.parse("claim:0123456789abcdef0123456789abcdef");

export const LIST: ListView = {
  handle: HANDLE,
  tool: "list_issues",
  total: 400,
  returned: 100,
  inspected: 100,
  available: 100,
  skipped: 300,
  complete: false,
};

export const HEAD: SessionHead = {
  session: "s1",
  kind: "own",
  title: "Who uses the tide?",
  workspace: "/work",
  startedAt: 1_760_000_000_000,
  model: "Model",
  modelId: "model-1",
  windowTokens: 200_000,
  mode: "enforce",
  intent: null,
  policy: "default 1",
  policySha256: "0".repeat(64),
  priceName: "anthropic-5m",
  running: false,
  isStoring: true,
  notices: [],
  limits: [],
  listCount: 1,
  incompleteLists: 1,
  lists: [LIST],
  attention: [],
  totals: {
    calls: 30,
    storedResults: 3,
    deletedResults: 0,
    storedChars: 392_112,
    hiddenChars: 390_000,
    readBacks: 2,
    clamped: 0,
    proposed: 0,
    repairs: 0,
    requests: 40,
    sentTokens: 916_000,
    naiveTokens: 1_000_000,
    sentCost: 12_000.4,
    naiveCost: 30_000,
  },
};

/** Turn `at` of a session that grows; the seventh of ten only read something back. */
function columnAt(at: number): PlotColumn {
  const aged = at > 12 ? 300 * (at - 12) : 0;
  const tokens = [2400, 5200, 200 + 40 * at, 400 * at, 600 + (at % 5) * 1800, 280 * at, 60 * at, aged];
  const naive = at % 10 === 6 ? 0 : 9000 + 2400 * at;
  return { at, turn: at + 1, tokens, naive, isEstimate: false };
}

export const plotOf = (turns: number): Plot => ({
  turnsPerColumn: 1,
  columns: Array.from({ length: turns }, (_, at) => (at === 3 ? null : columnAt(at))),
});

const item = (at: number, given: Partial<RequestItem>): RequestItem => ({
  at,
  role: at % 2 === 0 ? "user" : "assistant",
  call: null,
  tool: null,
  chars: 1200 + at * 10,
  tokens: 300 + at,
  state: "same",
  by: null,
  preview: `What message ${at + 1} says in one line`,
  ...given,
});

const AGED = { n: 341, type: "aged" };

export const REQUEST: RequestView = {
  turn: 7,
  n: 350,
  model: "model-1",
  total: 26,
  from: 0,
  items: [
    item(-2, { role: "system", preview: "You are an agent in an editor." }),
    item(-1, { role: "tools", preview: "read_file, search_text, list_files" }),
    ...Array.from({ length: 9 }, (_, at) => item(at, {})),
    item(9, {
      role: "tool",
      tool: "read_file",
      call: "t3c0",
      state: "changed",
      by: AGED,
      preview: "[shortened]",
    }),
    ...Array.from({ length: 4 }, (_, at) => item(10 + at, {})),
    item(14, { role: "tool", tool: "search_text", call: "t6c0", state: "new", preview: HOSTILE }),
    item(15, { role: "user", state: "new", tokens: null, preview: "Go on." }),
  ],
  removed: 0,
  divergence: { at: 9, by: AGED },
  prefix: { messages: 9, bytes: 60_000, tokens: 16_020, totalTokens: 18_201, counter: "o200k", by: AGED },
  cachedTokens: 15_872,
  isExact: true,
};

const LINES = Array.from({ length: 300 }, (_, at) => `${at + 1}: the tide goes out at ${at % 24} h`).join(
  "\n",
);

export const CONTENT: ContentWindow = {
  handle: HANDLE,
  tool: "read_file",
  text: LINES,
  offset: 16_384,
  totalChars: 104_857_600,
  totalBytes: 104_857_600,
  line: 1204,
  totalLines: 90_000,
};

export const KNOBS: WhatIfKnobs = {
  thresholdChars: 4096,
  headChars: 512,
  slack: 0.25,
  strategy: "cacheAware",
  shortenAfterTurns: 2,
  clearAfterTurns: 4,
  minimumChars: 3000,
  prices: { write: 1.25, read: 0.1, ttlSeconds: 300 },
};

const series = (slope: number, wave: number) =>
  Array.from({ length: 60 }, (_, at) => 8000 + slope * at + wave * (at % 7));

export const SERIES: WhatIfSeries = {
  requestsPerPoint: 1,
  everything: series(1500, 0),
  cloakroom: series(420, 500),
  readBack: series(0, 0),
  recorded: series(560, 700),
  sums: {
    everything: { requests: 60, tokens: 3_135_000, cost: 940_000, peakTokens: 96_500 },
    cloakroom: { requests: 60, tokens: 1_310_000, cost: 420_000, peakTokens: 34_200 },
    recorded: { requests: 60, tokens: 1_560_000, cost: 488_000, peakTokens: 43_600 },
  },
  storedOnArrival: 12,
  shortenedLater: 3,
  readBacks: 2,
  goneResults: 0,
  hiddenAtEndTokens: 84_000,
  counter: "o200k",
};

export const ANALYSIS: AnalysisSummary = {
  agent: "Claude Code",
  sentence:
    "41 of 60 results were larger than what the model read of them; 84,000 tokens could have stayed out.",
  lines: [
    "requests        60   1,560,000 tokens",
    "whole results   41     902,114 tokens",
    "largest         read_file   61,204 tokens",
    HOSTILE,
  ],
};

/** What each panel's props are, but for the format and the callbacks. */
export const OVERVIEW = {
  head: HEAD,
  plot: plotOf(40),
  turnCount: 40,
  selected: null,
  pointed: null,
  whatIf: null,
  fill: null,
  unit: "tokens",
} as const;
export const REQUEST_PANE = {
  request: REQUEST,
  problem: null,
  previousTurn: 6,
  texts: [[9, { text: `The tide.\n${HOSTILE}`, offset: 0, totalChars: 92_112 }]],
  filter: "all",
  isByMessages: true,
} as const;
export const VIEWER = {
  window: CONTENT,
  match: null,
  search: null,
  problem: null,
  find: "",
  direction: "next",
  isReading: false,
} as const;
export const WHAT_IF = {
  knobs: KNOBS,
  defaults: KNOBS,
  series: SERIES,
  problem: null,
  isBusy: false,
} as const;
