/** What fills each request, what a history that keeps everything whole would have sent, and what both cost. */
import { cacheProfileOf, requestCost } from "../history/promptCache";
import type { CacheProfile } from "../schema/cost";
import type { EventOf, Logged } from "../schema/event";
import { charLength } from "../schema/text";
import { FILL_KINDS, type FillKind, type RequestFill, type Totals } from "../schema/view";

const CHARS_PER_TOKEN = 4;
const ESTIMATE = "characters ÷ 4";

type Kinds = Record<FillKind, number>;
/** A result in the conversation, in characters. */
type Counted = { kind: FillKind; chars: number; whole: number; isReadBack: boolean };

/** In characters, by kind; kept only while the log has no counts of its own. */
type Estimate = { readonly kinds: Kinds; readonly results: Map<string, Counted> };

/** Contract: changed in place. */
export type FillState = {
  profile: CacheProfile;
  estimate: Estimate | null;
  lastRequestAt: number | null;
  lastTokens: number;
  lastNaive: number;
  calls: number; // of the last reply
  readBacks: number; // of them, those that read something back
};

const NO_PROFILE: CacheProfile = { name: "", source: "table", prices: null };

export const noFill = (): FillState => ({
  profile: NO_PROFILE,
  estimate: { kinds: noKinds(), results: new Map() },
  lastRequestAt: null,
  lastTokens: 0,
  lastNaive: 0,
  calls: 0,
  readBacks: 0,
});

const noKinds = (): Kinds => Object.fromEntries(FILL_KINDS.map((kind) => [kind, 0])) as Kinds;

type Requested = Logged & EventOf<"requested">;
export type Filled = {
  readonly fill: RequestFill;
  readonly sums: Pick<Totals, "requests" | "sentTokens" | "naiveTokens" | "sentCost" | "naiveCost">;
};

export function fillRequest(state: FillState, event: Requested): Filled {
  const fill = fillOf(state, event);
  const tokens = fill.tokens.reduce((sum, part) => sum + part, 0);
  const idle = state.lastRequestAt === null ? null : Math.max(0, event.at - state.lastRequestAt) / 1000;
  const isReadBack = state.calls > 0 && state.readBacks === state.calls;
  const reusedTokens = event.prefix?.tokens ?? (tokens >= state.lastTokens ? state.lastTokens : 0);
  const cost = (reused: number, totalTokens: number) =>
    requestCost(state.profile, { reusedTokens: reused, totalTokens }, idle);
  const sums = {
    requests: 1,
    sentTokens: tokens,
    sentCost: cost(reusedTokens, tokens),
    naiveTokens: isReadBack ? 0 : fill.naive,
    naiveCost: isReadBack ? 0 : cost(Math.min(state.lastNaive, fill.naive), fill.naive),
  };
  Object.assign(state, { lastRequestAt: event.at, lastTokens: tokens, lastNaive: fill.naive });
  return { fill, sums };
}

/** What the log says; where it says nothing, by characters, in the proportions that they have. */
function fillOf(state: FillState, { fills, prefix, chars }: Requested): RequestFill {
  if (fills) {
    state.estimate = null;
    const { naive } = fills;
    const counter = prefix?.counter ?? "";
    return { tokens: FILL_KINDS.map((kind) => fills[kind]), naive, counter, isEstimate: false };
  }
  const { kinds, results } = state.estimate ?? { kinds: noKinds(), results: new Map<string, Counted>() };
  const counted = FILL_KINDS.map((kind) => kinds[kind]);
  const all = counted.reduce((sum, part) => sum + part, 0);
  const total = prefix?.totalTokens ?? Math.round(Math.max(all, chars) / CHARS_PER_TOKEN);
  const tokens = proportioned(counted, total);
  let hidden = 0;
  for (const { chars: shown, whole, isReadBack } of results.values())
    hidden += isReadBack ? -shown : Math.max(0, whole - shown);
  const naive = Math.max(0, total + Math.round(hidden * (all > 0 ? total / all : 1 / CHARS_PER_TOKEN)));
  return { tokens, naive, counter: prefix?.counter ?? ESTIMATE, isEstimate: true };
}

/** Whole numbers in these proportions; their sum is `total`. */
function proportioned(parts: readonly number[], total: number): number[] {
  const all = parts.reduce((sum, part) => sum + part, 0);
  if (all === 0) return parts.map((_, at) => (at === FILL_KINDS.indexOf("system") ? total : 0));
  let given = 0;
  let seen = 0;
  return parts.map((part) => {
    seen += part;
    const upTo = Math.round((total * seen) / all);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}

/** Keeps up what the estimate needs, and which calls only read back. */
export function watchFill(state: FillState, event: Logged): void {
  if (event.type === "replied") {
    state.calls = event.calls.length;
    state.readBacks = 0;
  } else if (event.type === "redeemed" || event.type === "paged") state.readBacks++;
  else if (event.type === "configured")
    state.profile = cacheProfileOf(event.model.id, event.settings.ageing.cacheProfiles);
  if (state.estimate) watchEstimate(state.estimate, event);
}

function watchEstimate({ kinds, results }: Estimate, event: Logged): void {
  switch (event.type) {
    case "configured":
      kinds.system = charLength(event.system);
      kinds.tools = event.tools.length === 0 ? 0 : charLength(JSON.stringify(event.tools));
      return;
    case "asked":
    case "gated":
      kinds.user += charLength(event.text);
      return;
    case "replied":
      kinds.assistant += charLength(event.text);
      for (const { arguments: given } of event.calls) kinds.assistant += charLength(given);
      return;
    case "measured":
      if (!results.has(event.call))
        // a window that was read back is measured too
        results.set(event.call, { kind: "inline", chars: 0, whole: event.chars, isReadBack: false });
      return;
    case "redeemed":
    case "paged":
      results.set(event.call, { kind: "inline", chars: 0, whole: 0, isReadBack: true });
      return;
    case "remembered":
      remember(kinds, results, event, event.origin === "import");
      return;
    case "aged":
      for (const { call, charsAfter } of event.decisions) move(kinds, results, call, "aged", charsAfter);
      return;
    case "budgeted":
      for (const { call, charsAfter } of event.cuts) move(kinds, results, call, "aged", charsAfter);
      return;
    default:
      return;
  }
}

/** Whoever wrote an imported session was sent its results whole: the import stores them, for us. */
function remember(
  kinds: Kinds,
  results: Map<string, Counted>,
  { call, shown, text }: EventOf<"remembered">,
  isImported: boolean,
): void {
  const isWhole = isImported || shown === "inline" || shown === "window" || shown === "refusal";
  const kind: FillKind = isWhole ? "inline" : "heads";
  const chars = isImported ? (results.get(call)?.whole ?? charLength(text)) : charLength(text);
  if (!results.has(call)) results.set(call, { kind, chars: 0, whole: chars, isReadBack: false });
  move(kinds, results, call, kind, chars);
}

function move(
  kinds: Kinds,
  results: Map<string, Counted>,
  call: string,
  kind: FillKind,
  chars: number,
): void {
  const counted = results.get(call);
  if (!counted) return;
  kinds[counted.kind] -= counted.chars;
  kinds[kind] += chars;
  Object.assign(counted, { kind, chars });
}
