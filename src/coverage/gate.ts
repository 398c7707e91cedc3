/**
 * What a session has seen of its lists, and whether an exhaustive answer may be given: returned = in a page that was
 * shown; inspected = was in a request that got a reply; available = the rest (CONFORMANCE §6, Gate).
 */
import type { Handle } from "../schema/claim";
import type { Completeness, PageCursor, RecordCursor } from "../schema/coverage";
import { pageCursor, recordCursor } from "./cursor";
import { type Range, type Ranges, sizeOf, withoutRange, withRange, withRanges } from "./ranges";

type Seen = {
  readonly tool: string;
  readonly total: number;
  readonly complete: Completeness; // what the last page says
  readonly covered: Ranges; // of pages that were shown, references included
  readonly passed: Ranges; // of them, those that a reply came to
  readonly returned: Ranges;
  readonly inspected: Ranges;
  /** Records that the source has and nobody was shown: what our clamp left out and a later call jumped over. */
  readonly skipped: number;
};

/** Plain data, so that it may stand in a fold. `said` once the sentence was said. */
export type GateState = { readonly lists: Readonly<Record<string, Seen>>; readonly said: boolean };

export const openGate: GateState = { lists: {}, said: false };

export type GateMove =
  | {
      readonly kind: "listed";
      readonly handle: Handle;
      readonly tool: string;
      readonly total: number;
      readonly complete: Completeness;
      readonly skipped?: number;
    }
  /** A page was put into the conversation; `references` are the numbers that it has by digest only. */
  | {
      readonly kind: "paged";
      readonly handle: Handle;
      readonly first: number;
      readonly last: number;
      readonly references: readonly number[];
    }
  /** One record alone was put into it, whole. */
  | { readonly kind: "record"; readonly handle: Handle; readonly index: number }
  /** What was shown went out of the conversation before any request had it. */
  | { readonly kind: "withdrawn"; readonly handle: Handle; readonly first: number; readonly last: number }
  /** The same of a record that was read alone. */
  | { readonly kind: "record_withdrawn"; readonly handle: Handle; readonly index: number }
  /** The request that had everything shown so far got a reply. */
  | { readonly kind: "replied" }
  | { readonly kind: "said" };

const NOTHING: Pick<Seen, "covered" | "passed" | "returned" | "inspected"> = {
  covered: [],
  passed: [],
  returned: [],
  inspected: [],
};

/** Never fewer inspected, and never more than were returned. A move of a list that nobody announced changes nothing. */
export function throughGate(state: GateState, move: GateMove): GateState {
  switch (move.kind) {
    case "said":
      return { ...state, said: true };
    case "replied": {
      const lists = Object.entries(state.lists).map(([handle, seen]) => {
        const inspected = withRanges(seen.inspected, seen.returned);
        return [handle, { ...seen, inspected, passed: seen.covered }] as const;
      });
      return { ...state, lists: Object.fromEntries(lists) };
    }
    case "listed": {
      const { handle, tool, total, complete, skipped = 0 } = move;
      const before = state.lists[handle];
      const { covered, passed, returned, inspected } = before ?? NOTHING;
      return withList(state, handle, {
        tool,
        total,
        complete,
        skipped,
        covered,
        passed,
        returned,
        inspected,
      });
    }
    case "paged":
      return changed(state, move.handle, (seen) => {
        if (move.last < move.first) return seen;
        const page: Range = [move.first, move.last];
        const whole = move.references.reduce<Ranges>(
          (left, index) => withoutRange(left, [index, index]),
          [page],
        );
        const covered = withRange(seen.covered, page);
        return { ...seen, covered, returned: withRanges(seen.returned, whole) };
      });
    case "record":
      return changed(state, move.handle, (seen) => ({
        ...seen,
        returned: withRange(seen.returned, [move.index, move.index]),
      }));
    case "withdrawn":
      return changed(state, move.handle, (seen) => {
        const gone: Range = [move.first, move.last];
        const returned = withRanges(withoutRange(seen.returned, gone), seen.inspected);
        return { ...seen, covered: withRanges(withoutRange(seen.covered, gone), seen.passed), returned };
      });
    case "record_withdrawn":
      return changed(state, move.handle, (seen) => {
        const left = withoutRange(seen.returned, [move.index, move.index]);
        return { ...seen, returned: withRanges(left, seen.inspected) };
      });
  }
}

