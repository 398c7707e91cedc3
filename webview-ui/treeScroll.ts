// The inspector's browser side: which rows are in sight, and where the tree has to be scrolled to. Pure.
import type { Spot } from "./place";

export const ROW_PX = 22;
/** Rows above and below what is in sight that are on the page too: a frame of scrolling is never blank. */
const MARGIN_ROWS = 8;

export type View = { readonly scrollTop: number; readonly heightPx: number };
export type RowRange = { readonly from: number; readonly to: number };

/** The indices of the rows that are in sight, and of those that are on the page. */
export const inSight = ({ scrollTop, heightPx }: View, length: number): RowRange => ({
  from: Math.max(0, Math.floor(scrollTop / ROW_PX)),
  to: Math.min(length, Math.ceil((scrollTop + heightPx) / ROW_PX)),
});
export function onPage(view: View, length: number): RowRange {
  const { from, to } = inSight(view, length);
  return { from: Math.max(0, Math.min(from, length) - MARGIN_ROWS), to: Math.min(length, to + MARGIN_ROWS) };
}

/** The nearest position in which a row is whole in sight. */
export function scrolledTo(index: number, { scrollTop, heightPx }: View): number {
  const top = index * ROW_PX;
  if (top < scrollTop) return top;
  return top + ROW_PX > scrollTop + heightPx ? Math.max(0, top + ROW_PX - heightPx) : scrollTop;
}

export const clampedTo = (scrollTop: number, length: number, heightPx: number): number =>
  Math.max(0, Math.min(scrollTop, length * ROW_PX - heightPx));

/** A row and how far its top is below the top of the tree. */
export type Anchor = { readonly spot: Spot; readonly offsetPx: number };
