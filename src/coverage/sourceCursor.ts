/** Following a source that pages itself: when its list has ended, goes on, or cannot be known to end (CONFORMANCE §6). */
import type { Completeness } from "../schema/coverage";

/** The cursors that a source was asked with so far, as it wrote them. */
export type SourceTrail = { readonly cursors: readonly string[] };

export type SourceStep =
  | { readonly kind: "ended"; readonly complete: true }
  | { readonly kind: "next"; readonly cursor: string; readonly trail: SourceTrail }
  | { readonly kind: "stopped"; readonly complete: Extract<Completeness, "unknown"> };

export const beginSource = (): SourceTrail => ({ cursors: [] });

/**
 * `cursor` is the JSON text of the member in the source's last page; null where it has none. Absence and `null` end a
 * list; `""` is a cursor like any other; one that was there before stops, since nobody knows what the source would have
 * gone on with.
 */
export function nextOfSource({ cursors }: SourceTrail, cursor: string | null): SourceStep {
  if (cursor === null || cursor === "null") return { kind: "ended", complete: true };
  const said = saidBy(cursor);
  if (cursors.includes(said)) return { kind: "stopped", complete: "unknown" };
  return { kind: "next", cursor, trail: { cursors: [...cursors, said] } };
}

/** One spelling for one string, however it is escaped; numbers keep their digits. */
const saidBy = (json: string): string => (json.startsWith('"') ? JSON.stringify(JSON.parse(json)) : json);
