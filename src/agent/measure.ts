/** Step 5: what came back, measured. Savings are never claimed from requested counts (seed 003 §Metrics). */
import { byteLength, charLength } from "../schema/text";
import type { Safe } from "./redact";
import type { Step } from "./step";

/** Its name travels with every figure (CONFORMANCE §0.10). A tokenizer takes its place later. */
export const ESTIMATOR = "chars/3.3";

export type MeasuredResult = Safe & { readonly chars: number; readonly bytes: number };

export function measure(result: Safe): Step<MeasuredResult, "measured"> {
  const chars = charLength(result.safe);
  const bytes = byteLength(result.safe);
  return {
    value: { ...result, chars, bytes },
    event: {
      type: "measured",
      call: result.call.call,
      items: result.items,
      chars,
      bytes,
      tokensEstimated: Math.ceil(chars / 3.3),
      estimator: ESTIMATOR,
    },
  };
}
