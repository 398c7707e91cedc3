// The inspector's browser side: tokens, shares and differences in the words of the person's locale.
import type { Format } from "./format";

/** What panels write numbers with. One per page, as `Format` is. */
export type TokenFormat = Format & {
  /** "41k", "1.2M". */
  readonly compact: (value: number) => string;
  /** A share from 0 to 1: "41%". */
  readonly share: (value: number) => string;
  /** A change from `before`: "−41%", "+3%"; "" where nothing was before. */
  readonly change: (before: number, after: number) => string;
  readonly decimal: (value: number) => string;
};

export function createTokenFormat(format: Format, locale: string | undefined): TokenFormat {
  const compact = new Intl.NumberFormat(locale, { notation: "compact" });
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
  const signed = new Intl.NumberFormat(locale, {
    style: "percent",
    maximumFractionDigits: 0,
    signDisplay: "exceptZero",
  });
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const smallK = (part: Intl.NumberFormatPart) =>
    part.type === "compact" && part.value === "K" ? "k" : part.value;
  return {
    ...format,
    compact: (value) => compact.formatToParts(value).map(smallK).join(""),
    share: (value) => (value > 0 && value < 0.005 ? `<${percent.format(0.01)}` : percent.format(value)),
    change: (before, after) => (before === 0 ? "" : signed.format(after / before - 1)),
    decimal: (value) => decimal.format(value),
  };
}
