/** Step 4: raw text becomes safe text, the only kind that may be stored, logged or sent (CONFORMANCE §0.1). */
import type { SafeMedia } from "../schema/media";
import type { SafeText } from "../schema/text";
import type { Bounded } from "./boundary";
import type { CallContext } from "./callContext";
import type { Executed } from "./execute";
import type { Step } from "./step";

export type Safe = Omit<Executed, "text" | "media"> & {
  readonly safe: SafeText;
  readonly media: readonly SafeMedia[];
  readonly refused: boolean;
};

/** Counts what was changed; bytes that are not text are not searched (docs/threat-model.md). A result that the boundary refused becomes a short error in its place. */
export function redact(result: Executed, bounded: Bounded, context: CallContext): Step<Safe, "redacted"> {
  const { text: _raw, media: _parts, ...rest } = result;
  const call = result.call.call;
  if (bounded.kind === "refused") {
    const safe =
      `The result was refused and not kept: ${bounded.reason}. Ask for a smaller part.` as SafeText;
    return {
      value: { ...rest, safe, media: [], refused: true, isError: true, class: "error", items: null },
      event: {
        type: "redacted",
        call,
        refused: bounded.reason,
        forgedMarkers: 0,
        loneSurrogates: 0,
        secrets: {},
      },
    };
  }
  const { forgedMarkers, loneSurrogates, media } = bounded;
  const { text, hits } = context.secrets.hide(bounded.text);
  return {
    value: { ...rest, safe: text as SafeText, media, refused: false },
    event: { type: "redacted", call, refused: null, forgedMarkers, loneSurrogates, secrets: hits },
  };
}
