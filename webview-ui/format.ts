// The inspector's browser side: numbers, times and names in the words and the locale of the person who reads them.

/** How numbers and times are written. One per page: the locale does not change while it is open. */
export type Format = {
  readonly number: (value: number) => string;
  /** "1 call", "2,000 calls". */
  readonly count: (value: number, one: string, many?: string) => string;
  readonly ms: (value: number) => string;
  /** A sentence of the log, which has its counts as bare digits. */
  readonly sentence: (text: string) => string;
  /** A point in time, short enough for a menu. */
  readonly time: (at: number) => string;
  /** A point in time in full. */
  readonly fullTime: (at: number) => string;
  /** How long before `now` a point in time was: "3 minutes ago". */
  readonly ago: (at: number, now: number) => string;
};

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** A number before what it counts, or a limit: no other number of a sentence, part of which may be anybody's. */
const COUNT =
  /(?<![^\s(])[1-9]\d{3,14}(?= (?:characters|bytes|tokens|items|records|lines|requests)\b)|(?<=\blimit:? )[1-9]\d{3,14}(?=[\s),;.]|$)/g;

export function createFormat(locale: string | undefined, timeZone?: string): Format {
  const zone = timeZone === undefined ? {} : { timeZone };
  const whole = new Intl.NumberFormat(locale);
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const short = new Intl.DateTimeFormat(locale, {
    ...zone,
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  const full = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "full", timeStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const number = (value: number) => whole.format(value);
  return {
    number,
    count: (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`,
    ms: (value) => (value < 1000 ? `${number(value)} ms` : `${decimal.format(value / 1000)} s`),
    sentence: (text) => text.replace(COUNT, (digits) => number(Number(digits))),
    time: (at) => short.format(at),
    fullTime: (at) => full.format(at),
    ago: (at, now) => {
      const seconds = Math.min(0, (at - now) / 1000);
      const [unit, size] = UNITS.find(([, least]) => -seconds >= least) ?? ["second", 1];
      return relative.format(Math.trunc(seconds / size), unit);
    },
  };
}

/** "/options/per_page" as a person writes it: "options.per_page". */
export const pointerName = (pointer: string): string =>
  pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");

/** The first eight digits of a digest: enough to compare by eye. */
export const shortDigest = (sha256: string): string => sha256.slice(0, 8);

/** The first letter of a sentence. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
