/** Step 5: what came back, measured. Savings are never claimed from requested counts (seed 003 §Metrics). */
import { byteLength, charLength } from "../schema/text";
import type { Safe } from "./redact";
import type { Redeemed } from "./retrieve";
import type { Step } from "./step";

/** Its name travels with every figure (CONFORMANCE §0.10). A tokenizer takes its place later. */
export const ESTIMATOR = "chars/3.3";

/** The estimate behind that name. */
export const CHARS_PER_TOKEN = 3.3;
export const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

export type MeasuredResult = Safe & { readonly chars: number; readonly bytes: number };
export type MeasuredWindow = Redeemed & { readonly chars: number; readonly bytes: number };

export function measure(result: Safe): Step<MeasuredResult, "measured"> {
  const size = sizeOf(result.safe);
  return {
    value: { ...result, chars: size.chars, bytes: size.bytes },
    event: {
      type: "measured",
      call: result.call.call,
      items: result.items,
      ...size,
      ...mediaBytesOf(result),
      estimator: ESTIMATOR,
    },
  };
}

/** The same for a window that was read back, or its refusal: what of it enters the conversation. */
export function measureWindow(redeemed: Redeemed): Step<MeasuredWindow, "measured"> {
  const size = sizeOf(redeemed.text);
  return {
    value: { ...redeemed, chars: size.chars, bytes: size.bytes },
    event: { type: "measured", call: redeemed.call, items: null, ...size, estimator: ESTIMATOR },
  };
}

function mediaBytesOf({ media }: Safe): { mediaBytes?: number } {
  return media.length === 0 ? {} : { mediaBytes: media.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

function sizeOf(text: string): { chars: number; bytes: number; tokensEstimated: number } {
  const chars = charLength(text);
  return { chars, bytes: byteLength(text), tokensEstimated: tokensOf(chars) };
}
