// The inspector's browser side: holds the tree still on the screen while an update changes what is above the rows. Pure.
import type { Outline, VisibleRow } from "./outline";
import { nearestIndex, type Spot } from "./place";
import { type Anchor, inSight, ROW_PX, type View } from "./treeScroll";

export const spotOf = ({ row, at }: VisibleRow): Spot => ({ key: row.key, at });

/** What stays where it is: the row in focus if it is in sight, or the first row of a scrolled tree; null: the top does. */
export function anchorOf(outline: Outline, view: View, focused: Spot | null): Anchor | null {
  const { from, to } = inSight(view, outline.length);
  const index = outline.indexOf(focused);
  if (focused !== null && index >= from && index < to)
    return { spot: focused, offsetPx: index * ROW_PX - view.scrollTop };
  const first = view.scrollTop === 0 ? undefined : outline.row(from);
  return first === undefined ? null : { spot: spotOf(first), offsetPx: from * ROW_PX - view.scrollTop };
}

/** Where the tree is scrolled to with the anchor in its place; null: the row, and all that it was below, is gone. */
export function scrollTopWith(outline: Outline, { spot, offsetPx }: Anchor): number | null {
  const index = nearestIndex(outline, spot);
  return index < 0 ? null : Math.max(0, index * ROW_PX - offsetPx);
}
