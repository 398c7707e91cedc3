/** Following pages that somebody else hands over: each must go on from the one before, so that no chain of cursors is endless. */
import type { Completeness, CoverageRefused, PageCursor, SnapshotId } from "../schema/coverage";
import { parseCursor } from "./cursor";

/** What a page says of itself; `source` as its own text, `references` their number. */
export type PageFacts = {
  readonly snapshot: SnapshotId;
  readonly source: string;
  readonly total: number;
  readonly returned: number;
  readonly references: number;
  readonly remaining: number;
  readonly complete: Completeness;
  readonly cursor: PageCursor | string | null;
};

/** What has been followed so far; null before the first page. */
export type Trail = {
  readonly kind: "trail";
  readonly page: PageFacts | null;
  readonly covered: number; // records and references so far
  readonly isEnded: boolean;
};

export const beginTrail = (): Trail => ({ kind: "trail", page: null, covered: 0, isEnded: false });

/**
 * The trail with one page more, or why it is no next page: of another snapshot, with another status or total, with counts
 * that do not add up, or with a cursor that leads back.
 *
 * Invariant: `remaining` strictly falls and cursors strictly rise, so following ends after at most `total` pages.
 */
export function followPage(trail: Trail, page: PageFacts): Trail | CoverageRefused {
  const refused = (reason: CoverageRefused["reason"]): CoverageRefused => ({ kind: "refused", reason });
  const before = trail.page;
  if (trail.isEnded) return refused("cycling_cursor");
  if (before !== null && page.snapshot !== before.snapshot) return refused("foreign_cursor");
  if (before !== null && (page.source !== before.source || page.total !== before.total)) {
    return refused("altered_page");
  }
  const covered = trail.covered + page.returned + page.references;
  const isEnded = page.cursor === null;
  if (before !== null && page.remaining >= before.remaining) return refused("cycling_cursor");
  if (page.remaining !== page.total - covered || isEnded !== (page.remaining === 0)) {
    return refused("altered_page");
  }
  if (!isEnded && page.complete !== false) return refused("altered_page");
  if (page.cursor !== null) {
    const next = parseCursor(page.cursor);
    if (next.kind === "refused") return next;
    if (next.kind !== "page" || next.first <= trail.covered + 1) return refused("cycling_cursor");
    if (next.first !== covered + 1) return refused("unknown_cursor");
  }
  return { kind: "trail", page, covered, isEnded };
}