const withList = (state: GateState, handle: string, seen: Seen): GateState => ({
  ...state,
  lists: { ...state.lists, [handle]: seen },
});

function changed(state: GateState, handle: Handle, change: (seen: Seen) => Seen): GateState {
  const seen = state.lists[handle];
  return seen === undefined ? state : withList(state, handle, change(seen));
}

/** Records of one list. `available`: stored and not returned; `beyond`: what the source has besides. */
export type CoverageCounts = {
  readonly handle: Handle;
  readonly tool: string;
  readonly total: number;
  readonly returned: number;
  readonly inspected: number;
  readonly available: number;
  readonly skipped: number;
  readonly complete: Completeness;
  /** What to go on with: the first page that was not shown, else the first record that was not; null: all were. */
  readonly next: PageCursor | RecordCursor | null;
};

export function countsFrom(state: GateState): readonly CoverageCounts[] {
  return Object.entries(state.lists).map(([handle, seen]) => {
    const { tool, total, complete, skipped } = seen;
    const returned = sizeOf(seen.returned);
    const page = firstOutside(seen.covered);
    const record = firstOutside(seen.returned);
    const next = page <= total ? pageCursor(page) : record <= total ? recordCursor(record) : null;
    const available = total - returned;
    const inspected = sizeOf(seen.inspected);
    return { handle: handle as Handle, tool, total, returned, inspected, available, skipped, complete, next };
  });
}

const firstOutside = ([first]: Ranges): number => (first?.[0] === 1 ? first[1] + 1 : 1);

/** `say`: the loop says `sentence` before the session may finish, once. `incomplete`: the answer is marked so. */
export type GateVerdict =
  | { readonly kind: "open" }
  | { readonly kind: "say"; readonly sentence: string; readonly unread: readonly CoverageCounts[] }
  | { readonly kind: "incomplete"; readonly unread: readonly CoverageCounts[] };

/** What the sentence begins with: words of ours, not of the person. */
export const GATE_WORDS = "[Not everything has been read:";

/** Whether something of the list, or of what its source has behind it, was not read. */
export const isUnread = ({
  inspected,
  total,
  complete,
  skipped,
}: Pick<CoverageCounts, "inspected" | "total" | "complete" | "skipped">): boolean =>
  inspected < total || complete !== true || skipped > 0;

/**
 * Whether the session may end as it is. Only where the user wants everything is anything held back; `fetchTool` is the
 * tool that reads the rest. Pages that were returned and not yet inspected count as unread: the answer cannot rest on them.
 */
export function verdictOf(state: GateState, isExhaustive: boolean, fetchTool: string): GateVerdict {
  const unread = isExhaustive ? countsFrom(state).filter(isUnread) : [];
  if (unread.length === 0) return { kind: "open" };
  if (state.said) return { kind: "incomplete", unread };
  const parts = unread.map((counts) => unreadText(counts, fetchTool));
  const sentence = `${GATE_WORDS} ${parts.join("; ")}. Read the rest, or say in the answer what was not read.]`;
  return { kind: "say", sentence, unread };
}

function unreadText(counts: CoverageCounts, fetchTool: string): string {
  const { handle, tool, total, inspected, skipped, complete, next } = counts;
  const parts: string[] = [];
  if (inspected < total) {
    const how = next === null ? "" : ` (next: ${fetchTool} with handle='${handle}${next}')`;
    parts.push(`${total - inspected} of ${total} records of ${tool}${how}`);
  }
  if (skipped > 0) parts.push(`${skipped} records that were never requested from ${tool}`);
  if (complete === false) parts.push(`${tool} has more records than it returned`);
  if (complete === "unknown") parts.push(`whether ${tool} has more records is unknown`);
  return parts.join(", and ");
}
