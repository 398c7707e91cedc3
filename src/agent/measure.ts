/** Step 5: what came back, measured. Savings are never claimed from requested counts (seed 003 §Metrics). */
import { byteLength, charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import type { CallContext } from "./callContext";
import type { Safe } from "./redact";
import type { Redeemed } from "./retrieve";
import type { Step } from "./step";

type Size = { readonly chars: number; readonly bytes: number; readonly tokensEstimated: number };
export type MeasuredResult = Safe & Size;
export type MeasuredWindow = Redeemed & Size;

/** The counter's name travels with every figure (CONFORMANCE §0.10). */
export function measure(result: Safe, { ports }: CallContext): Step<MeasuredResult, "measured"> {
  const size = sizeOf(result.safe, ports.tokens);
  return {
    value: { ...result, ...size },
    event: {
      type: "measured",
      call: result.call.call,
      items: result.items,
      ...size,
      ...mediaBytesOf(result),
      estimator: ports.tokens.name,
    },
  };
}

/** The same for a window that was read back, or its refusal: what of it enters the conversation. */
export function measureWindow(redeemed: Redeemed, { ports }: CallContext): Step<MeasuredWindow, "measured"> {
  const size = sizeOf(redeemed.text, ports.tokens);
  return {
    value: { ...redeemed, ...size },
    event: { type: "measured", call: redeemed.call, items: null, ...size, estimator: ports.tokens.name },
  };
}

function mediaBytesOf({ media }: Safe): { mediaBytes?: number } {
  return media.length === 0 ? {} : { mediaBytes: media.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

function sizeOf(text: string, tokens: TokenCounter): Size {
  return { chars: charLength(text), bytes: byteLength(text), tokensEstimated: tokens.count(text) };
}
