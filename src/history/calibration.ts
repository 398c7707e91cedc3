/**
 * What a model calls a token: its own count of the requests it was sent beside ours, as a fold of the log. Another
 * tokenizer, and what a wire format adds, are one factor per model.
 */
import type { EventOf, Fold, Logged } from "../schema/event";

/** Sums over the requests of a model, both counts known. */
type Counts = { readonly counted: number; readonly reported: number };

export type Calibration = {
  /** What counted; another one begins anew. */
  readonly estimator: string | null;
  /** The request that no reply has come to yet, if it says anything of the model. */
  readonly sent: { readonly model: string; readonly turn: number; readonly counted: number } | null;
  readonly models: Readonly<Record<string, Counts>>;
};

/** A factor outside says more of a mistake in the report than of the model. */
const LEAST_FACTOR = 0.5;
const GREATEST_FACTOR = 3;

export const calibrationFold: Fold<Calibration> = {
  begin: () => ({ estimator: null, sent: null, models: {} }),
  reduce(state, event) {
    if (event.type === "requested") return requested(state, event);
    if (event.type === "replied") return replied(state, event);
    return state;
  },
};

export const calibrationFrom = (events: readonly Logged[]): Calibration =>
  events.reduce(calibrationFold.reduce, calibrationFold.begin());

/** Reported tokens for each that we count, by the model's id; 1 where nothing is known of it. */
export function factorOf({ models }: Calibration, model: string): number {
  const counts = Object.hasOwn(models, model) ? models[model] : undefined;
  if (counts === undefined) return 1;
  return Math.min(GREATEST_FACTOR, Math.max(LEAST_FACTOR, counts.reported / counts.counted));
}

/** Tokens as the model counts them, as far as we know: rounded up, since what they are held against is a limit. */
export const calibratedTokens = (counted: number, factor: number): number => Math.ceil(counted * factor);

/** A request with images says nothing: what an image counts as is a flat figure of ours. */
function requested(state: Calibration, event: EventOf<"requested">): Calibration {
  const { model, turn, prefix } = event;
  if (!prefix?.totalTokens || (event.imageBytes ?? 0) > 0)
    return state.sent === null ? state : { ...state, sent: null };
  const { totalTokens: counted, counter: estimator } = prefix;
  const models = estimator === state.estimator ? state.models : {};
  return { estimator, models, sent: { model, turn, counted } };
}

function replied(state: Calibration, { turn, usage, end }: EventOf<"replied">): Calibration {
  const { sent } = state;
  if (sent === null) return state;
  const isReported = sent.turn === turn && end !== "failed" && usage !== null && usage.inputTokens > 0;
  if (!isReported) return { ...state, sent: null };
  const before = Object.hasOwn(state.models, sent.model) ? state.models[sent.model] : undefined;
  const counts = {
    counted: (before?.counted ?? 0) + sent.counted,
    reported: (before?.reported ?? 0) + usage.inputTokens,
  };
  return { ...state, sent: null, models: { ...state.models, [sent.model]: counts } };
}
