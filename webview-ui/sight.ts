// The inspector's browser side: what of the tree is in sight, told as what has to be there. Pure.
import type { Outline } from "./outline";
import { onPage, type View } from "./treeScroll";
import type { Sight } from "./wants";

/** With a filter the turns in sight are not neighbours: only they are needed. */
export function sightOf(outline: Outline, view: View, details: string | null): Sight {
  const { from, to } = onPage(view, outline.length);
  const closed = new Set<number>();
  const open = new Set<number>();
  for (let index = from; index < to; index++) {
    const shown = outline.row(index);
    if (shown?.at == null) continue;
    closed.add(shown.at);
    if (shown.level > 2 || shown.isOpen) open.add(shown.at);
  }
  const places = [...closed];
  const around =
    outline.filtered !== null || places.length === 0
      ? null
      : { from: Math.min(...places), to: Math.max(...places) + 1 };
  return { around, closed: places, open: [...open], details };
}
