// The inspector's browser side: the settings that What If moves, and what is said of what comes of them.
import type { WhatIfKnobs, WhatIfSeries } from "../src/schema/whatIf";
import type { TokenFormat } from "./tokenFormat";

export const WHAT_IF_WORDS = {
  panel: "What If",
  results: "Results",
  ageing: "Old results",
  prices: "Prices, relative to a token of input",
  strategy: "Shorten",
  reset: "Reset",
  apply: "Apply to Settings…",
  busy: "Calculating…",
  figures: "Figures",
  plot: "Tokens of each request",
  everything: "Everything",
  everythingSays: "Every result whole",
  cloakroom: "What if",
  cloakroomSays: "Under the settings here",
  recorded: "Recorded",
  recordedSays: "As it was sent",
  sent: "Tokens sent",
  cost: "Cost",
  peak: "Largest",
  unlimited: "No limit",
  none: "The session has no request yet.",
} as const;

/** A knob that is a number. The slider covers what people choose; the field beside takes all that the setting takes. */
export type NumberKnob = {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly slider: { readonly maximum: number; readonly step: number };
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number; // of the field
  readonly read: (knobs: WhatIfKnobs) => number | null;
  readonly write: (knobs: WhatIfKnobs, value: number) => WhatIfKnobs;
  /** What an empty field means; without it an empty field is not a value. */
  readonly clear?: (knobs: WhatIfKnobs) => WhatIfKnobs;
};

type WholeName =
  | "thresholdChars"
  | "headChars"
  | "slack"
  | "shortenAfterTurns"
  | "clearAfterTurns"
  | "minimumChars";

const knob = (
  name: WholeName,
  label: string,
  unit: string,
  slider: NumberKnob["slider"],
  [minimum, maximum, step]: readonly [number, number, number],
): NumberKnob => ({
  name,
  label,
  unit,
  slider,
  minimum,
  maximum,
  step,
  read: (knobs) => knobs[name],
  write: (knobs, value) => ({ ...knobs, [name]: value }),
});

/** Where nothing is known of a model's cache every token has the full price. */
const pricesOf = ({ prices }: WhatIfKnobs): NonNullable<WhatIfKnobs["prices"]> =>
  prices ?? { write: 1, read: 1, ttlSeconds: null };

const price = (name: "write" | "read", label: string, maximum: number): NumberKnob => ({
  name,
  label,
  unit: "×",
  slider: { maximum, step: 0.05 },
  minimum: 0,
  maximum: 1000,
  step: 0.01,
  read: (knobs) => pricesOf(knobs)[name],
  write: (knobs, value) => ({ ...knobs, prices: { ...pricesOf(knobs), [name]: value } }),
});

/** A head is shorter than what is stored at all: moving the one past the other takes it along. */
const withThreshold = (knobs: WhatIfKnobs, thresholdChars: number): WhatIfKnobs => ({
  ...knobs,
  thresholdChars,
  headChars: Math.min(knobs.headChars, thresholdChars - 1),
});
const withHead = (knobs: WhatIfKnobs, headChars: number): WhatIfKnobs => ({
  ...knobs,
  headChars,
  thresholdChars: Math.max(knobs.thresholdChars, headChars + 1),
});

