/** How many items a result has: what a contract's `items` points to, counted in the result itself (seed 003 §Metrics). Pure. */
import { pathOf, scan } from "./scan";

/** The length of the list at `pointer`; null where the text is not JSON, or has no one list there. */
export function countAt(text: string, pointer: string): number | null {
  const scanned = scan(text, [pathOf(pointer)]);
  const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
  if (found?.kind !== "token" || found.token.kind !== "array") return null;
  const list: unknown = JSON.parse(text.slice(found.token.start, found.token.end));
  return Array.isArray(list) ? list.length : null;
}
