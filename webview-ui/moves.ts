// The inspector's browser side: how the keys move through the tree, as in every tree of VS Code. Pure.
import type { Outline, VisibleRow } from "./outline";

/** What a key asks for. `null`: the key is not the tree's. */
export type Move =
  | { readonly kind: "focus"; readonly index: number }
  | { readonly kind: "toggle"; readonly index: number; readonly open: boolean }
  | { readonly kind: "act"; readonly index: number };

/** `pageRows`: as many rows as are in sight. */
export function moveFor(outline: Outline, focused: number, pressed: string, pageRows: number): Move | null {
  const at = Math.max(0, focused);
  const current = outline.row(at);
  if (current === undefined) return null;
  const to = (index: number): Move => ({
    kind: "focus",
    index: Math.min(Math.max(index, 0), outline.length - 1),
  });
  switch (pressed) {
    case "ArrowDown":
      return to(at + 1);
    case "ArrowUp":
      return to(at - 1);
    case "PageDown":
      return to(at + Math.max(1, pageRows - 1));
    case "PageUp":
      return to(at - Math.max(1, pageRows - 1));
    case "Home":
      return to(0);
    case "End":
      return to(outline.length - 1);
    case "ArrowRight":
      if (!current.row.isParent) return to(at);
      return current.isOpen ? to(at + 1) : { kind: "toggle", index: at, open: true };
    case "ArrowLeft":
      return current.isOpen
        ? { kind: "toggle", index: at, open: false }
        : to(parentIndex(outline, at, current));
    case "Enter":
      return isActed(current) ? { kind: "act", index: at } : toggled(current, at, to);
    case " ":
      return toggled(current, at, to);
    default:
      return null;
  }
}

const isActed = ({ row }: VisibleRow): boolean =>
  row.leadsTo !== null || (row.opens !== null && (!row.isParent || row.kind === "stored"));

const toggled = ({ row, isOpen }: VisibleRow, index: number, to: (index: number) => Move): Move =>
  row.isParent ? { kind: "toggle", index, open: !isOpen } : to(index);

/** Turns are below the session's row, which is the first; anything deeper is near what it is below. */
function parentIndex(outline: Outline, at: number, { level, position }: VisibleRow): number {
  if (level <= 2) return 0;
  if (position === 1) return at - 1;
  for (let index = at - 1; index > 0; index--) if ((outline.row(index)?.level ?? 0) < level) return index;
  return at;
}

/** Type-ahead among the rows that are here: the next one whose label starts with what was typed; -1: none. */
export function rowStartingWith(outline: Outline, focused: number, typed: string): number {
  const from = typed.length > 1 ? Math.max(focused, 0) : focused + 1; // a longer word may still be this row's
  const wanted = typed.toLowerCase();
  for (let step = 0; step < outline.length; step++) {
    const index = (from + step) % outline.length;
    const row = outline.row(index)?.row;
    if (row !== undefined && row.kind !== "placeholder" && row.label.toLowerCase().startsWith(wanted))
      return index;
  }
  return -1;
}
