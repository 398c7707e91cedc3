// The inspector's browser side: holds the tree still on the screen while an update changes what is above the rows.

/**
 * Remembers where the row in focus is, or the first one in sight of a scrolled tree; call the result after the update.
 * Chromium's own anchoring does not see that the sentence above the tree became a line longer.
 */
export function holdStill(tree: Element | null): () => void {
  const row = tree === null ? null : anchorIn(tree);
  if (tree === null || row === null) return () => undefined;
  const before = row.getBoundingClientRect().top;
  return () => {
    if (row.isConnected) tree.scrollTop += row.getBoundingClientRect().top - before;
  };
}

function anchorIn(tree: Element): Element | null {
  const { top, bottom } = tree.getBoundingClientRect();
  const isInSight = (row: Element) => {
    const box = row.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  };
  const focused = document.activeElement?.closest("[role=treeitem]") ?? null;
  if (focused !== null && tree.contains(focused) && isInSight(focused)) return focused;
  if (tree.scrollTop === 0) return null; // at the top it stays at the top
  for (const row of tree.children) if (isInSight(row)) return row;
  return null;
}