export const RESULT_KNOBS: readonly NumberKnob[] = [
  {
    ...knob(
      "thresholdChars",
      "Store results over",
      "characters",
      { maximum: 32_768, step: 256 },
      [2, 10_000_000, 1],
    ),
    write: withThreshold,
  },
  {
    ...knob("headChars", "Head that stays", "characters", { maximum: 4096, step: 64 }, [1, 1_000_000, 1]),
    write: withHead,
  },
  knob("slack", "Slack over the threshold", "share", { maximum: 1, step: 0.05 }, [0, 4, 0.01]),
];
export const AGEING_KNOBS: readonly NumberKnob[] = [
  knob("shortenAfterTurns", "Shorten after", "turns", { maximum: 20, step: 1 }, [1, 10_000, 1]),
  knob("clearAfterTurns", "Clear after", "turns", { maximum: 40, step: 1 }, [1, 10_000, 1]),
  knob("minimumChars", "Only results over", "characters", { maximum: 20_000, step: 250 }, [0, 10_000_000, 1]),
];
export const PRICE_KNOBS: readonly NumberKnob[] = [
  price("write", "What is not cached", 2),
  price("read", "What is cached", 1),
  {
    name: "ttlSeconds",
    label: "A cache lives",
    unit: "seconds",
    slider: { maximum: 3600, step: 60 },
    minimum: 1,
    maximum: 1_000_000,
    step: 1,
    read: (knobs) => pricesOf(knobs).ttlSeconds,
    write: (knobs, value) => ({ ...knobs, prices: { ...pricesOf(knobs), ttlSeconds: value } }),
    clear: (knobs) => ({ ...knobs, prices: { ...pricesOf(knobs), ttlSeconds: null } }),
  },
];
export const NUMBER_KNOBS: readonly NumberKnob[] = [...RESULT_KNOBS, ...AGEING_KNOBS, ...PRICE_KNOBS];

export const STRATEGIES = [
  { value: "off", label: "Never" },
  { value: "age", label: "By age" },
  { value: "cacheAware", label: "When it pays" },
] as const;

/** `typed` as this knob takes it; null: it does not. Whole where the setting is, as its step says. */
export function knobValue({ minimum, maximum, step }: NumberKnob, typed: string): number | null {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(value) || value < minimum || value > maximum) return null;
  return step >= 1 ? Math.round(value) : value;
}

export const isSameKnobs = (one: WhatIfKnobs, other: WhatIfKnobs): boolean =>
  one.strategy === other.strategy && NUMBER_KNOBS.every(({ read }) => read(one) === read(other));

export type FigureRow = {
  readonly kind: "recorded" | "everything" | "cloakroom";
  readonly name: string;
  readonly says: string;
  /** Tokens sent, cost, largest request: each with its difference from what is compared with. */
  readonly cells: readonly { readonly value: string; readonly title: string; readonly change: string }[];
};

/** What if beside what was recorded (or, where the log does not say, beside everything). */
export function figureRows({ sums }: WhatIfSeries, f: TokenFormat): FigureRow[] {
  const base = sums.recorded ?? sums.everything;
  const row = (kind: FigureRow["kind"], sum: typeof base, isBase: boolean): FigureRow => ({
    kind,
    name: WHAT_IF_WORDS[kind],
    says: WHAT_IF_WORDS[`${kind}Says`],
    cells: (["tokens", "cost", "peakTokens"] as const).map((name) => ({
      value: f.compact(sum[name]),
      title: f.count(sum[name], "token"),
      change: isBase ? "" : f.change(base[name], sum[name]),
    })),
  });
  return [
    row("everything", sums.everything, sums.recorded === null),
    ...(sums.recorded === null ? [] : [row("recorded", sums.recorded, true)]),
    row("cloakroom", sums.cloakroom, false),
  ];
}

const goneSentence = (results: number, f: TokenFormat): string =>
  `${f.count(results, "stored result")} ${results === 1 ? "is" : "are"} deleted or cannot be read: counted by ${results === 1 ? "its" : "their"} size.`;

/** What the settings would have done, and what of the figures is known by its size only. */
export function whatIfSentence(series: WhatIfSeries, f: TokenFormat): string {
  const { storedOnArrival, shortenedLater, readBacks, goneResults, hiddenAtEndTokens } = series;
  const parts = [
    `${f.count(storedOnArrival, "result")} stored`,
    `${f.number(shortenedLater)} shortened later`,
  ];
  if (readBacks > 0) parts.push(`${f.number(readBacks)} read back`);
  const done = `${parts.join(", ")}; ${f.count(hiddenAtEndTokens, "token")} hidden at the end.`;
  return goneResults === 0 ? done : `${done} ${goneSentence(goneResults, f)}`;
}
