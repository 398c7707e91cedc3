// The inspector's browser side: where the person is: what is open, selected and focused, and how the keys move it. Pure.
import type { Row } from "./row";

/** A person's place in one session. `open` holds only what they opened or closed themselves: it wins over the default. */
export type Place = {
  readonly open: Readonly<Record<string, boolean>>;
  readonly focused: string | null;
  readonly selected: string | null;
  readonly scrollTop: number;
};
export const START: Place = { open: {}, focused: null, selected: null, scrollTop: 0 };

/** What outlives the page, by session (`setState` of the webview). */
export type Saved = { readonly version: 1; readonly places: Readonly<Record<string, Place>> };
export const NOTHING_SAVED: Saved = { version: 1, places: {} };

/** What a page left behind, if a page of this version did. */
export function savedFrom(value: unknown): Saved {
  const saved = value as Saved | undefined;
  return saved?.version === 1 && saved.places instanceof Object ? saved : NOTHING_SAVED;
}

/** A row that can be seen. `level`, `position` and `setSize` are ARIA's: from 1. */
export type VisibleRow = {
  readonly row: Row;
  readonly level: number;
  readonly position: number;
  readonly setSize: number;
  readonly isOpen: boolean;
};

/** The rows that can be seen, from top to bottom. Rows below a closed one are not even made. */
export function visibleRows(rows: readonly Row[], open: Place["open"], level = 1): VisibleRow[] {
  return rows.flatMap((row, at) => {
    const isOpen = row.isParent && (open[row.key] ?? row.startsOpen);
    const visible: VisibleRow = { row, level, position: at + 1, setSize: rows.length, isOpen };
    return isOpen ? [visible, ...visibleRows(row.children(), open, level + 1)] : [visible];
  });
}

const parentKey = (key: string): string | null => {
  const end = key.lastIndexOf("/");
  return end < 0 ? null : key.slice(0, end);
};

/** The row itself, or the nearest row above it in the tree that can be seen. */
export function nearestVisible(visible: readonly VisibleRow[], key: string | null): string | null {
  for (let at = key; at !== null; at = parentKey(at)) {
    if (visible.some(({ row }) => row.key === at)) return at;
  }
  return null;
}

/**
 * What is open around the focused and the selected row stays open when a newer turn arrives, though only the newest
 * turn is open by default: a row must not vanish under the person's eyes.
 */
export function heldOpen(place: Place, visible: readonly VisibleRow[]): Place {
  const around = new Set<string>();
  for (const key of [place.focused, place.selected]) {
    for (let at = key; at !== null; at = parentKey(at)) around.add(at);
  }
  const held = visible.filter(
    ({ row, isOpen }) => isOpen && around.has(row.key) && place.open[row.key] === undefined,
  );
  if (held.length === 0) return place;
  return { ...place, open: { ...place.open, ...Object.fromEntries(held.map(({ row }) => [row.key, true])) } };
}

/** What a key asks for. `null`: the key is not the tree's. */
export type Move =
  | { readonly kind: "focus"; readonly key: string }
  | { readonly kind: "toggle"; readonly key: string; readonly open: boolean }
  | { readonly kind: "act"; readonly key: string };

const PAGE = 10;

export function moveFor(
  visible: readonly VisibleRow[],
  focused: string | null,
  pressed: string,
): Move | null {
  const at = Math.max(
    0,
    visible.findIndex(({ row }) => row.key === focused),
  );
  const current = visible[at];
  if (current === undefined) return null;
  const { row, level, isOpen } = current;
  const to = (index: number): Move => {
    const target = visible[Math.min(Math.max(index, 0), visible.length - 1)] ?? current;
    return { kind: "focus", key: target.row.key };
  };
  switch (pressed) {
    case "ArrowDown":
      return to(at + 1);
    case "ArrowUp":
      return to(at - 1);
    case "PageDown":
      return to(at + PAGE);
    case "PageUp":
      return to(at - PAGE);
    case "Home":
      return to(0);
    case "End":
      return to(visible.length - 1);
    case "ArrowRight":
      if (!row.isParent) return to(at);
      return isOpen ? to(at + 1) : { kind: "toggle", key: row.key, open: true };
    case "ArrowLeft": {
      if (isOpen) return { kind: "toggle", key: row.key, open: false };
      const parent = visible.findLastIndex((other, index) => index < at && other.level < level);
      return to(parent < 0 ? at : parent);
    }
    case "Enter":
      if (!row.isParent && row.opens !== null) return { kind: "act", key: row.key };
      return row.isParent ? { kind: "toggle", key: row.key, open: !isOpen } : to(at);
    case " ":
      return row.isParent ? { kind: "toggle", key: row.key, open: !isOpen } : to(at);
    default:
      return null;
  }
}

/** Type-ahead: the next row whose label starts with what was typed. */
export function rowStartingWith(
  visible: readonly VisibleRow[],
  focused: string | null,
  typed: string,
): string | null {
  const at = visible.findIndex(({ row }) => row.key === focused);
  const from = typed.length > 1 ? Math.max(at, 0) : at + 1; // a longer word may still be this row's
  const order = [...visible.slice(from), ...visible.slice(0, from)];
  return order.find(({ row }) => row.label.toLowerCase().startsWith(typed.toLowerCase()))?.row.key ?? null;
}
